import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { RenderedChart } from '../../../src/cli/lsp/chart-findings.ts';
import { Workspace } from '../../../src/cli/lsp/workspace.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { NOW } from '../../support/now.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';
import { withTools } from '../tools-on-path.ts';
import type { Level } from '../../../src/engine/verdict/levels.ts';

/** A Deployment with a container for each of these ports of a probe. Each has the port `http`. */
const deployment = (...ports: readonly string[]): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  template:
    spec:
      containers:
${ports
  .map(
    (port, index) => `        - name: c${index}
          ports: [{ name: http, containerPort: 80 }]
          livenessProbe: { httpGet: { path: /livez, port: ${port} } } # of c${index}
`,
  )
  .join('')}`;
const WRONG = deployment('htpp');
const POLICY = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: p }
spec: { checks: { named-port: { action: Warn } } }
`;

let chart: string;
beforeEach(async () => {
  chart = join(await temporaryDirectory(), 'chart');
});

/** The findings in a chart with these templates, each as helm prints it. */
async function findingsIn(
  templates: Readonly<Record<string, string>>,
  { open = {}, minLevel }: { open?: Readonly<Record<string, string>>; minLevel?: Level } = {},
): Promise<unknown> {
  await writeFiles(chart, { 'Chart.yaml': 'name: web\n', ...templates });
  const script = Object.keys(templates).map(
    (file) => `echo "---\n# Source: web/${file}"\ncat "${join(chart, file)}"\n`,
  );
  onTestFinished(await withTools(await temporaryDirectory(), { helm: script.join('') }));
  const usual = { policies: undefined, minLevel, kinds: KNOWN_KINDS, now: () => NOW, hasFolder: false };
  const workspace = new Workspace(usual);
  for (const [file, text] of Object.entries(open)) workspace.open.set(join(chart, file), text);
  const found = new RenderedChart(workspace, chart, await workspace.texts([chart], true)).found;
  return Object.fromEntries(
    [...found].map(([path, diagnostics]) => [
      path.replace(`${chart}/`, ''),
      diagnostics.map(({ code, severity, range: { start, end } }) => [
        `${String(code)} ${severity}`,
        `${start.line}:${start.character}-${end.line}:${end.character}`,
      ]),
    ]),
  );
}

const [A, B] = ['templates/a.yaml', 'templates/b.yaml'];

it('the findings of a chart are those of its templates as helm prints them, by path, up to the comment of the line', async () => {
  const templates = { [A]: deployment('htpp', 'http', 'grpc'), [B]: WRONG, 'templates/c.yaml': deployment('http') };
  expect(await findingsIn(templates)).toEqual({
    [A]: [
      ['named-port 1', '9:10-9:66'],
      ['named-port 1', '15:10-15:66'],
    ],
    [B]: [['named-port 1', '9:10-9:66']],
  });
});

it('policies of open files count, and findings below the level are left out', async () => {
  const open = { 'p.yaml': POLICY };
  expect(await findingsIn({ [A]: WRONG }, { open })).toEqual({ [A]: [['named-port 2', '9:10-9:66']] });
  expect(await findingsIn({ [A]: WRONG }, { open, minLevel: 'error' })).toEqual({});
});

it('a chart that helm does not render has no findings', async () => {
  expect(await findingsIn({})).toEqual({});
});
