import { describe, expect, it } from 'vitest';
import { EXCEPTION_BOUNDS } from '../../../src/engine/policy/bounds.ts';
import { readField } from '../../../src/engine/policy/read-field.ts';
import { formatProblem, Reader } from '../../../src/engine/policy/reader.ts';
import { readLabelSelector, selectorField } from '../../../src/engine/policy/selector-schema.ts';
import { ApiServerVerdict } from '../../crds/api-server-verdict.ts';
import { policyDocument } from '../../support/worlds.ts';

/** What a selector yields, and the problems. */
function reading(value: unknown, read: (place: Reader) => unknown = readLabelSelector) {
  const place = new Reader(value, [], []);
  return { result: read(place), problems: place.problems.map(formatProblem) };
}

const good = (...result: unknown[]): object => ({ result, problems: [] });
const problemsOf = (value: unknown): string[] => reading(value).problems;
const PREFIX = `${'p.'.repeat(126)}p`;
const NAME = 'n'.repeat(63);

describe('a label selector', () => {
  it('is a list of requirements: labels first, each as In with one value', () =>
    expect(
      reading({
        matchLabels: { app: 'shop', tier: '' },
        matchExpressions: [
          { key: 'zone', operator: 'NotIn', values: ['a', 'b'] },
          { key: 'team', operator: 'Exists' },
          { key: 'old', operator: 'DoesNotExist', values: [] },
          { key: 'app', operator: 'In', values: ['shop'] },
        ],
      }),
    ).toEqual(
      good(
        { key: 'app', operator: 'In', values: ['shop'] },
        { key: 'tier', operator: 'In', values: [''] },
        { key: 'zone', operator: 'NotIn', values: ['a', 'b'] },
        { key: 'team', operator: 'Exists', values: [] },
        { key: 'old', operator: 'DoesNotExist', values: [] },
        { key: 'app', operator: 'In', values: ['shop'] },
      ),
    ));

  it('that is empty has no requirement', () => {
    for (const empty of [{}, { matchLabels: {} }, { matchExpressions: [] }, { matchLabels: {}, matchExpressions: [] }])
      expect(reading(empty)).toEqual(good());
  });

  it.each<[unknown, string]>([
    [[], 'must be an object, not []'],
    [{ matchLabel: {} }, 'matchLabel: unknown field; did you mean "matchLabels"?'],
    [{ matchLabels: null }, 'matchLabels: must be an object, not null'],
    [{ matchLabels: { app: 1 } }, 'matchLabels.app: must be a string, not 1; put it in quotes'],
    [{ matchExpressions: {} }, 'matchExpressions: must be a list, not {}'],
    [{ matchExpressions: ['app'] }, 'matchExpressions[0]: must be an object, not "app"'],
    [{ matchExpressions: [{ operator: 'Exists' }] }, 'matchExpressions[0].key: must be a string, not nothing'],
    [
      { matchExpressions: [{ key: 'a' }] },
      'matchExpressions[0].operator: must be In or NotIn or Exists or DoesNotExist, not nothing',
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'Exists', value: 'x' }] },
      'matchExpressions[0].value: unknown field; did you mean "values"?',
    ],
  ])('cannot be %j', (value, problem) => expect(problemsOf(value)).toEqual([problem]));

  it('has as many labels, requirements and values as its bounds say', () => {
    const field = selectorField('', EXCEPTION_BOUNDS);
    const keys = (count: number): string[] => Array.from({ length: count }, (_, index) => `k${index}`);
    const labels = (count: number) => ({ matchLabels: Object.fromEntries(keys(count).map((key) => [key, 'v'])) });
    const values = (count: number) => ({ matchExpressions: [{ key: 'a', operator: 'In', values: keys(count) }] });
    const of = (value: unknown) => reading(value, (place) => readField(field, place)).problems;
    expect([of(labels(16)), of(values(32)), reading(labels(17)).problems, reading(values(33)).problems]).toEqual(
      Array(4).fill([]),
    );
    expect(of(labels(17))).toEqual(['matchLabels: must have at most 16 labels, not 17']);
    expect(of(values(33))).toEqual(['matchExpressions[0].values: must have at most 32 values, not 33']);
  });
});

