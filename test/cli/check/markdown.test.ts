import { describe, expect, it } from 'vitest';
import { markdownReport } from '../../../src/cli/check/markdown.ts';
import { placedViolation, reportWith } from './placed-violations.ts';

const port = placedViolation();
const unreadable = { file: 'b,a.yaml', line: 3, column: 9, message: 'is 100% wrong: no\nmapping' };

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
