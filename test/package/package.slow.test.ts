import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { exceptionDocument } from '../support/exceptions.ts';
import { oldNode } from '../support/old-node.ts';
import { packedPackage, type PackedPackage } from './packed-package.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** Other versions of Node to try, as paths of programs. A machine that has them names them. */
const OTHER_NODES = (process.env['PROBEWRIGHT_NODES'] ?? '').split(':').filter((path) => path !== '');
if (OTHER_NODES.length === 0)
  console.log('PROBEWRIGHT_NODES names no other Node: the package is tested with this one only');
const NODES = [process.execPath, ...OTHER_NODES];

/** How TypeScript finds the package, and the files that import it: `.cts` and, with Node10, `.ts` become CommonJS. */
const { ModuleKind, ModuleResolutionKind } = ts;
// TypeScript calls the name deprecated. Projects have it.
// eslint-disable-next-line @typescript-eslint/no-deprecated
const NODE10 = ModuleResolutionKind.Node10;
const RESOLUTIONS: [string, string, ts.CompilerOptions][] = [
  ['NodeNext', 'mts', { module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext }],
  ['NodeNext', 'cts', { module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext }],
  ['Node16', 'mts', { module: ModuleKind.Node16, moduleResolution: ModuleResolutionKind.Node16 }],
  ['Node16', 'cts', { module: ModuleKind.Node16, moduleResolution: ModuleResolutionKind.Node16 }],
  ['Bundler', 'ts', { module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler }],
  [
    ...(['Node10', 'ts'] as const),
    { module: ModuleKind.CommonJS, moduleResolution: NODE10, ignoreDeprecations: '6.0' },
  ],
];

/** The facts of the examples in docs/api.md. */
const EXCEPTION = exceptionDocument(
  { workloads: [{ kind: 'Deployment', name: 'a' }], expires: '2099-01-01T00:00:00Z' },
  { name: 'legacy', namespace: 'default' },
);
const SERVICE = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { selector: { app: 'a' } } };

let packed: PackedPackage;
/** A project that has installed the package. */
let project: string;

