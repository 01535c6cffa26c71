import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportItem, reportPart } from '../../src/cli/snapshot/items/snapshot-items.ts';
import { readObserverReport } from '../../src/cluster/sources/observer-reports.ts';
import { runProbewright } from './run-probewright.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'apps' },
  spec: { template: { spec: { containers: [{ name: 'app', image: 'example.test/web:1' }] } } },
};

/** A report as an observer writes it, with one result. */
function report(result: JsonObject): JsonObject {
  return {
    apiVersion: 'wgpolicyk8s.io/v1alpha2',
    kind: 'PolicyReport',
    metadata: { name: 'probewright-1b2c', namespace: 'apps', labels: { team: 'secret' } },
    scope: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'apps', name: 'web', uid: '1b2c' },
    results: [{ source: 'probewright', message: 'a secret', ...result }],
  };
}
const MISSED = report({
  rule: 'missed-pods',
  properties: { cause: 'predates', pods: '2', sources: 'ProbePolicy/apps/static', fix: 'a secret', other: 'a secret' },
});
const FAILING = report({
  rule: 'probe-failing',
  properties: { cause: 'http-404', container: 'app', probe: 'livenessProbe', fix: 'a secret', since: 'a secret' },
});

const propertiesOf = (item: JsonObject | undefined): unknown =>
  item && readObserverReport(item)?.results[0]?.properties;

describe('the report of an observer in a snapshot', () => {
  it('has the workload, and texts that follow from the cause, and no UID, label and foreign property', () => {
    expect(reportPart(MISSED)).toEqual({
      apiVersion: 'openreports.io/v1alpha1',
      kind: 'Report',
      metadata: { name: 'probewright-deployment-web', namespace: 'apps' },
      source: 'probewright',
      scope: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'apps', name: 'web' },
      results: [
        {
          source: 'probewright',
          rule: 'missed-pods',
          message: 'Pods lack probes that new Pods get: they are older than the policy',
          properties: {
            cause: 'predates',
            pods: '2',
            sources: 'ProbePolicy/apps/static',
            fix: 'kubectl rollout restart deployment/web -n apps',
          },
        },
      ],
    });
    expect(propertiesOf(reportPart(FAILING))).toEqual({
      cause: 'http-404',
      container: 'app',
      probe: 'livenessProbe',
      fix: 'Set httpGet.path to a path that the application serves on this port.',
    });
  });

  it('is the same when it is read from a snapshot again', () => {
    for (const object of [MISSED, FAILING]) {
      const item = reportPart(object);
      expect(item && reportPart(item)).toEqual(item);
    }
  });

  it.each([
    ['an unknown cause', { rule: 'missed-pods', properties: { cause: 'toString' } }],
    ['no cause', { rule: 'missed-pods', properties: {} }],
    ['an unknown cause of a probe', { rule: 'probe-failing', properties: { cause: 'x', probe: 'livenessProbe' } }],
    ['an unknown probe', { rule: 'probe-failing', properties: { cause: 'timeout', probe: 'x' } }],
    [
      'a member of all objects as its cause',
      { rule: 'probe-failing', properties: { cause: 'constructor', probe: 'livenessProbe' } },
    ],
    ['a finding of a check', { rule: 'named-port', properties: { cause: 'predates' } }],
  ])('is left out with %s', (_, result) => expect(reportPart(report(result))).toBeUndefined());

  it.each(['Deployment apps/web', 'Deployment apps/web, Pod apps/a and 3 more; 1 workload in other namespaces'])(
    'lists the workloads "%s" that fail together',
    (workloads) => {
      const item = reportPart(report({ rule: 'probe-failing', properties: { cause: 'shared-dependency', workloads } }));
      expect(propertiesOf(item)).toMatchObject({ workloads });
    },
  );

  it.each(['apps/web: my password', 'Deployment apps/web;x', ''])(
    'has no list of workloads that reads "%s"',
    (workloads) => {
      const item = reportPart(report({ rule: 'probe-failing', properties: { cause: 'shared-dependency', workloads } }));
      expect(Object.keys(propertiesOf(item) as object)).toEqual(['cause', 'fix']);
    },
  );

  it('is made of what a cluster says too', () => {
    const observed = readObserverReport(MISSED);
    expect(observed && reportItem(observed)).toEqual(reportPart(MISSED));
  });

  it('is shown by report, from a snapshot', async () => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'cluster.json');
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [DEPLOYMENT, MISSED, FAILING] });
    const { stdout: snapshot } = await runProbewright(['snapshot', '-'], { stdin: list });
    expect(snapshot).not.toContain('secret');
    await writeFile(file, snapshot);
    const { stdout: page } = await runProbewright(['report', file]);
    expect(page).toContain('they are older than the policy');
    expect(page).toMatch(/kubectl rollout restart deployment\/[a-z0-9]+ -n [a-z0-9]+/);
    expect(page).toContain('Set httpGet.path to a path that the application serves on this port.');
  });
});
