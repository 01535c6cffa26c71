import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { runProbewright } from '../../cli/run-probewright.ts';
import { brokenWorkloads, nameOf, NAMESPACE, putRow, SERVED } from '../broken-workloads.ts';
import { ask, ObservedCluster, OPEN_REPORTS } from '../observed-cluster.ts';
import type { ExplainOutput } from '../../../src/cli/output/json-outputs.ts';
import type { ReportResult } from '../../../src/observer/reports/report-result.ts';

/** What an output tells: for each workload, causes with the words of the kubelet, the scheduler or a controller. */
type Told = ReadonlyMap<string, readonly (readonly [cause: string, words: string])[]>;

const now = Date.now();
const { broken, healthy } = brokenWorkloads(now);
const rows = [...broken, ...healthy];
const outputs: Record<string, Told> = {};
let cluster: ObservedCluster;

beforeAll(async () => {
  cluster = await ObservedCluster.start();
  cluster.api.serve([...SERVED, OPEN_REPORTS]);
  for (const [index, row] of rows.entries()) putRow(cluster.api, row, nameOf(index), now);
  const observer = await cluster.observe({ dashboardPort: 0, reportsIncludeClean: true });
  const flags = ['-n', NAMESPACE, '--kubeconfig', `${cluster.directory}/config`];
  const { stdout, stderr } = await runProbewright(['explain', ...flags, '--output', 'json'], { now: () => now });
  expect(stderr).toBe('');
  const explained = JSON.parse(stdout) as ExplainOutput;
  outputs['explain'] = new Map(
    explained.workloads.map(({ name, failures = [] }) => [
      name,
      failures.map(({ cause, words = '' }) => [cause, words]),
    ]),
  );
  outputs['report'] = causesOnPage((await runProbewright(['report', ...flags], { now: () => now })).stdout);
  await waitUntil('each workload has a report', () => cluster.reports(NAMESPACE).length >= rows.length - 2, 40_000);
  // The observer works its findings out every 5 s, and writes 10 reports a second.
  const failing = (): number => [...scanned().values()].filter((told) => told.length > 0).length;
  await waitUntil('the broken ones are told', () => failing() >= broken.length, 60_000);
  outputs['scan'] = scanned();
  const page = await fetch(`http://127.0.0.1:${observer.dashboardPort}/`);
  outputs['observer'] = causesOnPage(await page.text());
  expect((await ask(observer, '/metrics')).body).toContain('probewright_failing_workloads{namespace="apps"');
}, 180_000);
afterAll(() => cluster.stop());

function scanned(): Told {
  return new Map(
    cluster
      .reports(NAMESPACE)
      .map(({ scope, results }) => [
        (scope as { name: string }).name,
        (results as ReportResult[]).flatMap(({ category, properties: { cause = '', words = '' } }) =>
          category === 'Fails now' ? [[cause, words] as const] : [],
        ),
      ]),
  );
}

/** The rows of a page: the causes beside the name, and the text of the findings below. */
function causesOnPage(page: string): Told {
  const texts = page
    .replaceAll('<wbr>', '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .split('<details class=row');
  return new Map(
    texts.slice(1).map((text) => {
      const [, name = ''] = /<b>([^<]*)<\/b>/.exec(text) ?? [];
      const [, found = ''] = /<\/small><\/span><span>([^<]*)<\/span>/.exec(text) ?? [];
      const isFailing = text.includes('>Failing</i>');
      return [name, isFailing ? found.split(', ').map((cause) => [cause, text] as const) : []];
    }),
  );
}

describe.each(['explain', 'report', 'scan', 'observer'])('%s', (output) => {
  it.each(broken.map((row, index) => [row.what, row.cause, row.words ?? '', index] as const))(
    'names %s: %s',
    (_, cause, words, index) => {
      const told = outputs[output]?.get(nameOf(index)) ?? [];
      expect(told.map(([one]) => one)).toContain(cause);
      expect(told.find(([one]) => one === cause)?.[1]).toContain(words);
    },
  );

  it.each(healthy.map((row, index) => [row.what, index] as const))('is quiet about %s', (_, index) => {
    expect(outputs[output]?.get(nameOf(broken.length + index)) ?? []).toEqual([]);
  });
});
