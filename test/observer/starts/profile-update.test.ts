import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStartupProfile } from '../../../src/engine/facts/read-startup-profile.ts';
import { figuresOf } from '../../../src/engine/facts/read-startup-profile.ts';
import { profileStatus, shownFigures, updatedProfile } from '../../../src/observer/starts/profile-update.ts';
import type { StartSample, StartupProfile } from '../../../src/engine/facts/read-startup-profile.ts';
import type { PendingStart } from '../../../src/observer/starts/pending-starts.ts';

const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const instant = (second: number): string => new Date(1.7e12 + second * 1000).toISOString().replace('.000', '');
const sample = (second: number, seconds = 10, restart = false): StartSample => ({
  seconds,
  within: 2,
  basis: 'startup',
  restart,
  node: 'n',
  at: instant(second),
  id: `s${second}`,
});
interface Kill {
  readonly id: string;
  readonly boundSeconds: number;
  readonly seenAt: number;
}
const kill = (second: number, boundSeconds = 20): Kill => ({
  id: `k${second}`,
  boundSeconds,
  seenAt: 1.7e12 + second * 1000,
});
const startsOf = (
  container: string,
  samples: StartSample[],
  killed: Kill[] = [],
  image = 'r/app:1',
): PendingStart[] => {
  const place = { namespace: 'apps', workload: WEB, container, image };
  return [
    ...samples.map((one) => ({ ...place, sample: { ...one, image }, seenAt: 0 })),
    ...killed.map((one) => ({ ...place, ...one })),
  ];
};

function updated(
  profile: StartupProfile | undefined,
  samples: StartSample[],
  killed: Kill[] = [],
  image = 'r/app:1',
): StartupProfile {
  return updatedProfile(profile, WEB, startsOf('app', samples, killed, image));
}
const app = (profile: StartupProfile) => profile.containers[0] ?? expect.fail();
const many = (from: number, count: number, restart = false): StartSample[] =>
  Array.from({ length: count }, (_, index) => sample(from + index, 10, restart));

