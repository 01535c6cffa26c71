import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { baselineText, readBaseline } from '../../src/cli/check/baseline.ts';
import { withoutKnown, type PlacedViolation, type FindingIdentity } from '../../src/cli/check/report.ts';
import { runProbewright, type Ran } from './run-probewright.ts';
import { deploymentWithTypo as deployment } from './deployment-with-typo.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const at = (name: string): string => join(directory, name);
const check = (...args: string[]): Promise<Ran> => runProbewright(['check', ...args], { directory });

describe('a baseline', () => {
  it('is not written when an input cannot be read, and the findings are shown', async () => {
    await writeFile(at('web.yaml'), deployment('web'));
    const { code, stdout, stderr } = await check(at('web.yaml'), at('gone.yaml'), '--write-baseline', at('known.json'));
    expect(code).toBe(2);
    expect(stdout).toContain('named-port');
    expect(stderr).toContain('DIR/known.json: is not written, because an input cannot be read\n');
    await expect(stat(at('known.json'))).rejects.toThrow('ENOENT');
  });

  it('is never written over a device, and a directory that is missing is an error', async () => {
    await writeFile(at('web.yaml'), deployment('web'));
    for (const [file, reason] of [
      ['/dev/null', 'cannot be written: /dev/null is a character device and must be a regular file'],
      [at('missing/known.json'), 'cannot be written: ENOENT'],
    ] as const) {
      const { code, stderr } = await check(at('web.yaml'), '--write-baseline', file);
      expect(code).toBe(2);
      expect(stderr).toContain(reason);
    }
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });
});

describe('a malformed baseline', () => {
  const finding = { check: 'named-port', kind: 'Deployment', namespace: 'apps', name: 'web', container: 'app' };

  it.each<[text: string, problem: string | RegExp]>([
    ['{', /^is not JSON: /],
    ['[]', 'must be a JSON object, not []'],
    ['{"findings":[]}', 'version: must be 1, not nothing'],
    ['{"version":2,"findings":[]}', 'version: must be 1, not 2'],
    ['{"version":1,"finding":[]}', 'finding: unknown field; did you mean "findings"?'],
    ['{"version":1,"findings":{}}', 'findings: must be a list, not {}'],
    ['{"version":1,"findings":[null]}', 'findings[0]: must be an object, not null'],
    [
      JSON.stringify({ version: 1, findings: [finding, { ...finding, name: 5 }] }),
      'findings[1].name: must be a text, not 5',
    ],
    [
      JSON.stringify({ version: 1, findings: [{ ...finding, probe: [] }] }),
      'findings[0].probe: must be a text, not []',
    ],
    [
      JSON.stringify({ version: 1, findings: [{ ...finding, conatiner: 'x' }] }),
      'findings[0].conatiner: unknown field; did you mean "container"?',
    ],
    ['{"version":1,"findings":[{"__proto__":{"check":"x"}}]}', 'findings[0].__proto__: unknown field'],
    [`{"version":1,"findings":["${'x'.repeat(1000)}"]}`, /^findings\[0\]: must be an object, not "x{50,60}\.\.\.$/],
  ])('%s is refused with path and value', async (text, problem) => {
    expect(() => readBaseline(text)).toThrow(typeof problem === 'string' ? new Error(problem) : problem);
    await writeFile(at('known.json'), text);
    const { code, stdout, stderr } = await check('-', '--baseline', at('known.json'));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.startsWith('DIR/known.json: ')).toBe(true);
  });
});

describe('all baselines', () => {
  const word = fc.constantFrom('a', 'b', '__proto__', '\u202e"');
  const finding: fc.Arbitrary<FindingIdentity> = fc.record(
    { check: word, kind: word, namespace: word, name: word, container: word, probe: word },
    { requiredKeys: ['check', 'kind', 'namespace', 'name', 'container'] },
  );
  const violationOf = (identity: FindingIdentity): PlacedViolation =>
    ({ ...identity, action: 'Deny', path: [], message: '', file: '', line: 1, column: 1 }) as PlacedViolation;

  it('are read as they were written, whatever the order of the findings, and hide exactly these findings', () =>
    fc.assert(
      fc.property(fc.array(finding, { maxLength: 8 }), fc.array(finding, { maxLength: 4 }), (findings, others) => {
        const text = baselineText(findings);
        expect(baselineText(findings.toReversed())).toBe(text);
        const entries = readBaseline(text);
        expect(baselineText(entries)).toBe(text);
        const summary = { objects: 1, workloads: 1, deny: 0, warn: 0, audit: 0 } as never;
        const violations = [...others, ...findings].map(violationOf);
        const left = withoutKnown({ violations, summary, warnings: [], problems: [] }, entries);
        expect(left.known).toBe(findings.length);
        expect(left.stale).toEqual([]);
        expect(left.report.violations).toHaveLength(others.length);
        const none = withoutKnown({ violations: [], summary, warnings: [], problems: [] }, entries);
        expect(none.stale).toEqual(entries);
      }),
    ));
});
