import { expect, it } from 'vitest';
import { ExtraResults, type ReportResult } from '../../src/observer/reports/report-result.ts';

const web = { namespace: 'shop', group: 'apps', kind: 'Deployment', name: 'web' };
const result = (rule: string): ReportResult => ({
  policy: 'probewright',
  rule,
  category: 'After admission',
  severity: 'medium',
  result: 'warn',
  scored: false,
  message: `${rule} is found`,
  properties: {},
});

it('extra results hold the results of all producers, and report changes only', () => {
  const extra = new ExtraResults();
  const changes: string[] = [];
  extra.onChange(({ name }) => changes.push(name));
  extra.replace('missed', [[web, [result('missed-pods')]]]);
  extra.replace('missed', [[{ ...web }, [result('missed-pods')]]]);
  extra.replace('failing', [
    [web, [result('probe-failing')]],
    [{ ...web, name: 'worker' }, []],
  ]);
  expect(extra.of(web).map(({ rule }) => rule)).toEqual(['probe-failing', 'missed-pods']);
  extra.replace('failing', [[web, []]]);
  extra.replace('missed', []);
  expect(extra.of(web)).toEqual([]);
  expect(changes).toEqual(['web', 'web', 'web', 'web']);
});
