import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { baselineText, readBaseline } from '../../../src/cli/check/baseline.ts';
import { withoutKnown } from '../../../src/cli/check/known-findings.ts';
import type { PlacedViolation, FindingIdentity } from '../../../src/cli/check/report.ts';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { deploymentWithTypo as deployment } from '../deployment-with-typo.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/check/baseline.test.ts');

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

it('a baseline that is not JSON is refused', async () => {
  await writeFile(at('known.json'), '{');
  const { code, stdout, stderr } = await check('-', '--baseline', at('known.json'));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^DIR\/known\.json: is not JSON: /);
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
        const violations = [...others, ...findings].map(violationOf);
        const left = withoutKnown(violations, entries);
        expect(left.known).toBe(findings.length);
        expect(left.stale).toEqual([]);
        expect(left.violations).toHaveLength(others.length);
        const none = withoutKnown([], entries);
        expect(none.stale).toEqual(entries);
      }),
    ));
});
