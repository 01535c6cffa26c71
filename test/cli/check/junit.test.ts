import { describe, expect, it } from 'vitest';
import { junitReport, testSuites } from '../../../src/cli/check/junit.ts';
import { placedViolation, reportWith } from './placed-violations.ts';

const port = placedViolation();
const unreadable = { file: 'b,a.yaml', line: 3, column: 9, message: 'is 100% wrong: no\nmapping' };

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
