import { describe, expect, it } from 'vitest';
import { LIFE_ORDER, OWN_PROBE, explainedProbes, probeTimes } from '../../../src/explain/timeline/explained-probes.ts';
import { clusterPolicyDocument, policyDocument, policySet } from '../../support/worlds.ts';
import { decidedContainer, explainedProbesOf } from './decided-container.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { ProbeExplanation } from '../../../src/explain/timeline/explanation.ts';
import type { ProbeKind } from '../../../src/engine/probe/probe.ts';

const HTTP = { httpGet: { path: '/live', port: 'http' } };
const base = (spec: JsonObject): JsonObject => clusterPolicyDocument(spec, 'base');

function probesOf(container: JsonObject, options?: Parameters<typeof decidedContainer>[1]): ProbeExplanation[] {
  return explainedProbesOf(decidedContainer(container, options));
}

/** Who gave each probe. */
const givers = (container: JsonObject, options?: Parameters<typeof decidedContainer>[1]): Record<string, string> =>
  Object.fromEntries(probesOf(container, options).map(({ kind, from }) => [kind, from]));

/** What gives the startup probe its time to start. */
const budgetOf = (container: JsonObject, spec: JsonObject): ProbeExplanation['budget'] =>
  probesOf(container, { policies: policySet(base(spec)) }).find(({ kind }) => kind === 'startupProbe')?.budget;

describe('the probes of a container', () => {
  it('are in the order in which they matter, with their handlers and their numbers', () => {
    const probes = probesOf({
      readinessProbe: { exec: { command: ['ready', 'now'] }, periodSeconds: 5, successThreshold: 2 },
      livenessProbe: { ...HTTP, initialDelaySeconds: 3, timeoutSeconds: 2, terminationGracePeriodSeconds: 7 },
      startupProbe: { tcpSocket: { port: 8080 }, failureThreshold: 30 },
    });
    expect(probes.map(({ kind, handler, from, letters }) => ({ kind, handler, from, letters }))).toEqual([
      {
        ...{ kind: 'startupProbe', handler: 'tcpSocket on port 8080', from: OWN_PROBE },
        letters: { D: 0, P: 10, T: 1, F: 30, S: 1, G: 30 },
      },
      {
        ...{ kind: 'livenessProbe', handler: 'httpGet /live on port http', from: OWN_PROBE },
        letters: { D: 3, P: 10, T: 2, F: 3, S: 1, G: 7 },
      },
      {
        ...{ kind: 'readinessProbe', handler: 'exec ready now', from: OWN_PROBE },
        letters: { D: 0, P: 5, T: 1, F: 3, S: 2 },
      },
    ]);
    expect(probes.map(({ kind }) => kind)).toEqual(LIFE_ORDER);
    expect(probes.map((probe) => 'budget' in probe)).toEqual([false, false, false]);
    expect(probes[0]?.fields.map(({ field }) => field)).toContain('tcpSocket.port');
  });

  it('are none without probes, and without a timing', () => {
    expect(probesOf({})).toEqual([]);
    expect(probesOf({ livenessProbe: 'x' })).toEqual([]);
    expect(explainedProbes(decidedContainer({ livenessProbe: HTTP }), {})).toEqual([]);
  });
});

