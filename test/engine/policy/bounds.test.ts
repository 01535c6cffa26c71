import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { profileProblem, readStartupProfile } from '../../../src/engine/facts/read-startup-profile.ts';
import { BOUNDS, EXCEPTION_BOUNDS, MAX_SPEC_BYTES, NOT_BLANK_PATTERN } from '../../../src/engine/policy/bounds.ts';
import { parseProbeException } from '../../../src/engine/policy/read-exception.ts';
import { formatProblem } from '../../../src/engine/policy/reader.ts';
import { exceptionDocument } from '../../support/exceptions.ts';
import { PLACES, type BoundName } from './bounded-specs.ts';
import { specProblems } from './spec-problems.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** The bounds of docs/limits.md in numbers. */
const OF_POLICIES: Readonly<Record<BoundName, number>> = {
  containers: 64,
  containerName: 63,
  images: 64,
  imagePattern: 255,
  matchLabels: 64,
  matchExpressions: 64,
  expressionValues: 64,
  path: 4096,
  headers: 32,
  headerName: 256,
  headerValue: 4096,
  host: 253,
  service: 253,
  command: 64,
  commandWord: 32_768,
};

describe('a policy', () =>
  it.each(Object.entries(OF_POLICIES))('has a bound of %s: %d', (name, maximum) => {
    const bound = name as BoundName;
    for (const { path, spec } of PLACES[bound]) {
      expect(specProblems(spec(maximum))).toEqual([]);
      expect(specProblems(spec(maximum + 1))).toEqual([
        expect.stringContaining(`spec.${path}: must have at most ${maximum} ${BOUNDS[bound].unit}, not ${maximum + 1}`),
      ]);
    }
  }));

const letters = (count: number): string => 'a'.repeat(count);
const many = <T>(count: number, element: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => element(i));
const byLabels = (workloadSelector: JsonObject): JsonObject => ({ workloads: null, workloadSelector });

/** The bounds of a ProbeException in numbers, and specs that have so many. */
const OF_EXCEPTIONS: Readonly<
  Record<keyof typeof EXCEPTION_BOUNDS, readonly [maximum: number, path: string, spec: (count: number) => JsonObject]>
> = {
  checks: [64, 'checks', (count) => ({ checks: many(count, (index) => `check-${index}`) })],
  workloads: [
    64,
    'workloads',
    (count) => ({ workloads: many(count, (index) => ({ kind: 'Deployment', name: `w${index}` })) }),
  ],
  workloadKind: [
    63,
    'workloads[0].kind',
    (count) => ({ workloads: [{ kind: `K${letters(count - 1)}`, name: 'web' }] }),
  ],
  workloadName: [253, 'workloads[0].name', (count) => ({ workloads: [{ kind: 'Deployment', name: letters(count) }] })],
  matchLabels: [
    16,
    'workloadSelector.matchLabels',
    (count) => byLabels({ matchLabels: Object.fromEntries(many(count, (index) => [`k${index}`, 'v'])) }),
  ],
  matchExpressions: [
    16,
    'workloadSelector.matchExpressions',
    (count) => byLabels({ matchExpressions: many(count, (index) => ({ key: `k${index}`, operator: 'Exists' })) }),
  ],
  expressionValues: [
    32,
    'workloadSelector.matchExpressions[0].values',
    (count) =>
      byLabels({ matchExpressions: [{ key: 'a', operator: 'In', values: many(count, (index) => `v${index}`) }] }),
  ],
  owner: [128, 'owner', (count) => ({ owner: letters(count) })],
  reason: [512, 'reason', (count) => ({ reason: letters(count) })],
  ticket: [128, 'ticket', (count) => ({ ticket: letters(count) })],
  expires: [64, 'expires', (count) => ({ expires: '2027-01-31T00:00:00Z'.padEnd(count) })],
};

