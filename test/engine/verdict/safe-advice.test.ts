import { describe, expect, it } from 'vitest';
import { withSafeAdvice } from '../../../src/engine/verdict/safe-advice.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

/** A violation of a check, with the edit that sets a field. */
function violation(check: string, field?: string, value: unknown = 1): Violation {
  return {
    check,
    action: 'Warn',
    container: 'app',
    path: ['a'],
    message: check,
    remedy: `write ${field ?? 'something'}`,
    ...(field !== undefined && { edits: [{ path: [field], value }] }),
  };
}

/** Judges by the fields that an object has. */
const judgeBy =
  (rules: readonly [found: (object: JsonObject) => boolean, violation: Violation][]) =>
  (object: JsonObject): Violation[] =>
    rules.filter(([found]) => found(object)).map(([, each]) => each);

const editsOf = (rules: Parameters<typeof judgeBy>[0], object: JsonObject = {}): unknown[] =>
  withSafeAdvice(object, judgeBy(rules)(object), judgeBy(rules)).map(({ edits }) => edits);

describe('the advice of violations', () => {
  it('stays when it removes the violation and causes no other', () =>
    expect(editsOf([[({ a }) => a !== 1, violation('one', 'a')]])).toEqual([[{ path: ['a'], value: 1 }]]));

  it('is removed when the violation remains, and the words remain', () => {
    const stubborn = violation('one', 'a');
    const judged = withSafeAdvice({}, [stubborn], () => [stubborn]);
    expect(judged).toEqual([violation('one')].map((each) => ({ ...each, remedy: 'write a' })));
  });

  it('is removed when it causes a violation without advice', () =>
    expect(
      editsOf([
        [({ a }) => a !== 1, violation('one', 'a')],
        [({ a }) => a === 1, violation('two')],
      ]),
    ).toEqual([undefined]));

  it('is extended by the advice of a violation that it causes', () =>
    expect(
      editsOf([
        [({ a }) => a !== 1, violation('one', 'a')],
        [({ a, b }) => a === 1 && b !== 2, violation('two', 'b', 2)],
      ]),
    ).toEqual([
      [
        { path: ['a'], value: 1 },
        { path: ['b'], value: 2 },
      ],
    ]));

  it('says which of the edits that another violation adds is written, behind words that remove', () => {
    const probe = ['spec', 'livenessProbe'];
    const one: Violation = { ...violation('one', 'a', null), remedy: 'remove a', probe: 'livenessProbe', path: probe };
    const two: Violation = { ...violation('two'), edits: [{ path: [...probe, 'timeoutSeconds'], value: 5 }] };
    const judge = judgeBy([
      [({ a }) => a !== undefined, one],
      [({ a, spec }) => a === undefined && spec === undefined, two],
    ]);
    const remedies = withSafeAdvice({ a: 1 }, judge({ a: 1 }), judge).map(({ remedy }) => remedy);
    expect(remedies).toEqual(['remove a, and write timeoutSeconds: 5']);
  });

  it('has words for the edits that another violation adds', () => {
    const liveness = ['spec', 'containers', 0, 'livenessProbe'];
    const startup = ['spec', 'containers', 0, 'startupProbe'];
    const one: Violation = { ...violation('one', 'a'), probe: 'startupProbe', path: [...startup, 'periodSeconds'] };
    const two: Violation = {
      ...violation('two'),
      edits: [
        { path: ['spec', 'progressDeadlineSeconds'], value: 960 },
        { path: [...startup, 'failureThreshold'], value: 5 },
        { path: [...liveness, 'timeoutSeconds'], value: 2 },
        { path: [...liveness, 'initialDelaySeconds'], value: null },
        { path: ['spec', 'containers', 1, 'livenessProbe', 'timeoutSeconds'], value: 3 },
      ],
    };
    const judge = judgeBy([
      [({ a }) => a !== 1, one],
      [({ a, spec }) => a === 1 && !('progressDeadlineSeconds' in (spec as JsonObject)), two],
    ]);
    const object = { spec: { containers: [{ livenessProbe: { initialDelaySeconds: 9 } }, {}] } };
    expect(withSafeAdvice(object, judge(object), judge).map(({ remedy }) => remedy)).toEqual([
      'write a, and progressDeadlineSeconds: 960, and failureThreshold: 5, and timeoutSeconds: 2 in the livenessProbe, ' +
        'and remove initialDelaySeconds in the livenessProbe, and spec.containers[1].livenessProbe.timeoutSeconds: 3',
    ]);
  });

  it('is removed when it causes a violation of the same check about another field', () =>
    expect(
      editsOf([
        [({ a }) => a !== 1, { ...violation('one', 'a'), path: ['probe', 'timeoutSeconds'] }],
        [({ a }) => a === 1, { ...violation('one'), path: ['probe', 'periodSeconds'] }],
        [({ a }) => a !== 1, { ...violation('one'), path: ['probe', 'timeoutSeconds'] }],
      ]),
    ).toEqual([undefined, undefined]));

  it('has the later value, in words too, when the first one causes a violation that needs another', () => {
    const rules: Parameters<typeof judgeBy>[0] = [
      [({ a }) => a === undefined, violation('one', 'a')],
      [({ a }) => a === 1, violation('two', 'a', 2)],
    ];
    expect(withSafeAdvice({}, judgeBy(rules)({}), judgeBy(rules))).toMatchObject([
      { check: 'one', remedy: 'write a: 2', edits: [{ path: ['a'], value: 2 }] },
    ]);
  });

  it('neither removes nor names a field that only replaced advice wrote', () => {
    const at = (...steps: string[]): string[] => ['livenessProbe', ...steps];
    const misplaced: Violation = {
      ...violation('misplaced'),
      edits: [
        { path: at('httpGet', 'initialDelaySeconds'), value: null },
        { path: at('initialDelaySeconds'), value: 60 },
      ],
    };
    const delayed: Violation = {
      ...violation('delayed'),
      edits: [
        { path: at('initialDelaySeconds'), value: null },
        { path: ['startupProbe'], value: {} },
      ],
    };
    const probeOf = (object: JsonObject): JsonObject => object['livenessProbe'] as JsonObject;
    const judge = judgeBy([
      [(object) => 'initialDelaySeconds' in (probeOf(object)['httpGet'] as JsonObject), misplaced],
      [(object) => 'initialDelaySeconds' in probeOf(object), delayed],
    ]);
    const object = { livenessProbe: { httpGet: { initialDelaySeconds: 60 } } };
    expect(withSafeAdvice(object, judge(object), judge)).toMatchObject([
      {
        remedy: 'write startupProbe: {}, and remove httpGet.initialDelaySeconds in the livenessProbe',
        edits: [
          { path: at('httpGet', 'initialDelaySeconds'), value: null },
          { path: ['startupProbe'], value: {} },
        ],
      },
    ]);
  });

  it('is removed when the advice of two violations goes in a circle', () =>
    expect(
      editsOf([
        [({ a }) => a !== 1, violation('one', 'a')],
        [({ a }) => a === 1, violation('two', 'a', 0)],
      ]),
    ).toEqual([undefined]));

  it('has one value for one field, also in words: another value waits for the advice that is written', () => {
    const at = ['spec', 'livenessProbe', 'failureThreshold'];
    const asks = (check: string, value: number): Violation => ({
      ...violation(check),
      remedy: `write failureThreshold: ${value}`,
      edits: [{ path: at, value }],
    });
    const [good, words, more] = [asks('good', 3), asks('stubborn', 7), asks('stubborn-too', 3)];
    const judge = (object: JsonObject): Violation[] =>
      (object['spec'] as { livenessProbe?: object }).livenessProbe === undefined ? [good, words, more] : [words, more];
    expect(withSafeAdvice({ spec: {} }, judge({ spec: {} }), judge).map(({ remedy }) => remedy)).toEqual([
      'write failureThreshold: 3',
      'first apply the advice of good, and then check again',
      'write failureThreshold: 3',
    ]);
  });

  it('is not tried for a violation without edits', () => {
    const never = (): never => {
      throw new Error('judged');
    };
    const plain = [violation('one'), violation('two')];
    expect(withSafeAdvice({}, plain, never)).toBe(plain);
  });

  it('is tried for at most 200 objects', () => {
    let trials = 0;
    const many = Array.from({ length: 500 }, (_, index) => violation(`check-${index}`, `f${index}`));
    const safe = withSafeAdvice({}, many, (object) => {
      trials += 1;
      return many.filter(({ edits }) => !Object.hasOwn(object, String(edits?.[0]?.path[0])));
    });
    expect(trials).toBe(200);
    expect(safe.filter(({ edits }) => edits !== undefined)).toHaveLength(200);
  });
});
