import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { explainManifest } from '../../../src/explain/timeline/explain-manifest.ts';
import { figureOf, type FigureId } from '../../../src/explain/timeline/figures.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { deploymentWith, findings, podWith } from '../../engine/checks/workload.ts';
import { clusterPolicyDocument, policySet } from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import { runs } from '../../support/runs.ts';
import type { ContainerExplanation } from '../../../src/explain/timeline/explanation.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { ProbeKind } from '../../../src/engine/probe/probe.ts';
import type { Span } from '../../../src/engine/time/timing.ts';

/*
 * `explain` and `check` give the same figures for the same container: the numbers in the messages of checks are
 * compared with the model that `explain` draws. Parameters make a check speak of every container.
 */

/** An integer field: absent, or one of the values that the API server takes for absent, or a number up to `max`. */
const integer = (max: number): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: fc.integer({ min: 1, max }), weight: 5 }, fc.constantFrom(undefined, null, 0));

const graceSeconds = fc.oneof(fc.integer({ min: 1, max: 90 }), fc.constantFrom(undefined, null, 1, 2, 3600, 2 ** 40));

const handler = fc.oneof(
  fc
    .record({ path: fc.constantFrom('/a', '/b'), port: fc.constantFrom('http', 'dns', 8080) })
    .map((httpGet) => ({ httpGet })),
  fc.record({ port: fc.constantFrom('http', 8080) }).map((tcpSocket) => ({ tcpSocket })),
  fc.record({ port: fc.constant(9000) }).map((grpc) => ({ grpc })),
  fc.record({ command: fc.constant(['/bin/healthy']) }).map((exec) => ({ exec })),
);

const timing = fc.record({
  initialDelaySeconds: integer(100),
  periodSeconds: integer(60),
  timeoutSeconds: integer(60),
  failureThreshold: integer(20),
});

const killing = fc
  .tuple(handler, timing, graceSeconds)
  .map(([own, integers, terminationGracePeriodSeconds]) => ({ ...own, ...integers, terminationGracePeriodSeconds }));

const readiness = fc
  .tuple(handler, timing, integer(5))
  .map(([own, integers, successThreshold]) => ({ ...own, ...integers, successThreshold }));

const rule = { action: 'Restart', exitCodes: { operator: 'In', values: [137] } };

const container: fc.Arbitrary<JsonObject> = fc.record(
  {
    ports: fc.constant([
      { name: 'http', containerPort: 8080 },
      { name: 'dns', containerPort: 53, protocol: 'UDP' },
    ]),
    livenessProbe: killing,
    readinessProbe: readiness,
    startupProbe: killing,
    lifecycle: fc.constantFrom({}, { preStop: { exec: { command: ['sleep', '1'] } } }),
    restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
    restartPolicyRules: fc.constantFrom([], [rule]),
  },
  { requiredKeys: ['ports'] },
);

const podSpec: fc.Arbitrary<JsonObject> = fc.record(
  {
    terminationGracePeriodSeconds: fc.oneof(graceSeconds, fc.constant(0)),
    restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
  },
  { requiredKeys: [] },
);

const pod = fc.tuple(container, podSpec).map(([own, spec]) => podWith(own, spec));

/** The figures of a probe that cannot work are left out, unless a policy says that the probe works. */
const TRUSTED = policySet(
  clusterPolicyDocument({ checks: { 'named-port': { action: 'Off' }, 'other-protocol': { action: 'Off' } } }),
);

/** How `explain` shows the only container of a manifest. */
function explained(manifest: JsonObject): ContainerExplanation {
  const settings = { snapshot: TRUSTED, namespace: 'apps', kinds: KNOWN_KINDS, now: NOW };
  const [only] = explainManifest(manifest, 'a.yaml:1:1', settings)?.containers ?? [];
  if (only === undefined) throw new Error('no container is explained');
  return only;
}

const spanOf = ({ figures }: ContainerExplanation, id: FigureId): Span | undefined => figureOf(figures, id)?.span;

const letterOf = ({ probes }: ContainerExplanation, kind: ProbeKind | undefined, letter: string): number | undefined =>
  probes.find((probe) => probe.kind === kind)?.letters[letter];

/** The groups of a pattern as numbers; groups that match nothing are left out. */
function numbersIn(text: string, pattern: RegExp): number[] {
  const found = pattern.exec(text);
  if (found === null) throw new Error(`${pattern.source} is not in: ${text}`);
  return found
    .slice(1)
    .filter((group) => (group as string | undefined) !== undefined)
    .map(Number);
}

function onEach(arbitrary: fc.Arbitrary<JsonObject>, holds: (manifest: JsonObject) => void): void {
  fc.assert(fc.property(arbitrary, holds), { numRuns: runs(400) });
}

