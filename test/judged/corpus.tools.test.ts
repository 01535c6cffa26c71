import { beforeAll, describe, expect, it } from 'vitest';
import {
  countOf,
  findingsIn,
  type DirectoryFindings,
  type JudgedFinding,
} from '../../scripts/judge/judged-findings.ts';
import { CORPORA } from './corpus.ts';
import { JUDGEMENTS, judgementsIn, type Judgement } from './judged-table.ts';

const LEAST_PRECISION = 0.8;

const keysOf = (findings: readonly JudgedFinding[]): string[] => [...new Set(findings.map(({ key }) => key))];

describe.each(CORPORA)('the errors and warnings in public charts: $directory', ({ directory, table, mostWarnings }) => {
  const judgements = judgementsIn(table);
  const isJudged =
    (...expected: readonly (Judgement | undefined)[]) =>
    ({ key }: JudgedFinding): boolean =>
      expected.includes(judgements.get(key));
  let found: DirectoryFindings;
  let shown: readonly JudgedFinding[];
  beforeAll(async () => {
    found = await findingsIn(directory);
    shown = found.findings.filter(({ level }) => level !== 'note');
  });

  it('are judged by hand, each of them', () => {
    expect(keysOf(shown.filter(isJudged(undefined))), `judge these keys in ${table}`).toEqual([]);
  });

  it('include none that is judged false or harmful', () => {
    expect(keysOf(shown.filter(isJudged('false', 'harmful')))).toEqual([]);
  });

  it('include all that are judged useful', () => {
    const keys = new Set(keysOf(shown));
    const useful = [...judgements].filter(([, judgement]) => judgement === 'useful').map(([key]) => key);
    expect(useful.filter((key) => !keys.has(key))).toEqual([]);
  });

  it('are few, and most of them are useful', () => {
    const warnings = shown.filter(({ level }) => level === 'warning');
    const rate = countOf('warning', warnings) / found.workloads;
    const precision = warnings.filter(isJudged('useful')).length / warnings.length;
    console.log(
      [
        `${warnings.length} warnings in ${found.workloads} workloads: ${rate.toFixed(3)} a workload, precision ${precision.toFixed(2)}`,
        ...[...Map.groupBy(warnings, ({ check }) => check)].map(([check, own]) => {
          const counts = JUDGEMENTS.map((judgement) => `${own.filter(isJudged(judgement)).length} ${judgement}`);
          return `  ${check}: ${counts.join(', ')}`;
        }),
      ].join('\n'),
    );
    expect(rate).toBeLessThanOrEqual(mostWarnings);
    expect(precision).toBeGreaterThanOrEqual(LEAST_PRECISION);
  });
});
