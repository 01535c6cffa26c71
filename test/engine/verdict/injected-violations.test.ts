import { describe, expect, it } from 'vitest';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { judge } from '../../../src/engine/verdict/judge.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/custom-kinds.ts';
import { podTemplatesOf, workloadKindOfManifest } from '../../../src/engine/workload/kinds.ts';
import { appContainer, clusterPolicyDocument, mutation, pod, policyDocument, policySet } from '../../support/worlds.ts';
import { defaultedPodSpec } from '../../../src/engine/probe/api-defaults.ts';
import { NOW } from '../../support/now.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

function violationsOf(object: JsonObject, policies: Snapshot, willBeDefaulted: boolean): readonly Violation[] {
  const kind = workloadKindOfManifest(object, KNOWN_KINDS);
  if (kind === undefined) throw new Error('no workload');
  const subject = { object, kind, templates: podTemplatesOf(object, kind), namespace: 'apps' };
  return judge(subject, policies, willBeDefaulted, NOW).violations;
}

function deployment(container: JsonObject, annotations: JsonObject = {}): JsonObject {
  const template = { metadata: { labels: { app: 'web' }, annotations }, spec: { containers: [container] } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { template } };
}

/** What a check says about the app container of a Deployment that has no probe of its own. */
function verdict(check: string, documents: JsonObject[], container = appContainer(), annotations = {}): unknown {
  const found = violationsOf(deployment(container, annotations), policySet(...documents), true);
  return found
    .filter((violation) => violation.check === check && violation.probe === 'livenessProbe')
    .map(({ action, remedy = '', policy }) => ({
      action,
      note: remedy.split('; ').at(-1),
      ...(policy && { policy: { ...policy, path: formatPath(policy.path) } }),
    }));
}

/** A liveness probe that is asked more often than its timeout allows. */
const bad = {
  kubernetesProbeEndpoints: { livenessProbe: '/live' },
  probes: { livenessProbe: { timeoutSeconds: 30, periodSeconds: 5, failureThreshold: 30 } },
};
const denies = (more: JsonObject = {}): JsonObject => ({
  checks: { 'timeout-over-period': { action: 'Deny', ...more } },
});

