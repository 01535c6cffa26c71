import { describe, expect, it } from 'vitest';
import { MOST_RESULTS } from '../../../src/cluster/sources/observer-reports.ts';
import { isOurs, reportContent, reportObject } from '../../../src/observer/reports/report-object.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';
import type { ReportContent } from '../../../src/observer/reports/report-object.ts';
import type { ReportResult } from '../../../src/observer/reports/report-result.ts';

const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u' };
const workload = { ...owner, group: 'apps', namespace: 'shop' };
const resultOf = (more: Partial<ReportResult> = {}): ReportResult => ({
  policy: 'probewright',
  rule: 'named-port',
  category: 'Cannot work',
  severity: 'medium',
  result: 'warn',
  scored: false,
  message: 'no',
  properties: { container: 'app' },
  ...more,
});
const contentOf = (results: readonly ReportResult[], extra: readonly ReportResult[] = [], passed = 3): ReportContent =>
  reportContent({ workload, results, passed }, extra);
const api = { apiVersion: 'openreports.io/v1alpha1', kind: 'Report', hasSource: true } as Parameters<
  typeof reportObject
>[1];

describe('the content of a report', () => {
  it('counts all results, and has the worst first', () => {
    const { summary, results } = contentOf(
      [resultOf(), resultOf({ result: 'skip' }), resultOf()],
      [resultOf({ result: 'fail' }), resultOf({ result: 'error' })],
    );
    expect(summary).toEqual({ pass: 3, fail: 1, warn: 2, error: 1, skip: 1 });
    expect(results.map(({ result }) => result)).toEqual(['fail', 'error', 'warn', 'warn', 'skip']);
  });

  it('has at most so many results, and the last one tells how many are left out', () => {
    const many = (count: number): readonly ReportResult[] =>
      contentOf(Array.from({ length: count }, () => resultOf())).results;
    expect(contentOf([]).results).toEqual([]);
    expect(many(MOST_RESULTS)).toEqual(Array.from({ length: MOST_RESULTS }, () => resultOf()));
    const beyond = many(MOST_RESULTS + 2);
    expect(beyond).toHaveLength(MOST_RESULTS);
    expect(beyond.slice(-2).map(({ properties }) => properties)).toEqual([
      { container: 'app' },
      { container: 'app', truncated: '2' },
    ]);
  });

  it('cuts and escapes what tenants choose', () => {
    const [result] = contentOf([
      resultOf({ message: 'x'.repeat(1001), properties: { container: 'y'.repeat(254) } }),
    ]).results;
    expect([result?.message.length, result?.properties['container']?.length]).toEqual([1000, 253]);
    const fitting = resultOf({ message: 'x'.repeat(1000), properties: { container: 'y'.repeat(253) } });
    expect(contentOf([fitting]).results).toEqual([fitting]);
    expect(contentOf([resultOf({ message: 'a\u001b' })]).results[0]?.message).toBe('a\\u001b');
  });

  it('has a hash of its own', () => {
    const hashes = [
      contentOf([]),
      contentOf([], [], 4),
      contentOf([resultOf()]),
      contentOf([resultOf({ message: 'yes' })]),
    ];
    expect(new Set(hashes.map(({ hash }) => hash)).size).toBe(4);
    expect(contentOf([resultOf()]).hash).toBe(contentOf([], [resultOf()]).hash);
  });
});

describe('the object of a report', () => {
  const content = contentOf([resultOf(), resultOf({ properties: { container: 'b' } })]);
  const written = (before?: KubernetesObject, seconds = 50): { readonly results: readonly { timestamp: unknown }[] } =>
    reportObject(content, api, before, seconds) as never;

  it('names its workload as its owner and its scope', () => {
    expect(written()).toMatchObject({
      apiVersion: 'openreports.io/v1alpha1',
      kind: 'Report',
      metadata: {
        name: 'probewright-u',
        namespace: 'shop',
        labels: { 'app.kubernetes.io/managed-by': 'probewright', 'probewright.dev/kind': 'Deployment' },
        annotations: { 'probewright.dev/content-hash': content.hash },
        ownerReferences: [owner],
      },
      source: 'probewright',
      scope: { ...owner, namespace: 'shop' },
      summary: content.summary,
    });
    expect(written()).not.toHaveProperty('metadata.resourceVersion');
    expect(reportObject(content, { ...api, hasSource: false }, undefined, 1)).not.toHaveProperty('source');
  });

  it('keeps the time of a finding that was there before, and has the present for another', () => {
    const timestamp = { seconds: 10, nanos: 5 };
    const before = (results: readonly object[]): KubernetesObject =>
      ({ metadata: { name: 'probewright-u', resourceVersion: '7' }, results }) as never;
    const times = (results: readonly object[]): unknown => written(before(results)).results.map((one) => one.timestamp);
    const now = { seconds: 50, nanos: 0 };
    expect(times([{ ...resultOf(), timestamp }])).toEqual([timestamp, now]);
    expect(times([{ ...resultOf({ severity: 'high', result: 'fail' }), timestamp }])).toEqual([timestamp, now]);
    for (const other of [{ rule: 'x' }, { message: 'x' }, { properties: { container: 'app', probe: 'x' } }])
      expect(times([{ ...resultOf(), ...other, timestamp }])).toEqual([now, now]);
    for (const odd of [{ seconds: 10 }, { seconds: '10', nanos: 0 }, null])
      expect(times([{ ...resultOf(), timestamp: odd }])).toEqual([now, now]);
    expect(written(before([]))).toHaveProperty('metadata.resourceVersion', '7');
  });
});

it('a report is ours by its label and its name together', () => {
  const labels = { 'app.kubernetes.io/managed-by': 'probewright' };
  expect(isOurs({ name: 'probewright-u', labels })).toBe(true);
  expect([
    isOurs({ name: 'u', labels }),
    isOurs({ name: 'probewright-u' }),
    isOurs({ name: 'probewright-u', labels: {} }),
  ]).toEqual([false, false, false]);
});
