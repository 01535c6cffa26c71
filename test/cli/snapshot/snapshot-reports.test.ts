import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportItem, reportPart } from '../../../src/cli/snapshot/report-item.ts';
import { readObserverReport } from '../../../src/cluster/sources/observer-reports.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { deploymentOf } from '../../support/worlds.ts';
import { runProbewright } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** A report as an observer writes it, with one result. */
function report(rule: unknown, properties: unknown): JsonObject {
  return {
    apiVersion: 'wgpolicyk8s.io/v1alpha2',
    kind: 'PolicyReport',
    metadata: { name: 'probewright-1b2c', namespace: 'apps', labels: { team: 'secret' } },
    scope: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'apps', name: 'web', uid: '1b2c' },
    results: [{ source: 'probewright', message: 'a secret', rule, properties }],
  };
}

describe('the report of an observer in a snapshot', () => {
  describeCases('test/fixtures/snapshot-reports.yaml', ['message', 'shown'], ({ rule, properties }) => {
    const given = report(rule, properties);
    const item = reportPart(given);
    if (item === undefined) return {};
    const { results, ...others } = item;
    expect(others).toEqual({
      apiVersion: 'openreports.io/v1alpha1',
      kind: 'Report',
      metadata: { name: 'probewright-deployment-web', namespace: 'apps' },
      source: 'probewright',
      scope: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'apps', name: 'web' },
    });
    // It is the same when it is read from a snapshot again, and when a cluster says it.
    expect(reportPart(item)).toEqual(item);
    const observed = readObserverReport(given);
    expect(observed && reportItem(observed)).toEqual(item);
    const [{ message, properties: shown, ...rest } = {}, ...more] = results as JsonObject[];
    expect([rest, more]).toEqual([{ source: 'probewright', rule }, []]);
    return { message, shown };
  });

  it('is shown by report, from a snapshot', async () => {
    const file = join(await temporaryDirectory(), 'cluster.json');
    const workload = deploymentOf({ spec: { containers: [{ name: 'app', image: 'example.test/web:1' }] } });
    const items = [
      { ...workload, metadata: { name: 'web', namespace: 'apps' } },
      report('missed-pods', { cause: 'predates', pods: '2', fix: 'a secret', other: 'a secret' }),
      report('probe-failing', { cause: 'http-404', container: 'app', probe: 'livenessProbe', since: 'a secret' }),
    ];
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const { stdout: snapshot } = await runProbewright(['snapshot', '-'], { stdin: list });
    expect(snapshot).not.toContain('secret');
    await writeFile(file, snapshot);
    const { stdout: page } = await runProbewright(['report', file]);
    expect(page).toContain('they are older than the policy');
    expect(page).toMatch(/kubectl rollout restart deployment\/[a-z0-9]+ -n [a-z0-9]+/);
    expect(page).toContain('Set httpGet.path to a path that the application serves on this port.');
  });
});
