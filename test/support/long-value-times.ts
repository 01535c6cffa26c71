import { describe, expect, it } from 'vitest';
import { mutate, validate } from './decisions.ts';
import { everyCheck, FIELDS, LISTS, longText, podOfContainers, UNITS } from './long-values.ts';
import { NOW } from './now.ts';
import { slowdownOfProcessor } from './slowdown.ts';
import { requestOf, reviewOf, VALIDATE_SETTINGS } from './worlds.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/*
 * A tenant writes any text into any field, up to the size of an object (etcd: 1.5 MiB). Time in proportion to the
 * length is harmless. Time that grows with the square of the length stops a replica for seconds.
 */

/** No decision takes more than so many times the time of the same object with a short field. */
const MOST_TIMES = 20;
/** Shorter times are too short to compare. */
const FLOOR_MILLISECONDS = 5;
/** Two lists of so many entries are within the limit on the elements of an object (scope.ts). */
const MOST_ENTRIES = 2400;
/** The least time of so many runs counts, because a garbage collection belongs to nobody. */
const RUNS = 12;

const policies = everyCheck();

/** The largest processor time of a decision: of both about a Pod, and of the one about a Deployment of the Pod. */
function milliseconds(object: JsonObject, text: string): number {
  const request = { ...requestOf(reviewOf(object)), textLength: text.length };
  const template = { metadata: object['metadata'], spec: object['spec'] };
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { template } };
  const ofController = { ...requestOf(reviewOf(deployment)), textLength: text.length };
  const decisions = [
    () => mutate(request, policies, 'On', NOW),
    () => validate(request, policies, VALIDATE_SETTINGS, NOW),
    () => validate(ofController, policies, VALIDATE_SETTINGS, NOW),
  ];
  return Math.max(...decisions.map(processorTime));
}

function processorTime(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Compares an object with its short twin, side by side. */
function expectSimilarTime(short: JsonObject, long: JsonObject, what: string): void {
  const text = JSON.stringify(long);
  let [least, limit] = [Infinity, 0];
  for (let run = 0; run < RUNS; run++) {
    limit = Math.max(limit, MOST_TIMES * Math.max(FLOOR_MILLISECONDS, milliseconds(short, '')));
    least = Math.min(least, milliseconds(long, text));
    if (least <= limit) return;
  }
  // The shortest time that is compared is longer on a slower processor.
  expect(least, `milliseconds for ${what}`).toBeLessThanOrEqual(limit * slowdownOfProcessor());
}

/** Rows of a table with their numbers. */
function numbered<T>(table: Readonly<Record<string, T>>): readonly [name: string, value: T, index: number][] {
  return Object.entries(table).map(([name, value], index) => [name, value, index]);
}

/**
 * Tests the time of decisions about Pods with a long value in one field.
 *
 * @param length characters of all long texts of a Pod together
 * @param unitsOf what the texts of a field repeat, by the number of the field
 */
export function describeLongValues(length: number, unitsOf: (field: number) => readonly string[] = () => UNITS): void {
  describe('the time of a decision does not explode with a long value', () => {
    it.each(numbered(FIELDS))('in %s', (name, podOf, index) => {
      for (const unit of unitsOf(index))
        expectSimilarTime(podOf('x'), podOf(longText(unit, length)), `${name} of ${JSON.stringify(unit)}`);
    });

    it.each(numbered(LISTS))('in %s', (name, podOf, index) => {
      for (const unit of unitsOf(index)) {
        // Short texts until the object has as many elements as it may have, and long texts until it is full.
        for (const count of [Math.min(length / 32, MOST_ENTRIES), length / 4096]) {
          const texts = Array<string>(count).fill(longText(unit, length / count));
          expectSimilarTime(podOf(['x']), podOf(texts), `${name}: ${count} times ${JSON.stringify(unit)}`);
        }
      }
    });

    it('in many containers', () => {
      const podOf = (text: string): JsonObject => podOfContainers(Array<string>(100).fill(text));
      for (const unit of unitsOf(0))
        expectSimilarTime(podOf('x'), podOf(longText(unit, length / 100)), `containers of ${JSON.stringify(unit)}`);
    });
  });
}