describe('the key of a label', () => {
  const of = (key: string): string[] => [
    ...problemsOf({ matchLabels: { [key]: 'x' } }),
    ...problemsOf({ matchExpressions: [{ key, operator: 'Exists' }] }),
  ];

  it.each(['a', 'A', '1', 'a.b_c-d', 'app.kubernetes.io/name', 'a/B', NAME, `${PREFIX}/${NAME}`])('may be %j', (key) =>
    expect(of(key)).toEqual([]),
  );

  it.each(['', '/', 'a/', '/a', '-a', 'a-', '.a', 'a b', 'a/b/c', 'UPPER/a', 'a_b/c', `${NAME}n`, `p${PREFIX}p/a`])(
    'cannot be %j',
    (key) => {
      const problems = of(key);
      expect(problems).toHaveLength(2);
      for (const problem of problems)
        expect(problem).toMatch(
          / is not a label key: letters, digits, "-", "_" and "\.", at most 63, after an optional DNS prefix and "\/"$/,
        );
      expect(problems[1]).toMatch(/^matchExpressions\[0\]\.key: "/);
    },
  );
});

describe('the value of a label', () => {
  const of = (value: string): string[] => [
    ...problemsOf({ matchLabels: { app: value } }),
    ...problemsOf({ matchExpressions: [{ key: 'app', operator: 'In', values: [value] }] }),
  ];

  it.each(['', 'a', '1', 'a.b_c-d', NAME])('may be %j', (value) => expect(of(value)).toEqual([]));

  it.each(['-', '-a', 'a-', '.a', 'a b', 'a/b', `${NAME}n`, ' '])('cannot be %j', (value) => {
    const words = `"${value.slice(0, 55)}`;
    expect(of(value).map((problem) => problem.includes(words) && problem.includes(' is not a label value: '))).toEqual([
      true,
      true,
    ]);
  });
});

describe('a requirement', () => {
  const of = (operator: unknown, values?: unknown): string[] =>
    problemsOf({ matchExpressions: [{ key: 'a', operator, ...(values !== undefined && { values }) }] });

  it.each(['In', 'NotIn'])('%s has at least one value', (operator) => {
    for (const values of [['b'], ['b', 'c'], ['']]) expect(of(operator, values)).toEqual([]);
    for (const values of [undefined, null, []])
      expect(of(operator, values)).toEqual([
        `matchExpressions[0].values: must have at least one value with operator ${operator}`,
      ]);
  });

  it.each(['Exists', 'DoesNotExist'])('%s has no value', (operator) => {
    for (const values of [undefined, null, []]) expect(of(operator, values)).toEqual([]);
    expect(of(operator, ['b'])).toEqual([`matchExpressions[0].values: must be left out with operator ${operator}`]);
  });

  it('whose operator or values cannot be read has that problem alone', () => {
    for (const values of [undefined, ['b']])
      expect(of('Like', values)).toEqual([
        'matchExpressions[0].operator: must be In or NotIn or Exists or DoesNotExist, not "Like"',
      ]);
    for (const operator of ['In', 'Exists'])
      expect(of(operator, 'b')).toEqual(['matchExpressions[0].values: must be a list, not "b"']);
    expect(of('In', [5])).toEqual(['matchExpressions[0].values[0]: must be a string, not 5; put it in quotes']);
  });
});

describe('the API server', () => {
  const server = new ApiServerVerdict('ProbePolicy');
  const schema = server.schema.properties?.['spec']?.properties?.['workloadSelector'];
  const accepts = (workloadSelector: unknown): boolean =>
    server.problems(server.pruned(policyDocument({ workloadSelector }))).length === 0;

  it('takes a selector from one applier as a whole', () => expect(schema?.['x-kubernetes-map-type']).toBe('atomic'));

  it('bounds keys and values as Kubernetes does', () => {
    const expression = (key: string, values: string[]) => ({ matchExpressions: [{ key, operator: 'In', values }] });
    expect(accepts(expression(`${PREFIX}/${NAME}`, [NAME]))).toBe(true);
    expect(accepts(expression(`${PREFIX}p/${NAME}`, [NAME]))).toBe(false);
    expect(accepts(expression('a', [`${NAME}n`]))).toBe(false);
    const { key, values } = schema?.properties?.['matchExpressions']?.items?.properties ?? {};
    expect([key?.maxLength, values?.items?.maxLength]).toEqual([317, 63]);
  });
});
