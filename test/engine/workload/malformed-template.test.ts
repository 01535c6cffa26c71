import { describe, expect, it } from 'vitest';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { malformedTemplate } from '../../../src/engine/workload/malformed-template.ts';

/** An object with a value at a path, of which `*` is the second element of a list. */
function objectWith(path: readonly string[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  return step === '*' ? [null, objectWith(rest, value)] : { [step]: objectWith(rest, value) };
}

describe.each(KNOWN_KINDS.map((kind) => [kind.kind, kind] as const))('the containers of a %s', (_, kind) => {
  const ways = kind.templatePaths.map((path) => [...path, 'spec', 'containers', '*']);

  it('are hidden by a value of another type at each step to them', () => {
    for (const way of ways)
      for (let steps = 1; steps <= way.length; steps++) {
        const path = way.slice(0, steps);
        const expected = formatPath(path.map((step) => (step === '*' ? 1 : step)));
        const found = malformedTemplate(objectWith(path, 'x'), kind);
        const wanted = way[steps] === '*' ? 'a list' : 'an object';
        expect([formatPath(found?.path ?? []), found?.message]).toEqual([expected, `must be ${wanted}, not a text`]);
      }
  });

  it('are not hidden by values of their type, or by absent ones', () => {
    for (const way of ways)
      for (let steps = 0; steps <= way.length; steps++) {
        const empty = way[steps] === '*' ? [] : {};
        for (const value of [empty, null, undefined])
          expect(malformedTemplate(objectWith(way.slice(0, steps), value), kind)).toBeUndefined();
      }
  });
});
