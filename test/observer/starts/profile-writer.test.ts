import { PendingStarts } from '../../../src/observer/starts/pending-starts.ts';
import { ProfileWriter, WRITE_MILLISECONDS } from '../../../src/observer/starts/profile-writer.ts';
import { ProfileStore } from './profile-store.ts';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { StartSample } from '../../../src/engine/facts/read-startup-profile.ts';
import type { MeasuredStart } from '../../../src/observer/starts/measured-start.ts';
import type { WriteResult } from '../../../src/observer/starts/profile-writer.ts';

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
    pending.add({ ...start, sample: sample(1) }, BEGIN);
    pending.add({ ...start, id: 'k', boundSeconds: 20 }, BEGIN);
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
    pending.add({ ...start, sample: sample(1) }, BEGIN);
    pending.add({ ...start, sample: { ...sample(1), seconds: 99 } }, BEGIN);
    await once(pending, profiles, BEGIN);
    expect(written(profiles)).toMatchObject({ status: { containers: [{ samples: [sample(1)] }] } });
  });

  it('keeps starts of a clock that is at most ten minutes ahead', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    for (const second of [600, 601]) pending.add({ ...start, sample: sample(second) }, BEGIN);
    await once(pending, profiles, BEGIN);
    expect(written(profiles)).toMatchObject({ status: { containers: [{ samples: [sample(600)] }] } });
  });

  it('writes nothing for starts that another leader has written, and forgets them', async () => {
    const [mine, others, profiles] = [new PendingStarts(), new PendingStarts(), new ProfileStore()];
    for (const pending of [mine, others]) pending.add({ ...start, sample: sample(1) }, BEGIN);
    await once(mine, profiles, BEGIN);
    expect(await once(others, profiles, BEGIN + 1000)).toEqual(['unchanged']);
    expect(others.size).toBe(0);
  });

  it('of a replica that does not lead forgets old starts, and keeps the later ones of the same workload', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    pending.add({ ...start, sample: sample(1) }, BEGIN);
    pending.add({ ...start, sample: sample(2) }, BEGIN + 10_000);
    pending.expire(BEGIN + 5000);
    expect(pending.workloads()).toMatchObject([{ starts: [{ seenAt: BEGIN + 10_000 }] }]);
    await once(pending, profiles, BEGIN + 20_000);
    expect(written(profiles)).toMatchObject({ status: { containers: [{ samples: [sample(2)] }] } });
    pending.add({ ...start, sample: sample(3) }, BEGIN);
    pending.expire(BEGIN + 1);
    expect(pending.size).toBe(0);
  });

  it('writes nothing for a workload that is gone, and forgets its starts', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    pending.add({ ...start, sample: sample(1) }, BEGIN);
    expect(await once(pending, profiles, BEGIN, () => Promise.resolve(undefined as never))).toEqual(['gone']);
    expect([pending.size, profiles.objects.size]).toEqual([0, 0]);
  });

  it('leaves the profile of another workload alone, and forgets the starts that have no place', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    pending.add({ ...start, sample: sample(1) }, BEGIN);
    await once(pending, profiles, BEGIN);
    const before = structuredClone(written(profiles));
    // The name of a profile has no group.
    pending.add({ ...start, workload: { ...WEB, apiVersion: 'example.com/v1' }, sample: sample(2) }, BEGIN);
    expect(await once(pending, profiles, BEGIN)).toEqual(['gone']);
    expect([pending.size, written(profiles)]).toEqual([0, before]);
  });

  it('writes a profile at most every five minutes, and only when a figure changes', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    const writer = new ProfileWriter(profiles.client(), pending, owner);
    const round = (now: number): Promise<WriteResult[]> =>
      Promise.all(writer.due(now).map((one) => writer.write(one, now, never)));
    for (let number = 0; number < 30; number++)
      pending.add({ ...start, sample: { ...sample(number), seconds: 20 } }, BEGIN);
    expect(await round(BEGIN)).toEqual(['written']);
    pending.add({ ...start, sample: { ...sample(50), seconds: 21 } }, BEGIN + 1000);
    expect(await round(BEGIN + 1000)).toEqual([]);
    expect(await round(BEGIN + WRITE_MILLISECONDS)).toEqual(['written']);
    pending.add({ ...start, sample: { ...sample(51), seconds: 20 } }, BEGIN + WRITE_MILLISECONDS);
    expect(await round(BEGIN + 2 * WRITE_MILLISECONDS)).toEqual(['unchanged']);
    expect(await round(BEGIN + 20 * WRITE_MILLISECONDS)).toEqual(['written']);
  });

  it('writes a kill at once that asks for a longer time, and other kills with the next write', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    const writer = new ProfileWriter(profiles.client(), pending, owner);
    const round = (now: number): Promise<WriteResult[]> =>
      Promise.all(writer.due(now).map((one) => writer.write(one, now, never)));
    const kill = (id: string, boundSeconds: number, now: number): void => {
      pending.add({ ...start, id, boundSeconds }, now);
    };
    pending.add({ ...start, sample: sample(1) }, BEGIN);
    expect(await round(BEGIN)).toEqual(['written']);
    kill('k1', 31, BEGIN + 40_000);
    expect(await round(BEGIN + 40_000)).toEqual(['written']);
    kill('k2', 31, BEGIN + 50_000);
    expect(await round(BEGIN + 50_000)).toEqual([]);
    kill('k3', 62, BEGIN + 60_000);
    expect(await round(BEGIN + 60_000)).toEqual(['written']);
    expect(written(profiles)).toMatchObject({ status: { containers: [{ censored: 3, censoredBoundSeconds: 62 }] } });
    kill('k4', 31, BEGIN + 70_000);
    expect(await round(BEGIN + 70_000)).toEqual([]);
    expect(await round(BEGIN + 60_000 + WRITE_MILLISECONDS)).toEqual(['written']);
  });

  it('writes a profile when the median moves by a tenth, and not for less', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    const writer = new ProfileWriter(profiles.client(), pending, owner);
    let now = BEGIN;
    let number = 0;
    const round = async (...seconds: readonly number[]): Promise<WriteResult[]> => {
      for (const one of seconds) pending.add({ ...start, sample: { ...sample(number++), seconds: one } }, now);
      now += 2 * WRITE_MILLISECONDS;
      return Promise.all(writer.due(now).map((one) => writer.write(one, now, never)));
    };
    const starts = (seconds: number): number[] => Array.from({ length: 30 }, () => seconds);
    // The longest start stays, so that the median alone moves.
    expect(await round(...starts(20), 90)).toEqual(['written']);
    expect(await round(...starts(21), 90)).toEqual(['unchanged']);
    expect(await round(...starts(22), 90)).toEqual(['written']);
  });

  it('writes a profile after the clock was set back by a day', async () => {
    const [pending, profiles] = [new PendingStarts(), new ProfileStore()];
    const writer = new ProfileWriter(profiles.client(), pending, owner);
    const results: WriteResult[] = [];
    for (const now of [BEGIN, BEGIN - 86_400_000]) {
      pending.add({ ...start, sample: { ...sample(results.length), seconds: 10 + 20 * results.length } }, now);
      for (const one of writer.due(now)) results.push(await writer.write(one, now, never));
    }
    expect(results).toEqual(['written', 'written']);
  });
});

const startOf = (namespace: string, name: string): MeasuredStart => ({
  ...start,
  namespace,
  workload: { ...WEB, name },
  sample: { ...sample(1), id: name },
});

it('a namespace with more workloads than the store holds pushes out none of another namespace', () => {
  const pending = new PendingStarts();
  pending.add(startOf('apps', 'first'), 0);
  for (let index = 0; index < 21_000; index++) pending.add(startOf('tenant', `w-${index}`), 1);
  pending.add(startOf('late', 'last'), 2);
  expect(pending.size).toBe(20_000);
  const namespaces = pending.workloads().map(({ namespace }) => namespace);
  expect([namespaces[0], namespaces.at(-1)]).toEqual(['apps', 'late']);
});

it('workloads come in the order of their oldest start, across namespaces', () => {
  const pending = new PendingStarts();
  pending.add(startOf('b', 'one'), 1);
  pending.add(startOf('a', 'two'), 2);
  pending.add(startOf('b', 'three'), 3);
  expect(pending.workloads().map(({ workload }) => workload.name)).toEqual(['one', 'two', 'three']);
});
