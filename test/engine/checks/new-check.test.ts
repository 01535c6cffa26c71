import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CATALOGUE_FILE, EXAMPLES_FILE } from '../../../scripts/checks/catalogue-file.ts';
import { CHECKS } from '../../../src/engine/checks/catalogue.ts';
import { CAUSE_TEXTS } from '../../../src/observer/failing/causes.ts';

const ID = 'invented-check';
const FILE = `src/engine/checks/${ID}.ts`;

/** The file that CONTRIBUTING.md asks for, with a rule that no check of the catalogue has. */
const CHECK = `
import { containerPhrase, defineCheck, located } from './check.ts';

export const inventedCheck = defineCheck({
  id: '${ID}',
  summary: 'A probe runs more often than you want.',
  action: 'Warn',
  parameters: {
    shortest: { type: 'integer', minimum: 1, default: 3, text: 'Least periodSeconds of a probe. Default 3.' },
  },
  eachProbe: (probe, { shortest }) => {
    const { container, timing } = probe;
    if (timing === undefined || timing.periodSeconds >= shortest) return undefined;
    const message = \`\${containerPhrase(container)} is probed every \${timing.periodSeconds} s\`;
    return { ...located(probe, 'periodSeconds'), message, remedy: \`write \${shortest}\` };
  },
});
`;

const policy = (shortest: number): string => `
apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: house-rules }
spec: { checks: { ${ID}: { action: Deny, shortest: ${shortest} } } }
`;
const POD = `
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: apps }
spec:
  containers:
    - name: app
      image: example.test/web:1
      ports: [{ name: http, containerPort: 8080 }]
      readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5 }
`;

/** A copy of what the generators and the program read. The tests change the copy only. */
const copy = mkdtempSync(join(tmpdir(), 'probewright-new-check-'));
const inCopy = (path: string): string => join(copy, path);
const textInCopy = (path: string): string => readFileSync(inCopy(path), 'utf8');

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** What \`probewright check\` prints and returns about the Pod under a policy. */
function check(shortest: number): { status: number | null; text: string } {
  writeFileSync(inCopy('manifests.yaml'), `${policy(shortest)}---${POD}`);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['src/main.ts', 'check', 'manifests.yaml', '--output', 'github'],
    { cwd: copy, encoding: 'utf8' },
  );
  return { status, text: `${stdout}${stderr}` };
}

describe('a check that is added as CONTRIBUTING.md says', () => {
  beforeAll(() => {
    for (const path of ['src', 'scripts', 'charts', 'schemas', 'examples/library', 'docs/checks.md', 'package.json'])
      cpSync(path, inCopy(path), { recursive: true });
    symlinkSync(resolve('node_modules'), inCopy('node_modules'));
    writeFileSync(inCopy(FILE), CHECK);
    writeFileSync(
      inCopy('docs/checks.md'),
      `${textInCopy('docs/checks.md')}\n## ${ID}\n\n\`\`\`diff\n-  a: 1\n+  a: 2\n\`\`\`\n`,
    );
    const scripts = (parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts;
    for (const generator of ['generate:checks', 'generate:crds', 'generate:chart'])
      for (const [, script = ''] of (scripts[generator] ?? '').matchAll(/node (\S+)/g))
        execFileSync(process.execPath, [script], { cwd: copy });
  });

  afterAll(() => rmSync(copy, { recursive: true }));

  it('touches its own file in src/, and the generated lists', () => {
    const changed = filesOf(inCopy('src'))
      .map((file) => file.slice(copy.length + 1))
      .filter((file) => file === FILE || textInCopy(file) !== readFileSync(file, 'utf8'));
    expect(changed.sort()).toEqual([EXAMPLES_FILE, CATALOGUE_FILE, FILE]);
  });

  it('has its parameters in the CRDs, with their texts and limits', () => {
    for (const kind of ['probepolicies', 'clusterprobepolicies']) {
      const crd = parse(textInCopy(`charts/probewright/files/crds/${kind}.yaml`)) as {
        spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: unknown } } } } }[] };
      };
      const { checks } = crd.spec.versions[0]?.schema.openAPIV3Schema.properties.spec.properties as {
        checks: { properties: Record<string, { properties: Record<string, unknown> }> };
      };
      expect(checks.properties[ID]?.properties['shortest']).toEqual({
        description: 'Least periodSeconds of a probe. Default 3.',
        type: 'integer',
        format: 'int32',
        minimum: 1,
        maximum: 2_147_483_647,
      });
    }
  });

  it('runs with the parameters of policies', () => {
    expect(check(5)).toEqual({ status: 0, text: '' });
    const found = check(6);
    expect(found.status).toBe(1);
    expect(found.text).toContain(`container "app" is probed every 5 s; write 6 (${ID})`);
  });

  it('has its parameters read by the policy parser', () => {
    const refused = check(0);
    expect(refused.status).not.toBe(0);
    expect(refused.text).toContain(`spec.checks.${ID}.shortest`);
  });
});

it('no file of src/ names a check by its id, except the file of the check, and the table of checks as CEL', () => {
  // The observer has a cause `other-protocol`: what a live probe got for an answer.
  const ids = CHECKS.map(({ id }) => id).filter((id) => !Object.hasOwn(CAUSE_TEXTS, id));
  const named = filesOf('src')
    .filter((file) => file.endsWith('.ts') && !file.endsWith('native/deny-law.ts'))
    .flatMap((file) => {
      const code = readFileSync(file, 'utf8').replace(/^import .*$/gm, '');
      const literals = [...code.matchAll(/'([a-z-]+)'/g)].map(([, text]) => text);
      return ids.filter((id) => literals.includes(id) && basename(file) !== `${id}.ts`).map((id) => `${file}: ${id}`);
    });
  expect(named).toEqual([]);
});
