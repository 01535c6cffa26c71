import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runProbewright } from './run-probewright.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** Findings that only the text of a manifest shows: an unknown field, a misplaced probe, a key that is written twice. */
const TYPO = '          readinessProbe: { httpGet: { path: /, port: http }, periodSecond: 5 }\n';
const MISPLACED = '      readinessProbe: { httpGet: { path: /, port: http } }\n';
const TWICE = `          readinessProbe:
            httpGet: { path: /, port: http }
            periodSeconds: 5
            periodSeconds: 6
`;

const manifest = (lines: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: apps }
spec:
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: app
          image: example.test/app:1
          ports: [{ name: http, containerPort: 8080 }]
${lines}`;

const exception = (spec = ''): string => `---
apiVersion: probewright.dev/v1alpha1
kind: ProbeException
metadata: { name: legacy, namespace: apps }
spec:
  checks: [valid-probe]
  workloads: [{ kind: Deployment, name: web }]
  owner: team-a
  reason: The operator writes this field.
  expires: "1970-03-01T00:00:00Z"
${spec}`;

async function found(text: string, ...args: string[]): Promise<JsonObject[]> {
  const { stdout } = await runProbewright(['check', '-', '--output', 'json', '--min-level', 'note', ...args], {
    stdin: text,
  });
  const { violations } = JSON.parse(stdout) as { violations: JsonObject[] };
  return violations.filter(({ check }) => check === 'valid-probe');
}

describe.each([
  ['an unknown field', TYPO],
  ['a misplaced probe', MISPLACED],
  ['a key that is written twice', TWICE],
])('%s', (_, lines) => {
  it('is excepted until the end of the exception, and names the exception afterwards', async () => {
    const named = {
      name: 'legacy',
      owner: 'team-a',
      reason: 'The operator writes this field.',
      expires: '1970-03-01T00:00:00Z',
    };
    const [plain] = await found(manifest(lines));
    expect(plain).toMatchObject({ action: 'Deny' });
    const [excepted] = await found(manifest(lines) + exception());
    expect(excepted).toEqual({ ...plain, action: 'Excepted', exception: named });
    const [ended] = await found(manifest(lines) + exception(), '--now', '1970-03-01T00:00:00Z');
    expect(ended).toMatchObject({ action: 'Deny', endedException: named });
  });

  it('is not excepted by an exception for another container, or where policies ignore exceptions', async () => {
    const [other] = await found(manifest(lines) + exception('  containers: [cache]\n'));
    expect(other).toMatchObject({ action: 'Deny' });
    const ignoring = `---
apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: strict }
spec: { exceptions: { action: Ignore } }
`;
    const [ignored] = await found(manifest(lines) + exception() + ignoring);
    expect(ignored).toMatchObject({ action: 'Deny' });
  });

  it('is shown as excepted by every output', async () => {
    const run = (...args: string[]): ReturnType<typeof runProbewright> =>
      runProbewright(['check', '-', ...args], { stdin: manifest(lines) + exception() });
    expect(await run('--strict')).toMatchObject({ code: 0, stderr: '' });
    const reason = 'ProbeException legacy (owner team-a) until 1970-03-01T00:00:00Z: The operator writes this field.';
    for (const output of ['text', 'github', 'junit', 'sarif']) {
      const { code, stdout } = await run('--output', output, '--min-level', 'note');
      expect([output, code]).toEqual([output, 0]);
      expect(stdout).toContain(reason);
    }
  });

  it('is in the plan of an exception', async () => {
    const directory = await temporaryDirectory();
    await writeFile(`${directory}/exception.yaml`, exception());
    const { code, stdout } = await runProbewright(
      ['plan', '-', '--policies', `${directory}/exception.yaml`, '--output', 'json'],
      { stdin: manifest(lines) },
    );
    const plan = JSON.parse(stdout) as { workloads: { violations: JsonObject[] }[]; summary: JsonObject };
    expect(code).toBe(1);
    expect(plan.workloads.flatMap(({ violations }) => violations)).toMatchObject([
      { check: 'valid-probe', change: 'changed', before: 'Deny', after: 'Excepted' },
    ]);
    expect(plan.summary).toMatchObject({ newlyDenied: 0, noLongerDenied: 1 });
  });
});
