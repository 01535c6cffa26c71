import { expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { ByNamespace } from '../../src/engine/facts/by-namespace.ts';
import { NO_FACTS } from '../../src/engine/facts/facts.ts';
import { Snapshot } from '../../src/engine/facts/snapshot.ts';
import { exceptionEnds } from '../../src/observer/scan/scan-lists.ts';
import { exceptionDocument, parsedException } from '../support/exceptions.ts';

const DAY = 86_400_000;
const END = Date.parse('2026-08-01T00:00:00Z');
const CREATED = Date.parse('2026-05-01T12:00:00Z');

it('the namespaces of exceptions are found at the instant at which an exception ends', () => {
  const shop = ['2026-08-01T00:00:00Z', '2026-12-01T00:00:00Z'].map((expires) => exceptionDocument({ expires }));
  const blog = exceptionDocument({ expires: '2027-01-01T00:00:00Z' }, { creationTimestamp: '2026-05-01T12:00:00Z' });
  const exceptions = new ByNamespace(
    new Map([
      ['shop', shop.map(parsedException)],
      ['blog', [parsedException(blog)]],
    ]),
  );
  const snapshot = Snapshot.of(CHECK_CATALOGUE, [], { ...NO_FACTS, exceptions });
  expect([...exceptionEnds(snapshot, END - 1, END)]).toEqual(['shop']);
  expect([...exceptionEnds(snapshot, END - 2, END - 1)]).toEqual([]);
  expect([...exceptionEnds(snapshot, END, END + 1)]).toEqual([]);
  // A policy may limit how many days an exception counts from its creation.
  expect([...exceptionEnds(snapshot, CREATED + 30 * DAY - 1, CREATED + 30 * DAY)]).toEqual(['blog']);
  expect([...exceptionEnds(undefined, 0, END)]).toEqual([]);
});
