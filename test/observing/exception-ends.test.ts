import { expect, it } from 'vitest';
import { exceptionEnds } from '../../src/observing/scan/exception-ends.ts';
import type { Snapshot } from '../../src/facts/snapshot.ts';

const DAY = 86_400_000;

it('the namespaces of exceptions are found at the instant at which an exception ends', () => {
  const byNamespace = new Map([
    ['shop', [{ expires: 1000 }, { expires: 5000 }]],
    ['blog', [{ expires: 9_000_000_000, created: 0 }]],
  ]);
  const snapshot = { facts: { exceptions: { byNamespace } } } as unknown as Snapshot;
  expect([...exceptionEnds(snapshot, 0, 999)]).toEqual([]);
  expect([...exceptionEnds(snapshot, 999, 1000)]).toEqual(['shop']);
  expect([...exceptionEnds(snapshot, 1000, 1001)]).toEqual([]);
  // A policy may limit how many days an exception counts from its creation.
  expect([...exceptionEnds(snapshot, 30 * DAY - 1, 30 * DAY)]).toEqual(['blog']);
  expect([...exceptionEnds(undefined, 0, 1000)]).toEqual([]);
});
