import { describe, expect, it } from 'vitest';
import { jsonReport, listedViolation } from '../../../src/cli/check/json.ts';
import { LEGACY, placedViolation, reportWith } from './placed-violations.ts';

const port = placedViolation();
const unreadable = { file: 'b,a.yaml', line: 3, column: 9, message: 'is 100% wrong: no\nmapping' };

describe('a report as JSON', () => {
  const parsed = (...given: Parameters<typeof reportWith>) =>
    JSON.parse(jsonReport(reportWith(...given))) as Record<string, unknown>;

  it('has violations, problems and a summary, and ends with a line end', () => {
    const report = reportWith([port], { problems: [{ ...unreadable, isFound: true }] });
    const text = jsonReport(report);
    expect(text.endsWith('}\n')).toBe(true);
    expect(JSON.parse(text)).toEqual({
      violations: [listedViolation(port, { file: 'apps/web.yaml', line: 19, column: 15 })],
      problems: [unreadable],
      summary: report.summary,
    });
  });

  it('has live Pods that lack probes, exempt workloads and a project only where there are some', () => {
    const lacking = [{ kind: 'Deployment', namespace: 'shop', name: 'web', message: '2 Pods lack 1 probe' }];
    expect(Object.keys(parsed([port], { lacking: [], exempt: [] }))).toEqual(['violations', 'problems', 'summary']);
    expect(parsed([port], { lacking })['lacking']).toEqual(lacking);
    const exempt = [{ namespace: 'kube-system', workloads: 3 }] as never;
    expect(parsed([port], { exempt })['exempt']).toEqual(exempt);
    const project = { file: '.probewright.yaml' } as never;
    expect(parsed([port], { project })['project']).toEqual(project);
  });
});

describe('a violation for programs', () => {
  const MEMBERS = ['check', 'action', 'message', 'path', 'kind', 'namespace', 'name', 'container'];

  it('has no member for what there is not', () => {
    expect(Object.keys(listedViolation({ ...port, probe: undefined } as never, {}))).toEqual([...MEMBERS, 'url']);
  });

  it('has the remedy in words and as edits, the figures, and the number of workloads', () => {
    const edits = [{ path: ['spec', 'containers', 0, 'livenessProbe'], value: null }];
    const properties = { seconds: 2.5 };
    const listed = listedViolation(
      { ...port, remedy: 'write port: http', edits, properties, workloads: 0 },
      { line: 1 },
    );
    expect(listed).toMatchObject({
      remedy: 'write port: http',
      advice: [{ path: 'spec.containers[0].livenessProbe', value: null }],
      path: 'spec.template.spec.containers[0].readinessProbe.httpGet.port',
      probe: 'readinessProbe',
      ...{ properties, workloads: 0, line: 1 },
    });
    expect(listed.url).toMatch(/docs\/checks\.md#named-port$/);
  });

  it('has its exception, or the one that has ended, without what only messages need', () => {
    const { isEnding, ...shown } = LEGACY;
    expect(isEnding).toBe(false);
    expect(listedViolation({ ...port, exception: LEGACY }, {}).exception).toEqual(shown);
    expect(listedViolation({ ...port, ended: { ...LEGACY, isEnding: true } }, {}).endedException).toEqual(shown);
  });
});