describe('a ProbeException', () => {
  const catalogue = Object.fromEntries(
    many(65, (index) => [
      `check-${index}`,
      { id: `check-${index}`, summary: '', action: 'Warn', parameters: {} } as const,
    ]),
  );
  const problems = (spec: JsonObject): string[] => {
    const parsed = parseProbeException({ ...CHECK_CATALOGUE, ...catalogue }, exceptionDocument(spec));
    return parsed.problems !== undefined ? parsed.problems.map(formatProblem) : [];
  };

  it.each(Object.entries(OF_EXCEPTIONS))('has a bound of %s', (name, [maximum, path, spec]) => {
    // An instant has fewer characters than its bound, and a name has the bound of Kubernetes.
    const isBounded = (problem: string): boolean => / must have at most | is not an object name/.test(problem);
    expect(problems(spec(maximum)).filter(isBounded)).toEqual([]);
    const beyond = problems(spec(maximum + 1)).filter(isBounded);
    expect(beyond).toHaveLength(1);
    expect(beyond[0]?.startsWith(`spec.${path}: `)).toBe(true);
    expect(EXCEPTION_BOUNDS[name as keyof typeof EXCEPTION_BOUNDS].maximum).toBe(maximum);
  });

  it('has a reason of at least 10 characters', () => {
    expect(problems({ reason: letters(10) })).toEqual([]);
    expect(problems({ reason: letters(9) })).toEqual(['spec.reason: must have at least 10 characters, not 9']);
  });
});

const container = (members: JsonObject): JsonObject => ({ containers: [{ name: 'app', ...members }] });

describe('a StartupProfile', () => {
  const places: readonly (readonly [maximum: number, path: string, status: (count: number) => JsonObject])[] = [
    [64, 'containers', (count) => ({ containers: many(count, (index) => ({ name: `c${index}` })) })],
    [63, 'containers[0].name', (count) => container({ name: letters(count) })],
    [1024, 'containers[0].image', (count) => container({ image: letters(count) })],
    [30, 'containers[0].samples', (count) => container({ samples: many(count, () => ({})) })],
    [100, 'containers[0].censoredIds', (count) => container({ censoredIds: many(count, () => 'k') })],
    [64, 'containers[0].censoredIds[0]', (count) => container({ censoredIds: [letters(count)] })],
    [253, 'workload.name', (count) => ({ workload: { name: letters(count) } })],
  ];

  it.each(places)('has a bound of %d in %s', (maximum, path, status) => {
    expect(profileProblem({ status: status(maximum) })).toBeUndefined();
    const problem = profileProblem({ status: status(maximum + 1) });
    expect(problem && formatProblem(problem)).toContain(`status.${path}: must have at most ${maximum} `);
  });
});

describe('a start', () =>
  it('is learned from, and takes at most a day', () => {
    const learned = (spec: JsonObject): string[] => specProblems({ slowStart: { learned: spec } });
    expect(learned({ minimumStarts: 30 })).toEqual([]);
    expect(learned({ minimumStarts: 31 })).toHaveLength(1);
    const kept = (seconds: number): number | undefined => {
      const samples = [{ seconds, basis: 'startup', at: '2026-11-20T10:00:00Z', id: 'a' }];
      const workload = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
      return readStartupProfile({ status: { workload, ...container({ samples }) } })?.containers[0]?.samples.length;
    };
    expect([kept(86_400), kept(86_401)]).toEqual([1, 0]);
  }));

describe('a spec', () => it('has at most 64 KiB as JSON', () => expect(MAX_SPEC_BYTES).toBe(65_536)));

describe('a text that is not blank', () =>
  it('has a character other than white space', () => {
    const isGood = (text: string): boolean => new RegExp(NOT_BLANK_PATTERN).test(text);
    expect(['a', ' a ', '\n-'].map(isGood)).toEqual([true, true, true]);
    expect(['', ' ', '\t\r\n '].map(isGood)).toEqual([false, false, false]);
  }));
