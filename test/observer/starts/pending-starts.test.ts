import { describe, expect, it } from 'vitest';
import { PendingStarts, sinceOf, type PendingWorkload } from '../../../src/observer/starts/pending-starts.ts';
import type { KilledStart, MeasuredStart, StartPlace } from '../../../src/observer/starts/measured-start.ts';

const placeIn = (name: string, container: string, namespace: string): StartPlace => ({
  namespace,
  workload: { apiVersion: 'apps/v1', kind: 'Deployment', name },
  container,
  image: 'r/app:1',
});
const measured = (id: string, name = 'web', container = 'app', namespace = 'apps'): MeasuredStart => ({
  ...placeIn(name, container, namespace),
  sample: { seconds: 5, within: 1, basis: 'startup', restart: false, node: 'n', at: '2026-11-20T10:00:00Z', id },
});
const killed = (id: string, container = 'app'): KilledStart => ({
  ...placeIn('web', container, 'apps'),
  id,
  boundSeconds: 30,
});

const KEY = 'apps/apps/v1/Deployment/web';
const idsIn = (workload: PendingWorkload | undefined): unknown =>
  workload?.starts.map((start) => start.sample?.id ?? `${(start as KilledStart).id}!`);
const ids = (pending: PendingStarts): unknown => idsIn(pending.find('apps', KEY));
const numbers = (length: number): string[] => Array.from({ length }, (_, index) => String(index));

describe('starts to write', () => {
  it('are kept by workload, in the order in which they were seen', () => {
    const pending = new PendingStarts();
    pending.add(measured('a'), 1);
    pending.add(killed('b'), 2);
    pending.add(measured('c', 'web', 'side'), 3);
    pending.add(measured('d', 'other'), 4);
    expect(pending.size).toBe(2);
    expect(pending.find('apps', KEY)).toMatchObject({
      key: KEY,
      namespace: 'apps',
      workload: { kind: 'Deployment', name: 'web' },
      starts: [{ seenAt: 1 }, { seenAt: 2 }, { seenAt: 3 }],
    });
    expect(ids(pending)).toEqual(['a', 'b!', 'c']);
    expect(pending.find('other', KEY)).toBeUndefined();
  });

  it('come with the workload of the oldest start first', () => {
    const pending = new PendingStarts();
    pending.add(measured('a', 'late'), 5);
    pending.add(measured('b', 'early'), 3);
    pending.add(measured('c', 'early'), 9);
    pending.add(measured('d', 'middle', 'app', 'other'), 4);
    expect(pending.workloads().map(({ workload }) => workload.name)).toEqual(['early', 'middle', 'late']);
    expect(pending.workloads().map(sinceOf)).toEqual([3, 4, 5]);
  });

  it('count once by their identity: the first end of a start is the true one', () => {
    const pending = new PendingStarts();
    pending.add(measured('a'), 1);
    pending.add(measured('a'), 2);
    pending.add(killed('a'), 3);
    pending.add(killed('a'), 4);
    pending.add(measured('a', 'web', 'side'), 5);
    expect(ids(pending)).toEqual(['a', 'a!', 'a']);
    expect(pending.find('apps', KEY)?.starts.map(({ seenAt }) => seenAt)).toEqual([1, 3, 5]);
  });

  it.each([
    ['measured', 30, (id: string) => measured(id), (id: string) => id],
    ['killed', 100, (id: string) => killed(id), (id: string) => `${id}!`],
  ])('of a container that were %s are %i at most, and the oldest goes', (_, most, start, shown) => {
    const pending = new PendingStarts();
    pending.add(measured('side', 'web', 'side'), 0);
    for (const id of numbers(most)) pending.add(start(id), 1);
    expect(ids(pending)).toEqual(['side', ...numbers(most).map(shown)]);
    pending.add(start('last'), 2);
    expect(ids(pending)).toEqual(['side', ...numbers(most).slice(1).map(shown), shown('last')]);
  });

  it('are of 64 containers of a workload at most', () => {
    const pending = new PendingStarts();
    for (const id of numbers(65)) pending.add(measured(id, 'web', `c${id}`), 1);
    expect(ids(pending)).toEqual(numbers(64));
    pending.add(measured('again', 'web', 'c0'), 2);
    expect(ids(pending)).toEqual([...numbers(64), 'again']);
  });

  it('are forgotten once they are written, but for those that have come since', () => {
    const pending = new PendingStarts();
    pending.add(measured('a'), 1);
    pending.add(measured('b'), 2);
    const written = pending.find('apps', KEY) as PendingWorkload;
    pending.add(measured('c'), 3);
    pending.drop(written);
    expect(ids(pending)).toEqual(['c']);
    pending.drop(pending.find('apps', KEY) as PendingWorkload);
    expect([ids(pending), pending.size]).toEqual([undefined, 0]);
    pending.drop(written);
    expect(pending.size).toBe(0);
  });

  it('expire where they were seen before an instant', () => {
    const pending = new PendingStarts();
    pending.add(measured('a'), 1);
    pending.add(measured('b'), 2);
    pending.add(measured('c', 'other'), 1);
    pending.expire(2);
    expect([ids(pending), pending.size]).toEqual([['b'], 1]);
  });

  it('are of 20,000 workloads at most', () => {
    const pending = new PendingStarts();
    for (const id of numbers(20_000)) pending.add(measured(id, `w${id}`), 1);
    expect(pending.size).toBe(20_000);
    pending.add(measured('last', 'last'), 2);
    expect(pending.size).toBe(20_000);
    expect(pending.find('apps', 'apps/apps/v1/Deployment/w0')).toBeUndefined();
  });
});