beforeAll(async () => {
  packed = await packedPackage();
  project = join(packed.directory, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', '--silent', packed.tarball], { cwd: project, env: packed.environment() });
}, 180_000);

afterAll(() => packed.remove());

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

describe('the npm package', () => {
  it('has the bundle, types, schemas and licences, and nothing else', async () => {
    const files = await filesBelow(join(project, 'node_modules/probewright'));
    const others = files.filter(
      (file) => !/^dist\/[\w-]+\.m?js(\.LEGAL\.txt)?$|^schemas\/|^types\/|^helm\/|^bin\//.test(file),
    );
    expect(others.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENSES.txt',
      'index.js',
      'package.json',
    ]);
    expect(files.filter((file) => file.startsWith('schemas/')).sort()).toEqual(
      (await filesBelow(join(root, 'schemas'))).map((file) => `schemas/${file}`).sort(),
    );
  });

  it('has the name and version of the checkout, no dependency and no script', async () => {
    const manifest = JSON.parse(
      await readFile(join(project, 'node_modules/probewright/package.json'), 'utf8'),
    ) as object;
    expect(manifest).toMatchObject({ name: 'probewright', version: VERSION, license: 'Apache-2.0' });
    const members = Object.keys(manifest);
    expect(members.filter((name) => /depend|scripts|private/i.test(name))).toEqual([]);
    expect(basename(packed.tarball)).toBe(`probewright-${VERSION}.tgz`);
  });

  it('has the licence of every package whose code is in the bundle', async () => {
    const text = await readFile(join(project, 'node_modules/probewright/THIRD-PARTY-LICENSES.txt'), 'utf8');
    const named = [...text.matchAll(/^-{80}\n\n(\S+) \d/gm)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining(['fastify', 'pino', 'prom-client', 'yaml', '@peculiar/x509']));
  });

  it.each(NODES)('checks manifests in an empty folder, by npx, with %s', async (node) => {
    const empty = await mkdtemp(join(packed.directory, 'empty-'));
    // npx takes an absolute path for a program, and looks for a relative path in its own idea of the project.
    const args = [
      '--yes',
      `file:${packed.tarball}`,
      'check',
      join(root, 'examples/manifests'),
      '--policies',
      join(root, 'examples/policies'),
    ];
    const { stdout } = await run('npx', args, { cwd: empty, env: packed.environment(node) });
    expect(stdout).toContain('1 workload in 1 object: 0 errors, 0 warnings');
    expect(await readdir(empty)).toEqual([]);
  });

  it.each(NODES)('is a library, with %s', async (node) => {
    const script = `
      import { judge, fix, plan, InvalidInputError } from 'probewright';
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80 }] }] } };
      const policy = { apiVersion: 'probewright.dev/v1alpha1', kind: 'ClusterProbePolicy', metadata: { name: 'a' }, spec: { kubernetesProbeEndpoints: { readinessProbe: '/r' } } };
      const fixed = fix(pod, { policies: [policy] });
      let name;
      try { judge([], { policies: [{}] }) } catch (error) { name = error instanceof InvalidInputError && error.name }
      console.log(JSON.stringify([fixed.probes, judge(pod).workloads, plan(pod, { apply: [policy] }).summary.changedProbes, name]));
    `;
    const { stdout } = await run(node, ['--input-type=module', '-e', script], { cwd: project });
    expect(JSON.parse(stdout)).toEqual([1, 1, 1, 'InvalidInputError']);
  });

  it('says which Node each program needs, and how to get it, on an older one', async () => {
    const { command, version } = oldNode();
    const [node, ...first] = command;
    const folder = join(project, 'node_modules/probewright');
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      bin: Readonly<Record<string, string>>;
    };
    for (const program of Object.values(manifest.bin)) {
      const args = [...first, join(folder, program), '--policies', 'x', '--namespace', 'x'];
      await expect(run(node, args), program).rejects.toMatchObject({
        code: 2,
        stdout: '',
        stderr:
          `probewright: needs Node.js 22 or later, not ${version}; install one from https://nodejs.org, ` +
          'or with a version manager, for example "nvm install 24"\n',
      });
    }
  });

  it('has schemas that other programs can import', async () => {
    const script = `
      import schema from 'probewright/schemas/probewright.dev/probepolicy_v1alpha1.json' with { type: 'json' };
      console.log(schema.properties.kind.const);
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: project });
    expect(stdout).toBe('ProbePolicy\n');
  });

  it('can be required from CommonJS', async () => {
    const script = `
      const { judge, InvalidInputError } = require('probewright');
      try { judge([], { policies: [{}] }) } catch (error) { console.log(error instanceof InvalidInputError) }
    `;
    const { stdout } = await run(process.execPath, ['--input-type=commonjs', '-e', script], { cwd: project });
    expect(stdout).toBe('true\n');
  });

  const page = readFileSync(join(root, 'docs/api.md'), 'utf8');
  const examples = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

  it.each(examples)('runs this example of docs/api.md: %s', async (example) => {
    const script = `${example.includes('import ') ? '' : "import { judge } from 'probewright';"}
      const container = { name: 'app', image: 'app', livenessProbe: { httpGet: { path: '/', port: 'nowhere' } } };
      const template = { spec: { containers: [container] } };
      const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { template } };
      const policies = [], exception = ${JSON.stringify(EXCEPTION)}, service = ${JSON.stringify(SERVICE)};
      ${example}
      ${example.includes('const excepted =') ? 'console.log(JSON.stringify(excepted.map(({ check }) => check)));' : ''}`;
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: project });
    expect(stderr).toBe('');
    if (example.includes('const excepted =')) expect(stdout).toBe('["named-port"]\n');
    if (example.includes('console.log')) expect(stdout).toMatch(/^Deny spec\.template\.spec\.containers\[0\]\.liv/m);
  });

  it.each(RESOLUTIONS)(
    'compiles by %s in a strict .%s file without the types of Node, and runs',
    async (name, end, by) => {
      // Node takes a `.js` file of a folder without a package.json of its own for CommonJS.
      const folder = join(project, `by-${name}-${end}`);
      await mkdir(folder);
      await writeFile(join(folder, 'package.json'), name === 'Node10' ? '{}' : '{ "type": "module" }');
      const file = join(folder, `use.${end}`);
      await writeFile(
        file,
        `import { judge, fix, plan, InvalidInputError } from 'probewright';
       import type { CheckOutput, EngineOptions, PlanOutput } from 'probewright';
       declare const console: { log(text: unknown): void };
       const options: EngineOptions = { policies: [], namespace: 'apps' };
       export const paths: readonly string[] = judge({}, options).violations.map(({ path }) => path);
       export const count: number = fix([{}], { ...options, advice: true }).probes;
       export const planned: PlanOutput = plan([], { ...options, apply: [] });
       export const denied = (output: CheckOutput): number => output.summary.deny;
       export const places = (error: InvalidInputError): string[] => error.problems.map(({ place }) => place);
       try {
         // @ts-expect-error: there is no such option
         judge({}, { polices: [] });
       } catch (error) {
         if (error instanceof InvalidInputError) console.log(error.message);
       }\n`,
      );
      const program = ts.createProgram([file], {
        ...by,
        target: ts.ScriptTarget.ES2022,
        lib: ['lib.es2022.d.ts'],
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
      });
      const problems = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
      expect(problems).toEqual([]);
      program.emit();
      const { stdout } = await run(process.execPath, [file.replace(/ts$/, 'js')], { cwd: folder });
      expect(stdout).toBe('options.polices: is not an option; did you mean "policies"?\n');
    },
  );

  it.each(['import', 'require'])(
    'says in one sentence which Node it needs to an older one that runs %s',
    async (how) => {
      const { command, version } = oldNode();
      const [node, ...first] = command;
      const script = how === 'import' ? `import 'probewright';` : `require('probewright');`;
      const args = [...first, `--input-type=${how === 'import' ? 'module' : 'commonjs'}`, '-e', script];
      const { code, stderr } = await run(node, args, { cwd: project }).then(
        () => ({ code: 0, stderr: '' }),
        (error: unknown) => error as { code: number; stderr: string },
      );
      expect([code, stderr.match(/^\w*Error.*$/gm)]).toEqual([
        1,
        [
          `Error: probewright: needs Node.js 22 or later, not ${version}; install one from https://nodejs.org, ` +
            'or with a version manager, for example "nvm install 24"',
        ],
      ]);
    },
  );

  it('has the programs that package.json names', async () => {
    const { bin } = JSON.parse(await readFile(join(project, 'node_modules/probewright/package.json'), 'utf8')) as {
      bin: Readonly<Record<string, string>>;
    };
    for (const name of Object.keys(bin)) expect(existsSync(join(project, 'node_modules/.bin', name)), name).toBe(true);
    const { stdout } = await run(process.execPath, [join(project, 'node_modules/.bin/kubectl-probewright'), 'version']);
    expect(stdout).toBe(`probewright ${VERSION}\n`);
  });
});
