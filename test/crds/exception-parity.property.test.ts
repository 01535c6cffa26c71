import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { MAX_SPEC_BYTES } from '../../src/engine/policy/bounds.ts';
import { parseProbeException } from '../../src/engine/policy/read-exception.ts';
import { formatProblem } from '../../src/engine/policy/reader.ts';
import { exceptionDocument } from '../support/exceptions.ts';
import { ApiServerVerdict } from './api-server-verdict.ts';
import { anySpec } from './policy-specs-arbitrary.ts';
import { runs } from '../support/runs.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const server = new ApiServerVerdict('ProbeException');

/** Both verdicts on what the server goes on with. True when both accept; throws when they differ. */
function agreedVerdict(document: JsonObject): boolean {
  const pruned = server.pruned(document);
  const parsed = parseProbeException(CHECK_CATALOGUE, pruned);
  const objections = {
    server: server.problems(pruned),
    parser: parsed.problems !== undefined ? parsed.problems.map(formatProblem) : [],
  };
  const accepted = objections.server.length === 0;
  if (accepted !== (objections.parser.length === 0))
    throw new Error(`verdicts differ on\n${JSON.stringify(pruned)}\n${JSON.stringify(objections, undefined, 2)}`);
  return accepted;
}

const { workloads, ...rest } = exceptionDocument({ containers: ['app'], ticket: 'PAY-1' })['spec'] as JsonObject;
const workloadSelector = {
  matchLabels: { app: 'web' },
  matchExpressions: [
    { key: 'a/b', operator: 'In', values: ['c'] },
    { key: 'tier', operator: 'Exists' },
  ],
};
const VALID = fc.constantFrom<JsonObject[]>({ ...rest, workloads }, { ...rest, workloadSelector });

/** A selector with labels as long as labels may be. */
function selecting(labels: number, requirements: number, values: number): JsonObject {
  const key = (index: number): string => `${'p.'.repeat(126)}p/${String(index).padStart(63, 'k')}`;
  const indices = (count: number): number[] => [...Array(count).keys()];
  return {
    workloads: null,
    workloadSelector: {
      matchLabels: Object.fromEntries(indices(labels).map((index) => [key(index), 'v'.repeat(63)])),
      matchExpressions: indices(requirements).map((index) => ({
        key: key(index),
        operator: 'NotIn',
        values: indices(values).map((value) => String(value).padStart(63, 'v')),
      })),
    },
  };
}

describe('the schema of a ProbeException and its parser', () => {
  it('accept the same exceptions, and refuse the same', () => {
    const verdicts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(anySpec('ProbeException', VALID), (spec) => {
        verdicts[agreedVerdict({ ...exceptionDocument(), spec }) ? 'accepted' : 'refused']++;
      }),
      { numRuns: runs(3000) },
    );
    expect(verdicts.accepted).toBeGreaterThan(0);
    expect(verdicts.refused).toBeGreaterThan(0);
  });

  it.each<[string, JsonObject]>([
    ['both ways to name workloads', { workloadSelector: {} }],
    ['no way to name workloads', { workloads: null }],
    ['65 workloads', { workloads: Array.from({ length: 65 }, (_, i) => ({ kind: 'Deployment', name: `w${i}` })) }],
    ['a check twice', { checks: ['named-port', 'named-port'] }],
    ['a container twice', { containers: ['a', 'a'] }],
    ['no checks', { checks: [] }],
    ['no containers', { containers: [] }],
    ['17 labels', selecting(17, 16, 32)],
    ['17 requirements', selecting(16, 17, 32)],
    ['33 values', selecting(16, 16, 33)],
  ])('refuse an exception with %s', (_, changes) => expect(agreedVerdict(exceptionDocument(changes))).toBe(false));

  it.each<[string, JsonObject]>([
    ['every workload of the namespace', { workloads: null, workloadSelector: {} }],
    ['64 workloads', { workloads: Array.from({ length: 64 }, (_, i) => ({ kind: 'Deployment', name: `w${i}` })) }],
    ['containers and a ticket', { containers: ['a', 'b'], ticket: 'PAY-1' }],
    ['a selector at its bounds', selecting(16, 16, 32)],
  ])('accept an exception with %s', (_, changes) => expect(agreedVerdict(exceptionDocument(changes))).toBe(true));

  it('bound a spec to less than 64 KiB as JSON', () => {
    const spec = {
      ...selecting(16, 16, 32),
      checks: Object.keys(CHECK_CATALOGUE).slice(0, 64),
      containers: [...Array(64).keys()].map((index) => String(index).padStart(63, 'c')),
      owner: '\u0001'.repeat(127) + 'o',
      reason: '\u0001'.repeat(511) + 'r',
      ticket: '\u0001'.repeat(127) + 't',
    };
    expect(agreedVerdict(exceptionDocument(spec))).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(exceptionDocument(spec)['spec']))).toBeLessThan(MAX_SPEC_BYTES);
  });
});
