import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStartupProfile, type StartSample } from '../../../src/engine/facts/startup-profile.ts';
import { PendingStarts } from '../../../src/observer/starts/pending-starts.ts';
import { ProfileWriter, WRITE_MILLISECONDS, type WriteResult } from '../../../src/observer/starts/profile-writer.ts';
import { ProfileStore } from './profile-store.ts';
import { runs } from '../../support/runs.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const BEGIN = Date.parse('2026-11-20T10:00:00Z');
const instant = (second: number): string => new Date(BEGIN + second * 1000).toISOString().replace('.000', '');
const sample = (number: number): StartSample => ({
  seconds: 10 + (number % 40),
  within: 2,
  basis: 'startup',
  restart: false,
  node: 'n',
  at: instant(number),
  id: `s${number}`,
});

const owner = (): Promise<JsonObject> => Promise.resolve({ apiVersion: 'apps/v1', metadata: { uid: 'web-uid' } });
const start = { namespace: 'apps', workload: WEB, container: 'app', image: 'r/app:1' };
const never = new AbortController().signal;

function written(profiles: ProfileStore): JsonObject {
  return profiles.objects.get('deployment-web') ?? expect.fail('no profile');
}

describe('the writer of profiles', () => {
  async function once(
    pending: PendingStarts,
    profiles: ProfileStore,
    now: number,
    find = owner,
  ): Promise<WriteResult[]> {
    const writer = new ProfileWriter(profiles.client(), pending, find);
    return Promise.all(writer.due(now).map((one) => writer.write(one, now, never)));
  }

  it('creates a profile that its workload owns, and then writes the status', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    pending.measured({ ...start, sample: sample(1) }, BEGIN);
    pending.killed({ ...start, id: 'k', boundSeconds: 20 }, BEGIN);
    expect(await once(pending, profiles, BEGIN)).toEqual(['written']);
    expect(pending.size).toBe(0);
    expect(profiles.requests).toEqual([
      'GET startupprofiles/deployment-web',
      'POST apps/startupprofiles',
      'PUT deployment-web/status',
    ]);
    expect(written(profiles)).toMatchObject({
      kind: 'StartupProfile',
      metadata: {
        name: 'deployment-web',
        namespace: 'apps',
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'web-uid' }],
      },
      status: { workload: WEB, containers: [{ name: 'app', samples: [sample(1)], censored: 1, censoredIds: ['k'] }] },
    });
  });

  it('keeps the first end of a start that is probed again after a restart of the kubelet', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    pending.measured({ ...start, sample: sample(1) }, BEGIN);
    pending.measured({ ...start, sample: { ...sample(1), seconds: 99 } }, BEGIN);
    await once(pending, profiles, BEGIN);
    expect(written(profiles)).toMatchObject({ status: { containers: [{ samples: [sample(1)] }] } });
  });

  it('writes nothing for starts that another leader has written, and forgets them', async () => {
    const [mine, others, profiles] = [new PendingStarts(), new PendingStarts(), new ProfileStore()];
    for (const pending of [mine, others]) pending.measured({ ...start, sample: sample(1) }, BEGIN);
    await once(mine, profiles, BEGIN);
    expect(await once(others, profiles, BEGIN + 1000)).toEqual(['unchanged']);
    expect(others.size).toBe(0);
  });

  it('of a replica that does not lead forgets old starts, and keeps the later ones of the same workload', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    pending.measured({ ...start, sample: sample(1) }, BEGIN);
    pending.measured({ ...start, sample: sample(2) }, BEGIN + 10_000);
    pending.expire(BEGIN + 5000);
    expect(pending.workloads()).toMatchObject([{ since: BEGIN + 10_000 }]);
    await once(pending, profiles, BEGIN + 20_000);
    expect(written(profiles)).toMatchObject({ status: { containers: [{ samples: [sample(2)] }] } });
    pending.measured({ ...start, sample: sample(3) }, BEGIN);
    pending.expire(BEGIN + 1);
    expect(pending.size).toBe(0);
  });

  it('writes nothing for a workload that is gone, and forgets its starts', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    pending.measured({ ...start, sample: sample(1) }, BEGIN);
    expect(await once(pending, profiles, BEGIN, () => Promise.resolve(undefined as never))).toEqual(['gone']);
    expect([pending.size, profiles.objects.size]).toEqual([0, 0]);
  });

  it('writes a profile at most every five minutes, and only when a figure changes', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    const writer = new ProfileWriter(profiles.client(), pending, owner);
    const round = (now: number): Promise<WriteResult[]> =>
      Promise.all(writer.due(now).map((one) => writer.write(one, now, never)));
    for (let number = 0; number < 30; number++)
      pending.measured({ ...start, sample: { ...sample(number), seconds: 20 } }, BEGIN);
    expect(await round(BEGIN)).toEqual(['written']);
    pending.measured({ ...start, sample: { ...sample(50), seconds: 21 } }, BEGIN + 1000);
    expect(await round(BEGIN + 1000)).toEqual([]);
    expect(await round(BEGIN + WRITE_MILLISECONDS)).toEqual(['written']);
    pending.measured({ ...start, sample: { ...sample(51), seconds: 20 } }, BEGIN + WRITE_MILLISECONDS);
    expect(await round(BEGIN + 2 * WRITE_MILLISECONDS)).toEqual(['unchanged']);
    expect(await round(BEGIN + 20 * WRITE_MILLISECONDS)).toEqual(['written']);
  });

  it('writes a profile after the clock was set back by a day', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    const writer = new ProfileWriter(profiles.client(), pending, owner);
    const results: WriteResult[] = [];
    for (const now of [BEGIN, BEGIN - 86_400_000]) {
      pending.measured({ ...start, sample: { ...sample(results.length), seconds: 10 + 20 * results.length } }, now);
      for (const one of writer.due(now)) results.push(await writer.write(one, now, never));
    }
    expect(results).toEqual(['written', 'written']);
  });

  it('loses no profile and counts no start twice, whenever the leader is killed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            starts: fc.integer({ min: 0, max: 4 }),
            kills: fc.integer({ min: 0, max: 2 }),
            /** The request whose answer the leader does not get, because it is killed. */
            killedAt: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
          }),
          { minLength: 1, maxLength: 25 },
        ),
        async (rounds) => {
          const profiles = new ProfileStore();
          const replicas = [new PendingStarts(), new PendingStarts()];
          let [leader, now, starts, kills] = [0, BEGIN, 0, 0];
          const seen = { samples: [] as string[], killed: 0 };
          for (const { starts: more, kills: killed, killedAt } of [
            ...rounds,
            { starts: 0, kills: 0, killedAt: undefined },
          ]) {
            // Both replicas watch, so both see each start.
            for (let index = 0; index < more; index++) {
              const one = sample((starts += 1));
              seen.samples.push(one.id);
              for (const replica of replicas) replica.measured({ ...start, sample: one }, now);
            }
            for (let index = 0; index < killed; index++) {
              kills += 1;
              seen.killed += 1;
              for (const replica of replicas) replica.killed({ ...start, id: `k${kills}`, boundSeconds: 20 }, now);
            }
            let left = killedAt ?? Infinity;
            const client = profiles.client(() => left-- <= 0);
            const writer = new ProfileWriter(client, replicas[leader] ?? expect.fail(), owner);
            for (const pending of writer.due(now)) await writer.write(pending, now, never).catch(() => undefined);
            if (killedAt !== undefined) {
              // The process is replaced by one that knows nothing; the other replica leads.
              replicas[leader] = new PendingStarts();
              leader = 1 - leader;
            }
            now += WRITE_MILLISECONDS;
          }
          if (seen.samples.length === 0 && seen.killed === 0) return;
          // At most one replica is killed at a time, so the other one still has what was not written.
          for (const replica of replicas) {
            const writer = new ProfileWriter(profiles.client(), replica, owner);
            for (const pending of writer.due(now)) await writer.write(pending, now + 20 * WRITE_MILLISECONDS, never);
          }
          // Both replicas may have been killed before the first write.
          if (profiles.objects.size === 0) return;
          const [container] = readStartupProfile(written(profiles))?.containers ?? [];
          // The second one may have been killed between the profile and its status.
          if (container === undefined) return;
          const ids = container.samples.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          for (const id of ids) expect(seen.samples).toContain(id);
          expect(container.killed.count).toBeLessThanOrEqual(seen.killed);
          expect(new Set(container.killed.ids).size).toBe(container.killed.ids.length);
        },
      ),
      {
        numRuns: runs(300),
        examples: [
          [
            [
              { starts: 1, kills: 0, killedAt: 0 },
              { starts: 0, kills: 0, killedAt: 1 },
            ],
          ],
        ],
      },
    );
  });
});
