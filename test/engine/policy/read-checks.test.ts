import { describe, expect, it } from 'vitest';
import { fieldsOfCheck, readCheckSettings } from '../../../src/engine/policy/read-checks.ts';
import { formatProblem, Reader } from '../../../src/engine/policy/reader.ts';
import type { CheckCatalogue } from '../../../src/engine/policy/check-parameters.ts';

/** Two invented checks. */
const CATALOGUE: CheckCatalogue = {
  'no-parameters': { id: 'no-parameters', summary: '', action: 'Warn', parameters: {} },
  'some-parameters': {
    id: 'some-parameters',
    summary: '',
    action: 'Off',
    parameters: {
      seconds: { type: 'integer', default: 30, minimum: 5, text: '' },
      words: {
        type: 'strings',
        default: new Set(['a']),
        count: { maximum: 3, unit: 'words', at: '' },
        length: { maximum: 5, unit: 'characters', at: '' },
        text: '',
      },
      group: {
        type: 'group',
        fields: { on: { type: 'boolean', default: true, text: '' }, limit: { type: 'integer', default: 7, text: '' } },
        text: '',
      },
    },
  },
};

/** What `spec.checks` yields, and the problems; the paths begin in `checks`. */
function reading(checks: unknown, mayHaveFloor = true): { result: unknown; problems: string[] } {
  const reader = new Reader(checks, ['checks'], []);
  const settings = readCheckSettings(CATALOGUE, reader, mayHaveFloor);
  return { result: settings && Object.fromEntries(settings), problems: reader.problems.map(formatProblem) };
}

const ofCheck = (setting: unknown, mayHaveFloor?: boolean): { result: unknown; problems: string[] } =>
  reading({ 'some-parameters': setting }, mayHaveFloor);

describe('the settings of checks', () => {
  it('are none where a policy says nothing', () => {
    for (const nothing of [undefined, null]) expect(reading(nothing)).toEqual({ result: undefined, problems: [] });
    expect(reading({})).toEqual({ result: {}, problems: [] });
    expect(reading([])).toEqual({ result: {}, problems: ['checks: must be an object, not []'] });
  });

  it('have the action and the floor that a policy sets, and no more', () => {
    expect(reading({ 'no-parameters': { action: 'Deny', floor: 'Warn' }, 'some-parameters': {} }).result).toStrictEqual(
      {
        'no-parameters': { action: 'Deny', floor: 'Warn', parameters: {} },
        'some-parameters': { parameters: {} },
      },
    );
    expect(reading({ 'no-parameters': { floor: false } }).result).toStrictEqual({
      'no-parameters': { floor: 'Off', parameters: {} },
    });
  });

  it('share one empty object for their parameters where they set none', () => {
    const settings = readCheckSettings(
      CATALOGUE,
      new Reader({ 'no-parameters': { action: 'Warn' }, 'some-parameters': {} }, [], []),
      true,
    );
    expect(settings?.get('no-parameters')?.parameters).toBe(settings?.get('some-parameters')?.parameters);
  });

  it('have the parameters that a policy sets, and a group with its defaults for the rest', () => {
    expect(ofCheck({ seconds: 5, words: ['b', 'c'] }).result).toStrictEqual({
      'some-parameters': { parameters: { seconds: 5, words: new Set(['b', 'c']) } },
    });
    expect(ofCheck({ group: { on: false } }).result).toStrictEqual({
      'some-parameters': { parameters: { group: { on: false, limit: 7 } } },
    });
  });

  it.each<[unknown, string]>([
    [{ seconds: 4 }, '.seconds: must be at least 5, not 4'],
    [{ second: 5 }, '.second: unknown field; did you mean "seconds"?'],
    [{ words: ['longer'] }, '.words[0]: must have at most 5 characters, not 6: "longer"'],
    [{ group: { off: true } }, '.group.off: unknown field; known here: on, limit'],
    [{ seconds: null }, '.seconds: must be a whole number, not null'],
    [{ action: 'Block' }, '.action: must be Off or Audit or Warn or Deny, not "Block"'],
    [{ action: null }, '.action: must be Off or Audit or Warn or Deny, not null'],
    ['Deny', ': must be an object; write { action: Deny }'],
    [true, ': must be an object, not true'],
    [null, ': must be an object, not null'],
  ])('cannot be %j', (setting, problem) => {
    expect(ofCheck(setting).problems).toEqual([`checks.some-parameters${problem}`]);
    expect(ofCheck(setting, false).problems).toEqual([`checks.some-parameters${problem}`]);
  });

  it('of a namespace have no floor, and no word about a floor', () => {
    for (const floor of ['Deny', 'nonsense', null])
      expect(ofCheck({ floor, seconds: 5 }, false)).toEqual({
        result: { 'some-parameters': { parameters: { seconds: 5 } } },
        problems: ['checks.some-parameters.floor: only a ClusterProbePolicy may set a floor'],
      });
    const known = (mayHaveFloor: boolean): string[] => ofCheck({ nonsense: 1 }, mayHaveFloor).problems;
    const place = 'checks.some-parameters.nonsense: unknown field; known here: ';
    expect(known(false)).toEqual([`${place}action, seconds, words, group`]);
    expect(known(true)).toEqual([`${place}action, floor, seconds, words, group`]);
    expect(ofCheck({ floor: 'nonsense' }).problems).toEqual([
      'checks.some-parameters.floor: must be Off or Audit or Warn or Deny, not "nonsense"',
    ]);
  });

  it('are of known checks', () => {
    expect(reading({ 'no-parameter': {}, 'no-parameters': {} })).toEqual({
      result: { 'no-parameters': { parameters: {} } },
      problems: ['checks.no-parameter: unknown check; did you mean "no-parameters"?'],
    });
    expect(reading({ toString: {} }).problems).toEqual([
      'checks.toString: unknown check; docs/checks.md lists the checks',
    ]);
  });

  it('are read no further than problems are listed', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, {}]));
    const { result, problems } = reading({ ...many, 'no-parameters': {} });
    expect([problems.length, result]).toEqual([101, {}]);
  });
});

describe('the fields of a check', () =>
  it('are its action, the floor of cluster policies, and its parameters', () => {
    const check = CATALOGUE['some-parameters'];
    const fields = check && fieldsOfCheck(check);
    expect(Object.keys(fields ?? {})).toEqual(['action', 'floor', 'seconds', 'words', 'group']);
    expect(fields?.['action']).toMatchObject({ type: 'action', otherwise: 'Off' });
    expect(fields?.['floor']).toMatchObject({ type: 'action', only: 'ClusterProbePolicy' });
    expect(fields?.['seconds']).toMatchObject({ type: 'integer', minimum: 5 });
  }));
