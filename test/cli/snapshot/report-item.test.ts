import { describe, expect, it } from 'vitest';
import { reportItem, reportPart } from '../../../src/cli/snapshot/report-item.ts';
import { MISSED_CAUSES, MISSED_MESSAGES } from '../../../src/observer/missed/missed-probes.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const [cause] = MISSED_CAUSES;
const result = {
  rule: 'missed-pods',
  message: MISSED_MESSAGES[cause],
  properties: { cause, pods: '2', fix: 'kubectl rollout restart deployment/web -n apps' },
};
const observed = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'apps', name: 'web' };

const report = (changes: JsonObject = {}): JsonObject => ({
  apiVersion: 'wgpolicyk8s.io/v1alpha2',
  kind: 'PolicyReport',
  metadata: { name: 'probewright-5f0c', namespace: 'apps', uid: 'secret' },
  scope: { ...observed, uid: '5f0c' },
  results: [{ source: 'probewright', ...result, message: 'a text of anybody' }],
  ...changes,
});

describe('a report of an observer in a snapshot', () => {
  it('is named by its workload, in the preferred API, without the UID', () => {
    expect(reportPart(report())).toEqual({
      apiVersion: 'openreports.io/v1alpha1',
      kind: 'Report',
      metadata: { name: 'probewright-deployment-web', namespace: 'apps' },
      source: 'probewright',
      scope: observed,
      results: [{ source: 'probewright', ...result }],
    });
  });

  it('is left out where there is no result about live Pods', () => {
    expect(reportPart({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } })).toBeUndefined();
    expect(reportPart(report({ results: [] }))).toBeUndefined();
    expect(reportItem({ ...observed, results: [] })).toBeUndefined();
    const strange = { rule: 'of-nobody', message: 'a secret', properties: {} };
    expect(reportItem({ ...observed, results: [strange] })).toBeUndefined();
    expect(reportItem({ ...observed, results: [strange, result] })?.['results']).toHaveLength(1);
  });
});
