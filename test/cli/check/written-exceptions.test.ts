import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { parseProbeException } from '../../../src/engine/policy/read-exception.ts';
import { exceptionsText } from '../../../src/cli/check/written-exceptions.ts';
import { deploymentWithTypo } from '../deployment-with-typo.ts';
import { runProbewright } from '../run-probewright.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'probewright-exceptions-'));
});
afterAll(() => rm(directory, { recursive: true }));

const TYPO = deploymentWithTypo('web');
const NOW = ['--now', '2026-07-01T00:00:00Z'];
const ASKED = ['--expires', '2026-12-31', '--owner', 'team: a'];

async function check(text: string, ...flags: readonly string[]) {
  await writeFile(join(directory, 'web.yaml'), text);
  return runProbewright(['check', join(directory, 'web.yaml'), ...NOW, '--no-project-file', ...flags]);
}
const file = (): string => join(directory, 'exceptions.yaml');

describe('written exceptions', () => {
  it('allow what is found now, by the same judge, and nothing that is new', async () => {
    expect((await check(TYPO)).code).toBe(1);
    const written = await check(TYPO, '--write-exceptions', file(), ...ASKED);
    expect([written.code, written.stderr]).toEqual([0, '']);
    const again = await check(TYPO, '--policies', file());
    expect([again.code, again.stderr]).toEqual([0, '']);
    const both = `${TYPO}          livenessProbe: { httpGet: { path: /, port: 99999 } }\n`;
    expect((await check(both, '--policies', file())).code).toBe(1);
    expect((await check(deploymentWithTypo('other'), '--policies', file())).code).toBe(1);
    const late = ['check', join(directory, 'web.yaml'), '--no-project-file', '--policies', file()];
    await writeFile(join(directory, 'web.yaml'), TYPO);
    expect((await runProbewright([...late, '--now', '2026-12-31T00:00:00Z'])).code).toBe(1);
  });

  it('are objects that the API server and the webhook take', async () => {
    await check(TYPO, '--write-exceptions', file(), ...ASKED);
    const documents = parseAllDocuments(await readFile(file(), 'utf8'));
    expect(documents).toHaveLength(1);
    for (const document of documents) {
      const object = document.toJS() as JsonObject;
      expect(object).toMatchObject({
        metadata: { name: 'deployment-web-app', namespace: 'apps' },
        spec: {
          checks: ['named-port'],
          workloads: [{ kind: 'Deployment', name: 'web' }],
          containers: ['app'],
          owner: 'team: a',
          expires: '2026-12-31T00:00:00Z',
        },
      });
      expect(parseProbeException(CHECK_CATALOGUE, object).problems).toBeUndefined();
    }
  });

  it('are one for each container, in the same order for the same findings', () => {
    const finding = (check: string, container: string) => ({
      ...{ check, kind: 'Deployment', namespace: 'apps', name: '123', container },
    });
    const found = [finding('probe-host', 'b'), finding('named-port', 'a'), finding('named-port', 'b')];
    const asked = { owner: 'x', expires: 0 };
    const text = exceptionsText(found, asked);
    expect(text).toBe(exceptionsText(found.toReversed(), asked));
    expect(parseAllDocuments(text).map((each) => (each.toJS() as { spec: JsonObject }).spec)).toMatchObject([
      { containers: ['a'], checks: ['named-port'], workloads: [{ name: '123' }] },
      { containers: ['b'], checks: ['named-port', 'probe-host'] },
    ]);
    expect(exceptionsText([], asked)).toBe('');
  });

  it('are not written for what no exception may allow', async () => {
    const policy = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: strict }
spec: { exceptions: { maximumDays: 30, checks: [probe-host] } }
`;
    const text = `${TYPO}---\n${policy}`;
    const { code, stderr } = await check(text, '--write-exceptions', file(), ...ASKED);
    expect(code).toBe(1);
    expect(stderr).toContain('1 finding may have no exception, and must be repaired');
    expect(await readFile(file(), 'utf8')).toBe('');
  });

  it('are not written for what the API server refuses, too', async () => {
    const refused = deploymentWithTypo('web', 'http', ', successThreshold: 0, timeoutSeconds: -1');
    const { code, stderr } = await check(refused, '--write-exceptions', file(), ...ASKED);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('1 finding may have no exception, and must be repaired'),
    ]);
    expect(await readFile(file(), 'utf8')).toBe('');
  });

  it.each([
    [['--write-exceptions', 'x'], '--expires: must be given with --write-exceptions'],
    [['--write-exceptions', 'x', '--expires', '2026-12-31'], '--owner: must be given with --write-exceptions'],
    [['--owner', 'a'], '--owner: only with --write-exceptions'],
    [['--write-exceptions', 'x', '--write-baseline', 'y', ...ASKED], 'leave one out'],
    [['--write-exceptions', 'x', '--expires', 'soon', '--owner', 'a'], '--expires: must be a day such as 2027-01-31'],
    [['--write-exceptions', 'x', '--expires', '2026-01-01', '--owner', 'a'], '--expires: has passed'],
    [['--write-exceptions', 'x', '--expires', '2026-12-31', '--owner', ' '], '--owner: must be a name of at most 128'],
  ])('need their flags: %s', async (flags, problem) => {
    const { code, stderr } = await check(TYPO, ...flags);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });
});