describe('the giver of a probe', () => {
  it('is a policy or an annotation', () => {
    const policies = policySet(
      base({ probes: { livenessProbe: HTTP } }),
      policyDocument({ probes: { livenessProbe: { periodSeconds: 5 } } }, 'team'),
    );
    const annotations = { 'probewright.dev/readiness-endpoint': '/ready' };
    expect(givers({}, { policies, annotations })).toMatchObject({
      livenessProbe: 'ClusterProbePolicy/base',
      readinessProbe: 'an annotation of the workload',
    });
  });

  it("tells that the handler of a startup probe is that of the author's liveness probe", () =>
    expect(
      givers({ livenessProbe: HTTP }, { policies: policySet(base({ slowStart: { startupSeconds: 240 } })) }),
    ).toEqual({
      startupProbe: 'ClusterProbePolicy/base, with the handler of the own livenessProbe',
      livenessProbe: 'the manifest',
    }));

  it("is Probewright's safety for the startup probe of an injected liveness probe, with whose numbers it has", () => {
    const safety = "Probewright's safety, for the liveness probe that it adds";
    expect(givers({}, { policies: policySet(base({ probes: { livenessProbe: HTTP } })) })['startupProbe']).toBe(safety);
    const layers = [
      base({ probes: { livenessProbe: HTTP, startupProbe: { periodSeconds: 5 } } }),
      policyDocument({ probes: { startupProbe: { timeoutSeconds: 4 } } }, 'team'),
    ];
    expect(givers({}, { policies: policySet(...layers) })['startupProbe']).toBe(
      `${safety}, with numbers of ProbePolicy/apps/team and ClusterProbePolicy/base`,
    );
    expect(givers({}, { policies: policySet(...layers.slice(0, 1)) })['startupProbe']).toBe(
      `${safety}, with numbers of ClusterProbePolicy/base`,
    );
    const none = policyDocument({ probes: { startupProbe: { timeoutSeconds: null } } }, 'team');
    expect(givers({}, { policies: policySet(base({ probes: { livenessProbe: HTTP } }), none) })['startupProbe']).toBe(
      safety,
    );
  });

  it.each([
    ['ProbePolicy/apps/team', 'ProbePolicy/apps/team'],
    ['annotation', 'an annotation of the workload'],
    ['nobody', 'the manifest'],
  ])('of a live Pod whose annotation says %j is %s', (livenessProbe, giver) =>
    expect(givers({ livenessProbe: HTTP }, { injectedEarlier: { livenessProbe } })).toEqual({ livenessProbe: giver }),
  );
});

describe('the time to start of an injected startup probe', () => {
  const own = { livenessProbe: HTTP };
  const delayed = { livenessProbe: { ...HTTP, initialDelaySeconds: 90 } };

  it.each([
    [{ text: 'by startupSeconds', isWritten: true }, own, { slowStart: { startupSeconds: 240 } }],
    [
      { text: "by its livenessProbe's delay", isWritten: false },
      delayed,
      { slowStart: { fromInitialDelaySeconds: 30 } },
    ],
    [
      { text: 'by failureThreshold', isWritten: true },
      own,
      { probes: { startupProbe: { ...HTTP, failureThreshold: 60 } } },
    ],
    [{ text: 'by default', isWritten: false }, {}, { probes: { livenessProbe: HTTP } }],
  ])('is given %j', (budget, container, spec) => expect(budgetOf(container, spec)).toEqual(budget));

  it.each([
    ['learned', 'by past starts', false],
    ['livenessProbe', 'by its livenessProbe', false],
    ['readinessProbe', 'by its readinessProbe', false],
    ['failureThreshold', 'by failureThreshold', true],
    ['startupSeconds', 'by startupSeconds', true],
  ] as const)('by the rule %s is told as %j', (rule, text, isWritten) => {
    const decided = decidedContainer(own, { policies: policySet(base({ slowStart: { startupSeconds: 240 } })) });
    const injections = decided.injections.map((injection) => ({ ...injection, budget: { seconds: 1, rule } }));
    expect(explainedProbesOf({ ...decided, injections })[0]?.budget).toEqual({ text, isWritten });
  });

  it('is told of startup probes alone', () => {
    const policies = policySet(base({ probes: { livenessProbe: HTTP } }));
    const told = probesOf({}, { policies }).map(({ kind, budget }) => [kind, budget !== undefined] as const);
    expect(told).toEqual<(readonly [ProbeKind, boolean])[]>([
      ['startupProbe', true],
      ['livenessProbe', false],
    ]);
  });
});

describe('the numbers of a probe in words', () => {
  it.each([
    [{ D: 0, P: 10, T: 1, F: 3, S: 1 }, 'every 10 s, timeout 1 s, 3 failures in a row'],
    [{ D: 1, P: 10, T: 2, F: 1, S: 1 }, 'after 1 s, every 10 s, timeout 2 s, 1 failure'],
    [{ P: 10, T: 2, F: 2, S: 2 }, 'every 10 s, timeout 2 s, 2 failures in a row, 2 successes in a row'],
    [{}, 'every 0 s, timeout 0 s, 0 failures in a row'],
  ])('of %j are: %s', (letters, words) => expect(probeTimes(letters)).toBe(words));
});
