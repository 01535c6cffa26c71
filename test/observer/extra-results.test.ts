import { expect, it } from 'vitest';
import { ExtraResults } from '../../src/observer/reports/extra-results.ts';
import type { ReportResult } from '../../src/observer/reports/report-result.ts';

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
  extra.set('missed', web, [result('missed-pods')]);
  extra.set('missed', { ...web }, [result('missed-pods')]);
  extra.set('failing', web, [result('probe-failing')]);
  extra.set('failing', { ...web, name: 'worker' }, []);
  expect(extra.of(web).map(({ rule }) => rule)).toEqual(['probe-failing', 'missed-pods']);
  extra.set('failing', web, []);
  extra.set('missed', web, []);
  expect(extra.of(web)).toEqual([]);
  expect(changes).toEqual(['web', 'web', 'web', 'web']);
});
