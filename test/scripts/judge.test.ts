import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countOf, findingsIn, judgeReport } from '../../scripts/judge/judged-findings.ts';
import { runProbewright } from '../cli/run-probewright.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Level } from '../../src/engine/verdict/levels.ts';
import type { CheckOutput } from '../../src/cli/output/json-outputs.ts';

const CONTAINER = `
      - name: app
        image: app:1
        ports: [{ name: web, containerPort: 8080 }]
        livenessProbe: { httpGet: { path: /live, port: web }, failureThreshold: 1 }`;
const SIDECAR = `
      - name: log
        image: log:1`;
const deployment = (containers: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:${containers}
`;
const SERVICE = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: web }] }
`;

async function directoryWith(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(directory, name, '..'), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  return directory;
}

const WEB = { 'web.yaml': deployment(CONTAINER), 'service.yaml': SERVICE };

describe('the findings of a directory, for the table of judgements', () => {
  it('are those of check, also where a Service is in another file', async () => {
    const directory = await directoryWith(WEB);
    const { workloads, findings, problems } = await findingsIn(directory);
    const { stdout } = await runProbewright(['check', directory, '--output', 'json', '--min-level', 'note']);
    const { summary } = JSON.parse(stdout) as CheckOutput;
    expect(countOf('error', findings)).toBe(summary.deny);
    expect(countOf('warning', findings)).toBe(summary.warn);
    expect(countOf('note', findings)).toBe(summary.audit);
    expect(workloads).toBe(summary.workloads);
    expect(problems).toEqual([]);
    expect(findings.map(({ key }) => key)).toContain('web Deployment shop/web app service-readiness readinessProbe');
  });

  it('keep their keys when lines, the order of containers and the directory change', async () => {
    const before = await findingsIn(await directoryWith(WEB));
    const moved = { 'charts/web.yaml': `# a new line\n${deployment(SIDECAR + CONTAINER)}`, 'service.yaml': SERVICE };
    const after = await findingsIn(await directoryWith(moved));
    expect(after.findings).toEqual(before.findings);
  });

  it('are printed as totals, a table, and a line each', () => {
    const found = (level: Level, check: string) => ({ level, check, key: `web Pod web app ${check}` });
    const findings = [found('error', 'named-port'), found('warning', 'exec-cost'), found('note', 'exec-cost')];
    expect(judgeReport({ workloads: 4, findings, problems: [] })).toBe(
      [
        '4 workloads: 1 error, 1 warning, 1 note, 0.25 warnings a workload',
        '              error  warning     note',
        'exec-cost         0        1        1',
        'named-port        1        0        0',
        'error: web Pod web app named-port',
        'warning: web Pod web app exec-cost',
        'note: web Pod web app exec-cost',
      ].join('\n'),
    );
    expect(judgeReport({ workloads: 0, findings: [], problems: [] })).toBe(
      '0 workloads: 0 errors, 0 warnings, 0 notes',
    );
  });

  it('are incomplete when a file cannot be read: its problem is told with its place', async () => {
    const directory = await directoryWith({ ...WEB, 'broken.yaml': 'kind: Pod\napiVersion: v1\nspec: [\n' });
    const { workloads, problems } = await findingsIn(directory);
    expect(workloads).toBe(1);
    expect(problems.map((problem) => problem.replace(directory, 'DIR'))).toEqual([
      expect.stringMatching(/^DIR\/broken\.yaml:\d+:\d+: /),
    ]);
  });
});

describe('a directory that cannot be judged', () => {
  it('is named, and is never taken for an object of a cluster', async () => {
    await expect(findingsIn('deploy/web')).rejects.toThrow(/^deploy\/web: cannot be read: ENOENT/);
    await expect(findingsIn('package.json')).rejects.toThrow('package.json: is no directory; name a directory');
    const directory = await directoryWith({ 'service.yaml': SERVICE });
    await expect(findingsIn(directory)).rejects.toThrow(`${directory}: has no workload to judge`);
  });
});
