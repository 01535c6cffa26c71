import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../../src/base/json/json-value.ts';
import { MOST_RESULTS, REPORT_APIS } from '../../src/cluster/sources/observer-reports.ts';
import { reportContent, reportObject } from '../../src/observer/reports/report-object.ts';
import type { JudgedWorkload } from '../../src/observer/reports/report-object.ts';
import type { ReportOutcome, ReportResult, ReportSeverity } from '../../src/observer/reports/report-result.ts';

/** The CRDs of the report APIs stay out of the repository: REPORT_CRDS names a directory with them. */
const directory = process.env['REPORT_CRDS'];
if (directory === undefined)
  console.info('report-crds.tools.test.ts: partly skipped, since REPORT_CRDS names no directory with CRDs of reports');

const FILES = { openreports: 'openreports.io_reports.yaml', wgpolicyk8s: 'wgpolicyk8s.io_policyreports.yaml' };

interface Definition {
  readonly spec: { readonly versions: readonly { name: string; schema: { openAPIV3Schema: object } }[] };
}

/** The schema, in which an unknown field is an error as under strict field validation. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (!isJsonObject(schema)) return schema;
  const members = Object.entries(schema).filter(([key]) => key !== 'format' && !key.startsWith('x-kubernetes-'));
  const strictly = Object.fromEntries(members.map(([key, value]) => [key, strict(value)]));
  const isClosed = isJsonObject(schema['properties']) && schema['x-kubernetes-preserve-unknown-fields'] !== true;
  return isClosed && strictly['additionalProperties'] === undefined
    ? { ...strictly, additionalProperties: false }
    : strictly;
}

const results = (count: number): ReportResult[] =>
  Array.from({ length: count }, (_, index) => ({
    policy: 'ProbePolicy/shop/web',
    rule: `rule-${index}`,
    category: 'Will hurt',
    severity: (['critical', 'high', 'medium', 'low', 'info'] as ReportSeverity[])[index % 5] ?? 'low',
    result: (['fail', 'warn', 'error', 'skip', 'pass'] as ReportOutcome[])[index % 5] ?? 'fail',
    scored: index % 2 === 0,
    message: `message \u001b[31m${index}`,
    properties: { container: 'app', long: 'x'.repeat(10_000) },
  }));
const judged = (count: number): JudgedWorkload => ({
  workload: { apiVersion: 'apps/v1', group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', uid: '1-2' },
  results: results(count),
  passed: 20,
});

describe('the report object', () => {
  it.skipIf(directory === undefined).each(REPORT_APIS)('of $name is what the CRD allows, strictly', (api) => {
    const definition = parse(readFileSync(join(directory ?? '', FILES[api.name]), 'utf8')) as Definition;
    const version = definition.spec.versions.find(({ name }) => api.apiVersion.endsWith(`/${name}`));
    const schema = strict(version?.schema.openAPIV3Schema) as { properties: Record<string, object> };
    // The API server checks the metadata by its own type.
    schema.properties['metadata'] = { type: 'object' };
    const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
    for (const count of [0, 5, 1000]) {
      validate(reportObject(reportContent(judged(count), results(2)), api, undefined, 1_795_334_400));
      expect(validate.errors).toBe(null);
    }
  });

  it('has at most 100 results, the failed ones first, and says how many are missing', () => {
    const { results: shown, summary } = reportContent(judged(1000), []);
    expect(shown).toHaveLength(MOST_RESULTS);
    expect(shown.at(-1)?.properties['truncated']).toBe('900');
    expect(new Set(shown.map(({ result }) => result))).toEqual(new Set(['fail']));
    expect(summary).toEqual({ pass: 220, fail: 200, warn: 200, error: 200, skip: 200 });
  });

  it('shows no hidden characters, and no endless texts', () => {
    const [first] = reportContent(judged(1), []).results;
    expect(first?.message).toBe('message \\u001b[31m0');
    expect(first?.properties['long']?.length).toBeLessThanOrEqual(253);
  });

  it('has the same hash for the same content, and another one for another', () => {
    const hash = (count: number): string => reportContent(judged(count), []).hash;
    expect(hash(3)).toBe(hash(3));
    expect(hash(3)).not.toBe(hash(4));
  });
});
