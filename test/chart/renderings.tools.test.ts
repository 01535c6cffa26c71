import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isWithoutHelm, one, render, type Rendering } from './helm.ts';

/** A case of test/fixtures/chart/renderings.yaml, which says what the members mean. */
interface Case {
  readonly given?: Rendering;
  readonly object?: string;
  readonly at?: string;
  readonly is?: unknown;
  readonly has?: object;
  readonly with?: readonly string[];
  readonly without?: readonly string[];
}

const sentences = parse(readFileSync('test/fixtures/chart/renderings.yaml', 'utf8')) as Readonly<
  Record<string, readonly Case[]>
>;

/** The value at a path such as `webhooks.*.name`; undefined where there is none. */
function valueAt(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return value;
  if (step === '*') return (value as readonly unknown[]).map((one) => valueAt(one, rest));
  return valueAt((value as Readonly<Record<string, unknown>> | undefined)?.[step], rest);
}

/** Steps of a path: names with dots in them are in no path here. */
const stepsOf = (path: string): readonly string[] => (path === '' ? [] : path.split('.'));

describe.skipIf(isWithoutHelm('renderings.tools.test.ts'))('what the chart renders', () => {
  it.each(Object.entries(sentences))('%s', (_, cases) => {
    for (const { given, object, at = '', with: served = [], without = [], ...expected } of cases) {
      const manifests = render(given);
      const kinds = manifests.map(({ kind }) => kind);
      expect(kinds).toEqual(expect.arrayContaining([...served]));
      for (const kind of without) expect(kinds).not.toContain(kind);
      if (object === undefined) continue;
      const [kind = '', name] = object.split(' ');
      const found = valueAt(one<unknown>(manifests, kind, name), stepsOf(at));
      const text = JSON.stringify({ given, object, at });
      if ('has' in expected) expect(found, text).toMatchObject(expected.has ?? {});
      else expect(found ?? null, text).toEqual(expected.is);
    }
  });
});
