import { describe, expect, it } from 'vitest';
import {
  annotation,
  githubReport,
  jsonReport,
  junitReport,
  listedViolation,
  markdownReport,
  testSuites,
} from '../../../src/cli/check/formats.ts';
import { describeCommands } from '../command-cases.ts';
import { LEGACY, placedViolation, reportWith } from './placed-violations.ts';

describeCommands('test/cli/check/formats.test.ts');

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

  it('has live Pods that lack probes and exempt workloads only where there are some', () => {
    const lacking = [{ kind: 'Deployment', namespace: 'shop', name: 'web', message: '2 Pods lack 1 probe' }];
    expect(Object.keys(parsed([port], { lacking: [], exempt: [] }))).toEqual(['violations', 'problems', 'summary']);
    expect(parsed([port], { lacking })['lacking']).toEqual(lacking);
    const exempt = [{ namespace: 'kube-system', workloads: 3 }] as never;
    expect(parsed([port], { exempt })['exempt']).toEqual(exempt);
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

describe('a report as JUnit', () => {
  it('has a suite for each file, a failure for a denial, an error for a problem, and passed cases for the rest', () => {
    const warning = placedViolation({ action: 'Warn', probe: undefined as never, line: 7 });
    const text = junitReport(reportWith([port, warning], { problems: [unreadable] }));
    expect(text).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="probewright" tests="3" failures="1" errors="1">
        <testsuite name="apps/web.yaml" tests="2" failures="1" errors="0">
          <testcase name="Deployment shop/web app: named-port" classname="named-port" file="apps/web.yaml" line="7"><system-out>Warn: apps/web.yaml:7: spec.template.spec.containers[0].readinessProbe.httpGet.port: container &quot;app&quot; declares no port named &quot;htpp&quot; (named-port)</system-out></testcase>
          <testcase name="Deployment shop/web app.readinessProbe: named-port" classname="named-port" file="apps/web.yaml" line="19"><failure message="apps/web.yaml:19: spec.template.spec.containers[0].readinessProbe.httpGet.port: container &quot;app&quot; declares no port named &quot;htpp&quot; (named-port)" type="named-port">apps/web.yaml:19: spec.template.spec.containers[0].readinessProbe.httpGet.port: container &quot;app&quot; declares no port named &quot;htpp&quot; (named-port)</failure></testcase>
        </testsuite>
        <testsuite name="b,a.yaml" tests="1" failures="0" errors="1">
          <testcase name="input: is 100% wrong: no\\nmapping" classname="input" file="b,a.yaml" line="3"><error message="b,a.yaml:3: is 100% wrong: no\\nmapping" type="input">b,a.yaml:3: is 100% wrong: no\\nmapping</error></testcase>
        </testsuite>
      </testsuites>
      "
    `);
  });

  it('has one passed case where there is nothing to tell', () => {
    expect(junitReport(reportWith([]))).toContain(
      '<testsuites name="probewright" tests="1" failures="0" errors="0">\n' +
        '  <testsuite name="probewright" tests="1" failures="0" errors="0">' +
        '<testcase name="no violations" classname="probewright"/></testsuite>\n',
    );
  });

  it('has no output in a passed case without words', () => {
    const passed = { file: 'a.yaml', line: 1, title: 'web', className: 'plan', result: 'passed', text: '' } as const;
    expect(testSuites([passed], 'none')).toContain('classname="plan" file="a.yaml" line="1"></testcase>\n');
  });
});

describe('a report as annotations of GitHub', () => {
  it('has the command of each action, with the place, and errors for problems', () => {
    const of = (action: 'Deny' | 'Warn' | 'Audit' | 'Excepted') => placedViolation({ action });
    const lines = githubReport(
      reportWith([of('Deny'), of('Warn'), of('Audit'), of('Excepted')], { problems: [unreadable] }),
    ).split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      ...['::error', '::warning', '::notice', '::notice', '::error'],
      '',
    ]);
    expect(lines[0]).toBe(
      '::error file=apps/web.yaml,line=19,col=15,title=named-port::Deployment shop/web: ' +
        'spec.template.spec.containers[0].readinessProbe.httpGet.port: ' +
        'container "app" declares no port named "htpp" (named-port)',
    );
    expect(lines[4]).toBe('::error file=b%2Ca.yaml,line=3,col=9,title=probewright::is 100%25 wrong: no\\nmapping');
  });

  it('escapes colons and commas in properties alone, and line ends as hidden characters', () => {
    const place = { file: 'a:b,c%', line: 1, column: 2 };
    expect(annotation('notice', place, 't:1,\r', 'x:1,\r')).toBe(
      '::notice file=a%3Ab%2Cc%25,line=1,col=2,title=t%3A1%2C\\r::x:1,\\r\n',
    );
  });
});

describe('a report as Markdown', () => {
  it('has the numbers, a section for each check, and one for inputs that cannot be read', () => {
    const other = placedViolation({ check: 'exec-cost', action: 'Warn', line: 30 });
    const text = markdownReport(reportWith([port, other], { problems: [{ ...unreadable, message: 'is wrong' }] }));
    expect(text.split('\n')[0]).toBe(
      '**Probewright: 1 workload in 2 objects: 1 error, 1 warning, 0 notes; 1 input problem**',
    );
    const headings = [...text.matchAll(/\[(named-port|exec-cost)\]\(\S+#(\S+)\)|Inputs that cannot be read/g)];
    expect(headings.map(([, check = 'inputs', anchor = 'inputs']) => [check, anchor])).toEqual([
      ['named-port', 'named-port'],
      ['exec-cost', 'exec-cost'],
      ['inputs', 'inputs'],
    ]);
    expect(text).toContain('apps/web.yaml:19:15: error: Deployment shop/web:');
    expect(text).toContain('b,a.yaml:3: is wrong');
  });

  it('has no section without lines', () => {
    const text = markdownReport(reportWith([port]));
    expect(text).toContain('named-port');
    expect(text).not.toContain('Inputs that cannot be read');
  });
});