it('the summary has at most five lines, none wider than a terminal, and no number that the details lack', () => {
  onEach(pod, (manifest) => {
    const { summary, figures, caveats } = explained(manifest);
    expect(summary.length).toBeLessThanOrEqual(5);
    const known = new Set(figures.flatMap(({ span }) => [span.earliest, span.latest]));
    for (const { about, text } of summary) {
      if (about === 'note') {
        const first = text.replace(/^\(1 of \d+\) /, '');
        expect(caveats.some((caveat) => caveat.startsWith(first))).toBe(true);
        continue;
      }
      // The text is cut at the edge of the terminal, which only absurd numbers reach.
      if (!/\d{7}/.test(text)) expect(`    ${about.padEnd(8)} ${text}`.length).toBeLessThanOrEqual(118);
      for (const [number] of text.replace(/\(.*?\)/g, '').matchAll(/\d+(?=(?: to \d+)? s\b)/g))
        expect(known).toContain(Number(number));
    }
  });
});

describe('the start', () => {
  it('startup-budget names the guaranteed and the longest start', () =>
    onEach(pod, (manifest) => {
      const span = spanOf(explained(manifest), 'time-to-start');
      const found = findings('startup-budget', manifest, { minimumSeconds: 2 ** 31 - 1 });
      const pattern = /only (\d+) s guaranteed to start \(at most (\d+) s\)/;
      expect(found.map(({ message }) => numbersIn(message, pattern))).toEqual(
        span === undefined ? [] : [[span.earliest, span.latest]],
      );
    }));

  it('void-initial-delay names the delay and the guaranteed start', () =>
    onEach(pod, (manifest) => {
      const model = explained(manifest);
      const guaranteed =
        letterOf(model, 'startupProbe', 'D') === undefined ? 0 : spanOf(model, 'time-to-start')?.earliest;
      const delays = (['livenessProbe', 'readinessProbe'] as const)
        .map((kind) => letterOf(model, kind, 'D') ?? 0)
        .filter((delay) => delay > 0 && delay < (guaranteed ?? 0));
      const found = findings('void-initial-delay', manifest);
      const pattern = /by (\d+) s from its start, .* guards for (\d+) s/;
      expect(found.map(({ message }) => numbersIn(message, pattern))).toEqual(delays.map((D) => [D, guaranteed]));
    }));

  it('delayed-liveness gives a startup probe that guarantees the time that it names, and no less than before', () =>
    onEach(pod, (manifest) => {
      const [found] = findings('delayed-liveness', manifest, { seconds: 0 });
      const before = explained(manifest);
      const isGate =
        letterOf(before, 'livenessProbe', 'D') !== undefined && letterOf(before, 'startupProbe', 'D') === undefined;
      expect(found !== undefined).toBe(isGate);
      if (found === undefined) return;
      const pattern = /not watched for (\d+) s .* write (startupProbe: \{.*\}) \(guarantees (\d+) s to start\)/;
      const [, delay, yaml = '', guaranteed] = pattern.exec(`${found.message}; ${found.remedy ?? ''}`) ?? [];
      // No advice makes Ready come more than 5 s later.
      if (found.edits === undefined) return;
      expect(Number(delay)).toBe(letterOf(before, 'livenessProbe', 'D'));
      const [own = {}] = (manifest['spec'] as { containers: JsonObject[] }).containers;
      const after = explained(podWith({ ...own, ...(parse(yaml) as JsonObject) }));
      expect(spanOf(after, 'time-to-start')?.earliest).toBe(Number(guaranteed));
      expect(Number(guaranteed)).toBeGreaterThanOrEqual(spanOf(before, 'time-to-start')?.earliest ?? 0);
    }));

  it('progress-deadline names the longest start and the time to Ready', () => {
    const deployment = fc
      .tuple(container, podSpec)
      // Without both, a Pod is Ready as soon as it runs.
      .filter(([own]) => own['startupProbe'] !== undefined || own['readinessProbe'] !== undefined)
      .map(([own, spec]) => deploymentWith(own, { progressDeadlineSeconds: 0 }, spec));
    onEach(deployment, (manifest) => {
      const model = explained(manifest);
      const start = spanOf(model, 'time-to-start')?.latest ?? 0;
      const ready = (spanOf(model, 'ready-again')?.latest ?? 0) - (letterOf(model, 'readinessProbe', 'T') ?? 0);
      const found = findings('progress-deadline', manifest);
      const pattern = /may take (\d+) s to start, (\d+) s to be Ready .* progressDeadlineSeconds: (\d+) or more/;
      expect(found.map(({ message, remedy }) => numbersIn(`${message}; ${remedy ?? ''}`, pattern))).toEqual(
        start + ready === 0 ? [] : [[start, ready, Math.ceil((start + ready) / 60) * 60]],
      );
    });
  });
});

