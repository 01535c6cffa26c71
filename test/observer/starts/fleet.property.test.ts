import fc from 'fast-check';
import { PROFILE_BOUNDS } from '../../../src/engine/policy/bounds.ts';
import { expect, it } from 'vitest';
import { defaultProbes } from '../../../src/engine/defaulting/default-probes.ts';
import { readStartupProfile } from '../../../src/engine/facts/read-startup-profile.ts';
import { profileName } from '../../../src/engine/facts/startup-profile.ts';
import { figuresOf, type ContainerProfile } from '../../../src/engine/facts/read-startup-profile.ts';
import { startProbeOf } from '../../../src/observer/start-limits.ts';
import { liveContainer } from '../../support/live-container.ts';
import { guaranteedStartSeconds, probeTiming } from '../../../src/engine/time/timing.ts';
import { shortHash } from '../../../src/base/text/utf8.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { appContainer, pod, policyDocument, policySet } from '../../support/worlds.ts';
import { observeFleet, type FleetResult } from './fleet.ts';
import type { Injection } from '../../../src/engine/defaulting/injection.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { StartFigures } from '../../../src/engine/time/learned-start.ts';
import type { PodHistory } from '../../kubelet/status-history.ts';
import type { TrueStart } from '../../kubelet/truth.ts';

const LEARNED = { kubernetesProbeEndpoints: { livenessProbe: '/live' }, slowStart: { learned: {} } };
const WITHOUT = { kubernetesProbeEndpoints: { livenessProbe: '/live' } };

/** The startup probe that a container without probes gets, by this policy. */
function injected(spec: JsonObject, starts: StartFigures): Injection | undefined {
  const policy = policySet(policyDocument(spec, 'p')).policyFor('apps', new Map());
  const known = { ...policy, starts: () => starts };
  const { injections } = defaultProbes(readPod(pod([appContainer()]), POD_KIND), known);
  return injections.find(({ kind }) => kind === 'startupProbe');
}

/** True when the kubelet was restarted before the start had ended: its probes begin again, and nothing tells so. */
function hasKubeletRestarted({ truth }: PodHistory, start: TrueStart): boolean {
  return (truth.kubeletRestarts ?? []).some(({ at }) => {
    const second = truth.createdAt + at * 1000;
    // The kubelet is down for 5 s, in which a start that has begun goes on.
    return second > start.startedAt - 6000 && second < (start.readyAt ?? Infinity) + 30_000;
  });
}

interface KnownStart {
  readonly history: PodHistory;
  readonly start: TrueStart;
}

function trueStarts({ histories }: FleetResult): ReadonlyMap<string, KnownStart> {
  return new Map(
    histories.flatMap((history) => {
      const uid = String((history.truth.pod['metadata'] as JsonObject)['uid']);
      return history.starts.map((start) => [shortHash(`${uid}/${start.containerID}`), { history, start }] as const);
    }),
  );
}

/** All samples of a container are true, and each counts once. */
function expectTrue({ name, samples, killed }: ContainerProfile, truth: ReadonlyMap<string, KnownStart>): void {
  expect(new Set(samples.map(({ id }) => id)).size).toBe(samples.length);
  expect(new Set(killed.ids).size).toBe(killed.ids.length);
  for (const { id, seconds, within } of samples) {
    const { history, start } = truth.get(id) ?? expect.fail(`no start ${id}`);
    expect(start.container).toBe(name);
    if (hasKubeletRestarted(history, start)) continue;
    expect(seconds).toBeGreaterThanOrEqual(start.needed ?? Infinity);
    expect(seconds - within).toBeLessThanOrEqual(start.needed ?? 0);
  }
}

/** The budget is what the formula says, and the one without learned starts comes back. */
function expectBudget(profile: ContainerProfile): void {
  const figures = figuresOf(profile);
  const learned = injected(LEARNED, figures) ?? expect.fail('no startup probe');
  const without = injected(WITHOUT, figures);
  if (figures.starts < 5) {
    const isLong = figures.boundSeconds > 0 || figures.longestSeconds > 300;
    if (!isLong) expect(learned.probe).toEqual(without?.probe);
    expect(guaranteedStartSeconds(probeTiming(learned.probe))).toBeGreaterThanOrEqual(300);
    return;
  }
  const period = 5;
  const longest = Math.max(...profile.samples.map(({ seconds }) => seconds));
  const formula = Math.ceil(Math.max(1.5 * longest + period + 2, 2 * profile.killed.boundSeconds));
  const budget = Math.min(1800, Math.max(30, formula));
  const guaranteed = guaranteedStartSeconds(probeTiming(learned.probe));
  expect(guaranteed).toBeGreaterThanOrEqual(budget);
  expect(guaranteed).toBeLessThan(budget + period);
  expect(injected({ ...LEARNED, slowStart: { learned: null } }, figures)?.probe).toEqual(without?.probe);
}

it('1,000 containers of random truths are learned, each start once, whenever the leader is killed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const result = await observeFleet(seed, 1000);
      const truth = trueStarts(result);
      const { told, lost, workloads, profiles } = result;
      const written = { measured: new Set<string>(), killed: 0 };
      for (const { name, specs } of workloads) {
        const object = profiles.objects.get(profileName('Deployment', name));
        for (const container of (object && readStartupProfile(object)?.containers) ?? []) {
          const spec = specs.find((one) => one['name'] === container.name) ?? expect.fail(container.name);
          // Case C: a container without such a probe counts as ready at once.
          expect(startProbeOf(liveContainer(spec))).toBeDefined();
          expectTrue(container, truth);
          expectBudget(container);
          for (const { id } of container.samples) written.measured.add(id);
          written.killed += container.killed.count;
          // What has been seen of this container is written, unless only the killed leader had seen it.
          const own = [...told.measured].filter((id) => isOf(truth.get(id), name, container.name));
          if (own.length <= 30)
            expect(own.filter((id) => !lost.has(id) && !container.samples.some((one) => one.id === id))).toEqual([]);
          // A profile whose identities are full does not count a kill that comes late.
          const kills = [...told.killed].filter((id) => !lost.has(id) && isOf(truth.get(id), name, container.name));
          if (container.killed.ids.length < PROFILE_BOUNDS.killedIds)
            expect(container.killed.count).toBeGreaterThanOrEqual(kills.length);
        }
      }
      expect(result.kills).toBeGreaterThan(2);
      expect(written.measured.size).toBeGreaterThan(300);
      for (const id of written.measured) expect(told.measured).toContain(id);
      expect(written.killed).toBeLessThanOrEqual(told.killed.size);
      expect(written.killed).toBeGreaterThan(50);
    }),
    { numRuns: 1 },
  );
});

function isOf(known: KnownStart | undefined, workload: string, container: string): boolean {
  const metadata = known?.history.truth.pod['metadata'] as JsonObject | undefined;
  return known?.start.container === container && String(metadata?.['name']).startsWith(`${workload}-`);
}