describe('a violation of a probe that a policy injects', () => {
  it('is Audit for the author, and names the policy and the field', () =>
    expect(verdict('timeout-over-period', [policyDocument(bad)])).toEqual([
      {
        action: 'Audit',
        note: 'ProbePolicy/apps/policy injects the livenessProbe',
        policy: {
          source: 'ProbePolicy/apps/policy',
          path: 'spec.probes.livenessProbe.timeoutSeconds',
          remedy: 'write timeoutSeconds: 5 or less',
          action: 'Audit',
        },
      },
    ]));

  it('belongs to the policy that sets the number, not to the one that gives the handler', () => {
    const handler = clusterPolicyDocument({ kubernetesProbeEndpoints: { livenessProbe: '/live' } });
    const numbers = policyDocument({ probes: bad.probes });
    expect(verdict('timeout-over-period', [handler, numbers])).toEqual([
      {
        action: 'Audit',
        note: 'ProbePolicy/apps/policy sets timeoutSeconds, ClusterProbePolicy/cluster injects the livenessProbe',
        policy: {
          source: 'ProbePolicy/apps/policy',
          path: 'spec.probes.livenessProbe.timeoutSeconds',
          remedy: 'write timeoutSeconds: 5 or less',
          action: 'Audit',
        },
      },
    ]);
  });

  it('belongs to the policy of the liveness probe where the startup probe copies that', () => {
    const found = violationsOf(deployment(appContainer()), policySet(policyDocument(bad)), true);
    const [startup] = found.filter(({ probe, check }) => probe === 'startupProbe' && check === 'timeout-over-period');
    expect([startup?.remedy?.split('; ').at(-1), startup?.policy?.path.join('.')]).toEqual([
      'ProbePolicy/apps/policy injects the livenessProbe that the startupProbe copies',
      'spec.probes.livenessProbe.timeoutSeconds',
    ]);
  });

  it('stays what a platform sets when a namespace policy injects the probe', () => {
    const [one] = verdict('timeout-over-period', [clusterPolicyDocument(denies()), policyDocument(bad)]) as Violation[];
    expect(one?.action).toBe('Deny');
  });

  it('is Audit when the platform both sets the action and injects the probe', () => {
    const both = clusterPolicyDocument({ ...bad, ...denies() });
    const [one] = verdict('timeout-over-period', [both]) as Violation[];
    expect(one?.action).toBe('Audit');
  });

  it('stays what a platform sets when a namespace policy changes one number of the platform’s probe', () => {
    const platform = clusterPolicyDocument({
      kubernetesProbeEndpoints: { livenessProbe: '/live' },
      probes: { livenessProbe: { periodSeconds: 30 } },
      ...denies(),
    });
    const shrinks = policyDocument({ probes: { livenessProbe: { timeoutSeconds: 60 } } });
    const [one] = verdict('timeout-over-period', [platform, shrinks]) as Violation[];
    expect(one?.action).toBe('Deny');
  });

  it('is Audit when the namespace’s own policy sets the action', () => {
    const [one] = verdict('timeout-over-period', [policyDocument({ ...bad, ...denies() })]) as Violation[];
    expect(one?.action).toBe('Audit');
  });

  it('is at least the floor, whoever injects the probe', () => {
    const warn = clusterPolicyDocument({ ...bad, ...denies({ floor: 'Warn' }) });
    const [one] = verdict('timeout-over-period', [warn]) as Violation[];
    expect(one?.action).toBe('Warn');
  });

  it('stays the author’s when an annotation gives the path', () => {
    const annotations = { 'probewright.dev/liveness-endpoint': '/ready' };
    expect(verdict('dependency-liveness', [], appContainer(), annotations)).toEqual([
      { action: 'Warn', note: 'the annotations of the workload give the livenessProbe' },
    ]);
  });

  it('is that of the same probe in a Pod that has the probe already', () => {
    const policies = policySet(policyDocument(bad));
    const { after } = mutation(pod([appContainer()]), policies);
    const stored = { ...after, spec: defaultedPodSpec(after['spec'] as JsonObject) };
    const actions = violationsOf(stored, policies, false).map(({ check, action }) => `${check} ${action}`);
    expect(actions.filter((text) => text.startsWith('timeout'))).toEqual([
      'timeout-over-period Audit',
      'timeout-over-period Audit',
    ]);
  });

  it('is not excused in a Pod by an annotation that names another probe than the policies give', () => {
    const policies = policySet(policyDocument(bad));
    const livenessProbe = { httpGet: { path: '/other', port: 8080 }, timeoutSeconds: 30, periodSeconds: 5 };
    const annotations = { 'probewright.dev/injected': '{"app":{"livenessProbe":"ProbePolicy/apps/policy"}}' };
    const forged = pod([appContainer({ livenessProbe })], { metadata: { annotations } });
    const found = violationsOf(forged, policies, false).filter(({ check }) => check === 'timeout-over-period');
    expect(found.map(({ action, policy }) => ({ action, policy }))).toEqual([{ action: 'Audit', policy: undefined }]);
  });
});

describe('a denial for a missing probe', () => {
  const requires = clusterPolicyDocument({ checks: { 'required-readiness': { action: 'Deny', containers: 'all' } } });
  const ports = [8080, 9090].map((containerPort) => ({ containerPort }));
  const note = (container: JsonObject, ...documents: JsonObject[]): unknown =>
    violationsOf(deployment(container), policySet(requires, ...documents), true)
      .filter(({ check }) => check === 'required-readiness')
      .map(({ message, remedy = '' }) => `${message}; ${remedy}`);

  it('says which policy wanted to give the probe, and why it cannot', () => {
    const gives = policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/ready' } });
    expect(note(appContainer({ ports }), gives)).toEqual([
      expect.stringMatching(
        /; ProbePolicy\/apps\/policy cannot give one: cannot tell which of its ports 8080, 9090 to ask; /,
      ),
    ]);
  });

  it('says which policy removes the probe', () => {
    const removes = policyDocument({ containers: ['*'], probes: { readinessProbe: { disabled: true } } });
    expect(note(appContainer(), removes)).toEqual([
      expect.stringMatching(/; no policy gives one: ProbePolicy\/apps\/policy removes it$/),
    ]);
  });

  it('names the policy for the main container when no main container can be told', () => {
    const gives = policyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/ready' } });
    expect(note({ name: 'app', image: 'x' }, gives)).toEqual([
      expect.stringMatching(/; ProbePolicy\/apps\/policy cannot give one: cannot tell its main container/),
    ]);
  });

  it('gives no reason when no policy wants to give the probe', () => {
    const other = policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { livenessProbe: '/live' } });
    expect(note(appContainer(), other)).toEqual([expect.not.stringContaining('cannot give one')]);
  });
});