describe('a profile', () => {
  it('keeps the last 30 starts, oldest first', () => {
    const profile = updated(updated(undefined, many(0, 20)), many(20, 20).reverse());
    expect(app(profile).samples.map(({ id }) => id)).toEqual(many(10, 30).map(({ id }) => id));
  });

  it('keeps 20 first starts beside 10 restarts, however often the container restarts', () => {
    const profile = updated(updated(undefined, many(0, 25)), many(100, 200, true));
    expect(figuresOf(app(profile)).starts).toBe(20);
    expect(app(profile).samples).toHaveLength(30);
    expect(app(updated(undefined, many(0, 40, true))).samples).toHaveLength(30);
  });

  it('counts each start once, whoever reports it, and in whatever order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(60), fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 80 }),
        fc.array(fc.nat(3), { maxLength: 80 }),
        (events, writers) => {
          const samples = events.map(([second, restart]) => sample(second, 10 + second, restart && second % 2 === 0));
          const killed = events.filter(([, , isKill]) => isKill).map(([second]) => kill(second, second));
          const once = updated(undefined, samples, killed);
          let inTurns: StartupProfile | undefined;
          for (const [index, one] of samples.entries()) {
            const again = samples.slice(Math.max(0, index - (writers[index] ?? 0)), index + 1);
            inTurns = updated(inTurns, [...again, one], killed.slice(0, index + 1));
          }
          inTurns = updated(inTurns, [], killed);
          expect(new Set(app(once).samples.map(({ id }) => id)).size).toBe(app(once).samples.length);
          expect(app(inTurns).killed.count).toBe(new Set(killed.map(({ id }) => id)).size);
          expect(figuresOf(app(inTurns)).boundSeconds).toBeLessThanOrEqual(
            Math.max(0, ...killed.map((one) => one.boundSeconds)),
          );
        },
      ),
    );
  });

  it('counts killed starts, and keeps the largest bound until 30 later starts have passed', () => {
    const killed = updated(undefined, many(0, 5), [kill(10, 20), kill(11, 35)]);
    expect(app(killed).killed).toEqual({ count: 2, boundSeconds: 35, at: instant(11), ids: ['k10', 'k11'] });
    expect(app(updated(killed, many(12, 29))).killed.boundSeconds).toBe(35);
    const outlived = updated(killed, many(12, 30));
    expect(app(outlived).killed).toMatchObject({ count: 2, boundSeconds: 0 });
    expect(app(updated(outlived, [], [kill(99, 7)])).killed).toMatchObject({ count: 3, boundSeconds: 7 });
  });

  it('does not count a killed start again whose identity has been pushed out', () => {
    const kills = Array.from({ length: 150 }, (_, index) => kill(index));
    const inTurns = updated(updated(undefined, [], kills.slice(0, 90)), [], kills.slice(90));
    expect(app(inTurns).killed).toMatchObject({ count: 150, at: instant(149) });
    expect(app(updated(inTurns, [], kills)).killed).toEqual(app(inTurns).killed);
    expect(app(updated(inTurns, [], [kill(150, 30)])).killed).toMatchObject({ count: 151, boundSeconds: 30 });
  });

  it('goes on with another tag of the image, and begins anew with another repository', () => {
    const profile = updated(undefined, many(0, 5), [kill(6)]);
    expect(app(updated(profile, [sample(9)], [], 'r/app:2@sha256:0')).samples).toHaveLength(6);
    expect(app(updated(profile, [sample(9)], [], 'r/other:1'))).toMatchObject({
      image: 'r/other:1',
      samples: [{ id: 's9' }],
      killed: { count: 0 },
    });
  });

  it('has the image of each start, and the budget of the latest image', () => {
    const first = updated(undefined, many(0, 8));
    expect(profileStatus(first)).toMatchObject({ budgetSeconds: 30 });
    const next = updated(first, [sample(9, 90)], [], 'r/app:2');
    expect(app(next).samples.map(({ image }) => image)).toEqual([...many(0, 8).map(() => 'r/app:1'), 'r/app:2']);
    expect(profileStatus(next)).toMatchObject({ starts: 9, maxSeconds: 90, budgetSeconds: 300 });
    const known = updated(next, [sample(10, 80), sample(11, 80), sample(12, 80), sample(13, 80)], [], 'r/app:2');
    expect(profileStatus(known)).toMatchObject({ budgetSeconds: 142 });
  });

  it('has no longest start before a start is known', () => {
    expect(shownFigures(app(updated(undefined, [], [kill(1)])))).toEqual({
      starts: 0,
      restarts: 0,
      budgetSeconds: 300,
    });
    expect(shownFigures(app(updated(undefined, [sample(1)])))).toMatchObject({ starts: 1, maxSeconds: 10 });
  });

  it('has no start of the future, which would push all later ones out', () => {
    const broken = updated(undefined, many(1000, 30));
    const starts = startsOf('app', [sample(5), sample(2000)]);
    expect(app(updatedProfile(broken, WEB, starts, 1.7e12 + 600_000)).samples.map(({ id }) => id)).toEqual(['s5']);
  });

  it('has at most 64 containers', () => {
    const starts = Array.from({ length: 80 }, (_, index) => startsOf(`c${index}`, [sample(1)]));
    expect(updatedProfile(undefined, WEB, starts.flat()).containers).toHaveLength(64);
  });

  it('is the same after it was written and read', () => {
    const profile = updated(undefined, many(0, 12), [kill(3)]);
    expect(readStartupProfile({ status: profileStatus(profile) })).toEqual(profile);
  });

  it('shows the figures of the slowest container', () => {
    const ofDb = [sample(1, 60), sample(2, 20), sample(3, 20), sample(4, 30), sample(5, 40), sample(6, 9, true)];
    const starts = [...startsOf('app', many(0, 4)), ...startsOf('db', ofDb, [kill(9, 50)])];
    expect(profileStatus(updatedProfile(undefined, WEB, starts))).toMatchObject({
      workload: WEB,
      container: 'db',
      starts: 5,
      restarts: 1,
      p50Seconds: 20,
      p90Seconds: 60,
      maxSeconds: 60,
      budgetSeconds: 100,
      containers: [
        { name: 'app', starts: 4, maxSeconds: 10 },
        { name: 'db', censored: 1, censoredBoundSeconds: 50 },
      ],
    });
  });
});