describe('a fault', () => {
  it('slow-detection names the time to the dead container, and its parts', () =>
    onEach(pod, (manifest) => {
      const model = explained(manifest);
      const [stop, dead] = [spanOf(model, 'deadlock-stop')?.latest, spanOf(model, 'deadlock-dead')?.latest];
      const found = findings('slow-detection', manifest, { maximumSeconds: 0 }).filter(
        ({ probe }) => probe === 'livenessProbe',
      );
      expect(found).toHaveLength(dead === undefined ? 0 : 1);
      if (found[0] === undefined || stop === undefined || dead === undefined) return;
      const pattern = /hang for (\d+) s .*\((\d+) s of probes, (\d+) s of grace(?:, (\d+) s after its preStop hook)?\)/;
      const [total, probing, ...killing] = numbersIn(found[0].message, pattern);
      expect([total, probing]).toEqual([dead, stop]);
      expect(killing.reduce((sum, seconds) => sum + seconds, 0)).toBe(dead - stop);
    }));

  it('slow-detection names the time until readiness stops the traffic', () =>
    onEach(pod, (manifest) => {
      const drained = spanOf(explained(manifest), 'not-ready')?.latest;
      const found = findings('slow-detection', manifest, { readinessSeconds: 0 }).filter(
        ({ probe }) => probe === 'readinessProbe',
      );
      expect(found.map(({ message }) => numbersIn(message, /hang for (\d+) s before readiness/))).toEqual(
        drained === undefined ? [] : [[drained]],
      );
    }));

  it('shared-endpoint and killed-before-drained name the earliest kill and the end of traffic', () =>
    onEach(pod, (manifest) => {
      const model = explained(manifest);
      const [kill, drained] = [spanOf(model, 'deadlock-stop')?.earliest, spanOf(model, 'not-ready')?.latest];
      const found = ['shared-endpoint', 'killed-before-drained']
        .flatMap((id) => findings(id, manifest))
        // A note about the endpoint of the start has no figures.
        .filter(({ message }) => !message.includes('at the start only'));
      const pattern = /(?:restarted|restart it after) (\d+) s\b.* up to (\d+) s/;
      const expected = kill !== undefined && drained !== undefined && kill <= drained ? [[kill, drained]] : [];
      expect(found.map(({ message }) => numbersIn(message.replace('(up', ' up'), pattern))).toEqual(expected);
    }));

  it("grace-period names the grace period of the probe's kill", () =>
    onEach(pod, (manifest) => {
      const model = explained(manifest);
      for (const { probe, message } of findings('grace-period', manifest)) {
        const [own, pods] = numbersIn(message, /gets (\d+) s to end .* than the Pod's (\d+) s/);
        expect(own).toBe(letterOf(model, probe, 'G'));
        expect(pods).toBeLessThan(own ?? 0);
      }
    }));

  it('timeout-over-period names the time that hanging probes take', () =>
    onEach(pod, (manifest) => {
      const model = explained(manifest);
      const found = findings('timeout-over-period', manifest);
      expect(found.map(({ probe }) => probe).sort()).toEqual(
        model.probes
          .filter(({ letters: { P = 0, T = 0 } }) => T > P)
          .map(({ kind }) => kind)
          .sort(),
      );
      for (const { probe, message } of found) {
        const [seconds] = numbersIn(message, /failures? takes? (\d+) s\)/);
        const id = {
          startupProbe: 'time-to-start',
          livenessProbe: 'deadlock-stop',
          readinessProbe: 'not-ready',
        } as const;
        const latest = probe && spanOf(model, id[probe])?.latest;
        const waiting =
          (probe === 'startupProbe' ? (letterOf(model, probe, 'D') ?? 0) : 0) + (letterOf(model, probe, 'P') ?? 0);
        expect(seconds).toBe((latest ?? 0) - waiting);
      }
    }));
});

/** A Pod whose probes may also name a port that the container does not declare: those probes have no figures. */
const podWithMuteProbes = fc
  .tuple(pod, fc.array(fc.constantFrom('startupProbe', 'livenessProbe', 'readinessProbe'), { maxLength: 2 }))
  .map(([manifest, kinds]) => {
    const [own = {}] = (manifest['spec'] as { containers: JsonObject[] }).containers;
    const mute = kinds.map((kind) => [kind, { tcpSocket: { port: 'nope' } }]);
    return podWith({ ...own, ...(Object.fromEntries(mute) as JsonObject) });
  });

describe('what makes figures not hold', () => {
  it('liveness-never-restarts speaks of exactly the containers that explain leaves dead', () =>
    onEach(pod, (manifest) => {
      const { scenes } = explained(manifest);
      const captions = scenes.flatMap(({ lanes }) =>
        lanes.flatMap(({ segments }) => segments.map(({ caption }) => caption)),
      );
      const staysDead = captions.some((caption) => caption.includes('is not started again'));
      expect(findings('liveness-never-restarts', manifest).length > 0).toBe(staysDead);
    }));

  it('named-port speaks of exactly the port names that explain warns about', () =>
    onEach(podWithMuteProbes, (manifest) => {
      const undeclared = findings('named-port', manifest).filter(({ message }) =>
        message.includes('declares no port named'),
      );
      const faults = explained(manifest).caveats.filter((caveat) => caveat.includes('does not declare port'));
      const warned = faults.map((caveat) => caveat.split(':')[0]);
      expect(undeclared.map(({ probe }) => probe)).toEqual(warned);
    }));
});
