import fc from 'fast-check';
import { expect, it } from 'vitest';
import { STARTUP_PROFILES } from '../../../src/cluster/sources/fact-kinds.ts';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { defaultProbes } from '../../../src/engine/defaulting/default-probes.ts';
import { guaranteedStartSeconds, probeTiming } from '../../../src/engine/time/timing.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { profileStatus, updatedProfile } from '../../../src/observer/starts/profile-update.ts';
import { appContainer, pod, policyDocument, policySet } from '../../support/worlds.ts';
import type { PendingStart } from '../../../src/observer/starts/pending-starts.ts';
import type { StartupProfile } from '../../../src/engine/facts/read-startup-profile.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const DIGEST = `sha256:${'0'.repeat(64)}`;
const IMAGES = ['r/app:1', 'r/app:2', `r/app:1@${DIGEST}`, `r/app@${DIGEST}`, 'r/app:latest', 'r/app'] as const;
const BEGIN = Date.parse('2026-11-20T10:00:00Z');

interface Event {
  readonly image: string;
  readonly seconds: number;
  readonly kind: 'start' | 'restart' | 'kill';
}

const anyEvent: fc.Arbitrary<Event> = fc.record({
  image: fc.constantFrom(...IMAGES),
  seconds: fc.oneof(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 4000 })),
  kind: fc.oneof({ weight: 8, arbitrary: fc.constant('start' as const) }, fc.constantFrom('restart', 'kill')),
});
const anyPolicy = fc.record({
  margin: fc.constantFrom(1, 1.5, 3),
  minimumStarts: fc.constantFrom(1, 3, 5),
  minimumSeconds: fc.constantFrom(1, 30),
  maximumSeconds: fc.constantFrom(30, 60, 1800),
});

function startOf({ image, seconds, kind }: Event, number: number): PendingStart {
  const place = { namespace: 'apps', workload: WEB, container: 'app', image };
  const seenAt = BEGIN + number * 60_000;
  const at = new Date(seenAt).toISOString().replace('.000', '');
  if (kind === 'kill') return { ...place, id: `k${number}`, boundSeconds: seconds, seenAt };
  const sample = { seconds, within: 2, basis: 'startup' as const, restart: kind === 'restart', node: 'n', at };
  return { ...place, sample: { ...sample, id: `s${number}`, image }, seenAt };
}

/** The seconds to start that a Pod with this image gets, by the profile as the webhook mirrors it. */
function guaranteedWith(profile: JsonObject, image: string, slowStart: JsonObject): number {
  const read = STARTUP_PROFILES.read(profile);
  if (read === undefined || read.problems !== undefined) expect.fail('no fact');
  const kept = STARTUP_PROFILES.mirrored?.(read.fact) ?? expect.fail('not kept');
  const facts = { ...NO_FACTS, starts: new ByNamespace(new Map([['apps', [kept]]])) };
  const spec = { kubernetesProbeEndpoints: { livenessProbe: '/live' }, slowStart };
  const policy = policySet(policyDocument(spec, 'p')).withFacts(facts).policyFor('apps', new Map(), WEB);
  const { injections } = defaultProbes(readPod(pod([appContainer({ image })]), POD_KIND), policy);
  const startup = injections.find(({ kind }) => kind === 'startupProbe') ?? expect.fail('no startup probe');
  return guaranteedStartSeconds(probeTiming(startup.probe));
}

function documentOf(profile: StartupProfile): JsonObject {
  return { metadata: { name: 'deployment-web' }, status: profileStatus(profile) };
}

it('no learned time is below a known start of its image, and none of a new image below 300 s or the policy', () => {
  fc.assert(
    fc.property(
      fc.array(anyEvent, { minLength: 1, maxLength: 50 }),
      anyPolicy,
      fc.option(fc.constantFrom(1, 90, 600), { nil: undefined }),
      (events, learned, startupSeconds) => {
        let profile: StartupProfile | undefined;
        for (const [number, event] of events.entries())
          profile = updatedProfile(profile, WEB, [startOf(event, number)]);
        const document = documentOf(profile ?? expect.fail('no profile'));
        const [container] = profile?.containers ?? [];
        const samples = container?.samples ?? [];
        for (const image of [...IMAGES, 'r/app:new']) {
          const own = samples.filter((sample) => sample.image === image);
          const guaranteed = guaranteedWith(document, image, { learned, ...(startupSeconds && { startupSeconds }) });
          const longest = Math.max(0, ...own.map(({ seconds }) => seconds));
          const mayMove = image === 'r/app' || image.endsWith(':latest');
          expect(guaranteed).toBeGreaterThanOrEqual(startupSeconds ?? 0);
          const isKnown = own.filter(({ restart }) => !restart).length >= learned.minimumStarts && !mayMove;
          // A number of the policy counts until enough starts are known.
          if (isKnown || startupSeconds === undefined) expect(guaranteed).toBeGreaterThanOrEqual(longest);
          if (!isKnown) expect(guaranteed).toBeGreaterThanOrEqual(startupSeconds ?? 300);
          const bound = container?.killed.boundSeconds ?? 0;
          expect(guaranteed).toBeGreaterThanOrEqual(Math.min(2 * bound, learned.maximumSeconds));
        }
      },
    ),
  );
});

it('eight starts of 12 s are no measure for the next version', () => {
  const starts = Array.from({ length: 8 }, (_, number) =>
    startOf({ image: 'r/app:1', seconds: 12, kind: 'start' }, number),
  );
  const profile = updatedProfile(undefined, WEB, starts);
  const of = (image: string, now = profile): number => guaranteedWith(documentOf(now), image, { learned: {} });
  expect([of('r/app:1'), of('r/app:2'), of('r/app'), of(`r/app:1@${DIGEST}`)]).toEqual([30, 300, 300, 300]);
  const killed = updatedProfile(profile, WEB, [startOf({ image: 'r/app:1', seconds: 31, kind: 'kill' }, 9)]);
  expect([of('r/app:1', killed), of('r/app:2', killed)]).toEqual([65, 300]);
});

it('a profile of an earlier build, whose starts name no image, keeps the safety of 300 s', () => {
  const starts = Array.from({ length: 8 }, (_, number) =>
    startOf({ image: 'r/app:1', seconds: 12, kind: 'start' }, number),
  );
  const status = profileStatus(updatedProfile(undefined, WEB, starts)) as { containers: { samples: JsonObject[] }[] };
  for (const sample of status.containers[0]?.samples ?? []) Reflect.deleteProperty(sample, 'image');
  const document = { metadata: { name: 'deployment-web' }, status: status as unknown as JsonObject };
  expect(guaranteedWith(document, 'r/app:1', { learned: {} })).toBe(300);
});
