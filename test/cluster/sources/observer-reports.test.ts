import { expect, it } from 'vitest';
import { MOST_RESULTS, REPORT_APIS, readObserverReport } from '../../../src/cluster/sources/observer-reports.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const result = (index = 0, rest: JsonObject = {}): JsonObject => ({
  source: 'probewright',
  rule: 'probe-failing',
  message: `failure ${index}`,
  properties: { container: 'app', count: 3 },
  ...rest,
});
const scope = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'apps', name: 'web' };
const report = (rest: JsonObject = {}): JsonObject => ({
  apiVersion: 'openreports.io/v1alpha1',
  kind: 'Report',
  metadata: { name: 'report', namespace: 'apps' },
  scope,
  results: [result()],
  ...rest,
});

it('a report of the observer has the workload and what fails, without values that are no texts', () => {
  const read = {
    ...scope,
    results: [{ rule: 'probe-failing', message: 'failure 0', properties: { container: 'app' } }],
  };
  expect(readObserverReport(report())).toEqual(read);
  const older = { apiVersion: 'wgpolicyk8s.io/v1alpha2', kind: 'PolicyReport' };
  expect(readObserverReport(report(older))).toEqual(read);
});

it.each([
  ['another kind', { kind: 'PolicyReport' }],
  ['another version', { apiVersion: 'wgpolicyk8s.io/v1alpha2' }],
  ['a report from another namespace', { metadata: { name: 'report', namespace: 'tenant' } }],
  ['a report without results', { results: [] }],
  ['a report with results of checks only', { results: [result(0, { rule: 'named-port' })] }],
  ...Object.keys(scope).map((field) => [`a report without ${field}`, { scope: { ...scope, [field]: undefined } }]),
] as [string, JsonObject][])('%s is not read', (_, rest) => expect(readObserverReport(report(rest))).toBeUndefined());

it.each([
  ['another source', { source: 'kyverno' }],
  ['no rule', { rule: undefined }],
  ['a rule of a check', { rule: 'named-port' }],
  ['no message', { message: undefined }],
])('a result with %s is left out', (_, rest) =>
  expect(readObserverReport(report({ results: [result(0, rest), result(1)] }))?.results).toMatchObject([
    { message: 'failure 1' },
  ]),
);

it('a report has at most a hundred results', () => {
  const results = Array.from({ length: MOST_RESULTS + 1 }, (_, index) => result(index));
  expect(MOST_RESULTS).toBe(100);
  expect(readObserverReport(report({ results }))?.results).toHaveLength(100);
});

it('the report of the newer API names its source, and that of the older API does not', () =>
  expect(REPORT_APIS.map(({ name, hasSource }) => [name, hasSource])).toEqual([
    ['openreports', true],
    ['wgpolicyk8s', false],
  ]));
