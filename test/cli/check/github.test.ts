import { describe, expect, it } from 'vitest';
import { annotation, githubReport } from '../../../src/cli/check/github.ts';
import { placedViolation, reportWith } from './placed-violations.ts';

const unreadable = { file: 'b,a.yaml', line: 3, column: 9, message: 'is 100% wrong: no\nmapping' };

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
