import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PROJECT_SCHEMA } from '../../../scripts/schemas/file-schemas.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { withTools } from '../tools-on-path.ts';

let directory = '';
const home = process.cwd();
beforeEach(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory, 'repo/.git'), { recursive: true });
});
afterEach(() => {
  process.chdir(home);
});

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: app, image: x, ports: [{ containerPort: 8080 }] }] }
`;
const POLICY = `apiVersion: probewright.dev/v1alpha1
kind: ProbePolicy
metadata: { name: p, namespace: shop }
spec: { port: 8080, kubernetesProbeEndpoints: { readinessProbe: /ready } }
`;

const write = (files: Readonly<Record<string, string>>): Promise<void> => writeFiles(directory, files);

/** A command line in a directory. */
async function run(folder: string, ...args: readonly string[]): Promise<Ran> {
  process.chdir(join(directory, folder));
  return await runProbewright(args, { directory });
}

describe('the project file', () => {
  it('counts for a directory below it, with paths relative to the file', async () => {
    await write({
      'repo/.probewright.yaml': 'policies: rules/policy.yaml\nnamespace: shop\nexclude: [apps/old/**, "*.skip.yaml"]\n',
      'repo/rules/policy.yaml': POLICY,
      'repo/apps/web.yaml': DEPLOYMENT,
      'repo/apps/web.skip.yaml': 'kind: [',
      'repo/apps/old/web.yaml': 'kind: [',
    });
    for (const [folder, input, paths, file] of [
      ['repo', 'apps', 'apps/old, apps/web.skip.yaml', ''],
      ['repo/apps', '.', 'old, web.skip.yaml', '../'],
    ] as const) {
      const { code, stdout, stderr } = await run(folder, 'check', input);
      const leftOut = `leaves out 2 paths by exclude [apps/old/**, *.skip.yaml]: ${paths}`;
      const sets = `sets --policies ${file}rules/policy.yaml, --namespace shop`;
      expect([code, stderr]).toEqual([0, `${file}.probewright.yaml ${leftOut}; ${sets}\n`]);
      expect(stdout).toContain('readinessProbe: 1 gets one from a policy');
    }
  });

  it('is named in every output with what it leaves out and sets, as this may turn a red result green', async () => {
    const bad = DEPLOYMENT.replace('ports:', 'readinessProbe: { httpGet: { port: htpp } }, ports:');
    await write({
      'repo/.probewright.yaml': 'exclude: ["bad*", "notes.md"]\nminLevel: error\nnamespace: shop\n',
      'repo/web.yaml': DEPLOYMENT,
      'repo/bad\u001b[2K\n::stop.yaml': bad,
      'repo/bad/x.yaml': bad,
      'repo/bad.txt': '',
      'repo/notes.md': '',
    });
    const sets = ['--namespace shop', '--min-level error'];
    for (const output of ['text', 'json', 'sarif', 'junit', 'github', 'gitlab', 'markdown']) {
      const { code, stdout, stderr } = await run('repo', 'check', '.', '--output', output);
      expect(code).toBe(0);
      for (const word of ['leaves out 2 paths', 'bad\\u001b[2K\\n::stop.yaml', ...sets]) expect(stderr).toContain(word);
      if (output === 'github') expect(stdout).toMatch(/^::notice file=\.probewright\.yaml,.*leaves out 2 paths/m);
      if (output === 'markdown') expect(stdout).toContain('.probewright.yaml leaves out 2 paths');
      if (output === 'json')
        expect((JSON.parse(stdout) as { project: unknown }).project).toEqual({
          file: '.probewright.yaml',
          exclude: ['bad*', 'notes.md'],
          leftOut: ['bad', 'bad\u001b[2K\n::stop.yaml'],
          sets,
        });
    }
    for (const command of ['fix', 'explain', 'report', 'snapshot'])
      expect((await run('repo', command, '.', ...(command === 'fix' ? ['--advice'] : []))).stderr).toContain(
        'leaves out 2',
      );
    const none = await run('repo', 'check', '.', '--no-project-file');
    expect([none.code, none.stderr]).toEqual([1, '']);
    // Flags override what the file sets, and a named file that is left out is told, too.
    const named = await run('repo', 'check', 'bad/x.yaml', 'web.yaml', '-n', 'own', '--min-level', 'note');
    expect(named.stderr).toBe('.probewright.yaml leaves out 1 path by exclude [bad*, notes.md]: bad/x.yaml\n');
    expect((await run('repo', 'check', 'bad/x.yaml')).code).toBe(2);
  });

  it('names ten paths in one line, and all with --verbose', async () => {
    const files = Array.from({ length: 12 }, (_, index) => [`repo/bad${index + 10}.yaml`, DEPLOYMENT] as const);
    await write({
      'repo/.probewright.yaml': 'exclude: ["bad*"]\n',
      'repo/web.yaml': DEPLOYMENT,
      ...Object.fromEntries(files),
    });
    const { stderr } = await run('repo', 'check', '.');
    expect(stderr).toMatch(/leaves out 12 paths .*bad19\.yaml, 2 more, which --verbose lists\n$/);
    expect((await run('repo', 'check', '.', '--verbose')).stderr).toMatch(/bad20\.yaml, bad21\.yaml\n/);
  });

  it('is a named one with paths from the working directory, and may be empty', async () => {
    await write({
      'repo/.probewright.yaml': 'exclude: ["*.yaml"]\n',
      'elsewhere/base.yaml': 'policies: rules/policy.yaml\nnamespace: shop\nexclude: [apps/old]\n',
      'elsewhere/empty.yaml': '',
      'repo/rules/policy.yaml': POLICY,
      'repo/apps/web.yaml': DEPLOYMENT,
      'repo/apps/old/web.yaml': 'kind: [',
    });
    const { code, stdout, stderr } = await run('repo', 'check', 'apps', '--project-file', '../elsewhere/base.yaml');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('base.yaml leaves out 1 path by exclude [apps/old]: apps/old'),
    ]);
    expect(stdout).toContain('readinessProbe: 1 gets one from a policy');
    const empty = await run('repo', 'check', 'apps/web.yaml', '--project-file', '../elsewhere/empty.yaml');
    expect([empty.code, empty.stderr]).toEqual([0, '']);
    expect((await run('repo', 'check', 'apps', '--project-file', '../none.yaml')).code).toBe(2);
    const absolute = await run('repo', 'check', 'apps', '--project-file', join(directory, 'elsewhere/base.yaml'));
    expect(absolute.stderr).toMatch(/^DIR\/elsewhere\/base\.yaml leaves out 1 path/);
  });

  it('is refused where it is a link out of the repository, and tells the target to name', async () => {
    await write({ 'elsewhere/base.yaml': 'namespace: shop\n', 'repo/web.yaml': DEPLOYMENT });
    const target = join(directory, 'elsewhere/base.yaml');
    await symlink(target, join(directory, 'repo/.probewright.yaml'));
    const reasonFor = async (...flags: readonly string[]): Promise<string> => {
      const { code, stderr } = await run('repo', 'check', 'web.yaml', ...flags);
      expect(code).toBe(2);
      return stderr.split('\n')[0] ?? '';
    };
    expect(await reasonFor()).toBe('.probewright.yaml:1:1: cannot be read: it leads out of DIR/repo');
    expect(await reasonFor('--project-file', '.probewright.yaml')).toContain('; name DIR/elsewhere/base.yaml itself');
  });

  it('is overridden by flags, and globs of both leave files out', async () => {
    await write({
      'repo/.probewright.yaml': 'policies: policy.yaml\nnamespace: shop\nexclude: [old]\nminLevel: note\n',
      'repo/policy.yaml': POLICY,
      'repo/web.yaml': DEPLOYMENT,
      'repo/old/web.yaml': 'kind: [',
      'repo/new/web.yaml': 'kind: [',
    });
    const { code, stdout } = await run('repo', 'check', '.', '-n', 'other', '--exclude', 'new');
    expect(code).toBe(0);
    expect(stdout).toContain('readinessProbe: 1 lacks one');
    const probe = 'readinessProbe: { httpGet: { path: /, port: 9999 } }';
    await write({ 'repo/note.yaml': DEPLOYMENT.replace('image: x', `image: x, ${probe}`) });
    const levels = [];
    for (const flags of [[], ['--min-level', 'error']])
      levels.push((await run('repo', 'check', 'note.yaml', ...flags)).stdout.includes('hidden'));
    expect(levels).toEqual([false, true]);
  });

  it('selects checks, and a command line that selects checks replaces the selection', async () => {
    const probe = 'readinessProbe: { httpGet: { path: /, port: http } }';
    await write({ 'repo/web.yaml': DEPLOYMENT.replace('image: x', `image: x, ${probe}`) });
    const codes = async (text: string, ...flags: readonly string[]): Promise<number> => {
      await write({ 'repo/.probewright.yaml': text });
      return (await run('repo', 'check', 'web.yaml', ...flags)).code;
    };
    expect(await codes('{}')).toBe(1);
    expect(await codes('skip: [named-port]')).toBe(0);
    expect(await codes('only: [probe-host, exec-cost]')).toBe(0);
    expect(await codes('skip: [named-port]', '--only', 'named-port')).toBe(1);
    expect(await codes('only: [probe-host]', '--skip', 'exec-cost')).toBe(1);
    expect(await codes('skip: [named-port]', '--no-project-file')).toBe(1);
    const { stderr } = await run('repo', 'check', 'web.yaml');
    expect(stderr).toContain('.probewright.yaml sets --skip named-port');
  });

  it('is looked for up to the root of the repository, and in no other directory above', async () => {
    await write({ '.probewright.yaml': 'nonsense: 1\n', 'repo/a/web.yaml': DEPLOYMENT, 'b/c/web.yaml': DEPLOYMENT });
    expect((await run('repo/a', 'check', 'web.yaml')).code).toBe(0);
    expect((await run('b/c', 'check', 'web.yaml')).code).toBe(0);
    await write({ 'b/c/.probewright.yaml': 'nonsense: 1\n' });
    expect((await run('b/c', 'check', 'web.yaml')).code).toBe(2);
    expect((await run('b/c', 'check', 'web.yaml', '--no-project-file')).code).toBe(0);
  });

  it.each(['check', 'fix', 'explain', 'plan', 'report', 'snapshot', 'starts', 'try'])('is read by %s', async (name) => {
    await write({ 'repo/.probewright.yaml': 'namspace: shop\n', 'repo/web.yaml': DEPLOYMENT, 'repo/p.yaml': POLICY });
    const more = { plan: ['--policies', 'p.yaml'], try: ['--address', '127.0.0.1'] }[name] ?? [];
    const { code, stdout, stderr } = await run('repo', name, 'web.yaml', ...more);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      '.probewright.yaml:1:1: namspace: unknown field; did you mean "namespace"?\n' +
        `probewright ${name}: .probewright.yaml has problems, so nothing is read; --no-project-file leaves the file out\n`,
    );
  });

  it('gives plan the policies that are in force', async () => {
    const changed = POLICY.replace('/ready', '/new');
    await write({
      'repo/.probewright.yaml': 'policies: policy.yaml\nnamespace: shop\n',
      'repo/policy.yaml': POLICY,
      'repo/new.yaml': changed,
      'repo/web.yaml': DEPLOYMENT,
    });
    const { stdout } = await run('repo', 'plan', 'web.yaml', '--policies', 'new.yaml');
    expect(stdout).toContain('/ready');
    expect(stdout).toContain('/new');
  });

  it('gives each chart its values, for each entry once, and flags come last', async () => {
    await write({
      'repo/.probewright.yaml': [
        'kubernetesVersion: "1.33"',
        'charts:',
        '  - { path: charts/web, values: [values/a.yaml], set: [x=1] }',
        '  - { path: charts/web, values: [values/b.yaml] }',
        '',
      ].join('\n'),
      'repo/charts/web/Chart.yaml': 'name: web\n',
      'repo/charts/other/Chart.yaml': 'name: other\n',
      'repo/values/a.yaml': '',
      'repo/values/b.yaml': '',
      'repo/c.yaml': '',
    });
    const calls = join(directory, 'calls');
    const restore = await withTools(join(directory, 'tools'), { helm: `echo "$*" >> '${calls}'` });
    await run('repo/charts', 'check', '.', '--values', '../c.yaml');
    restore();
    const at = (name: string): string => join(directory, 'repo', name);
    const call = (name: string, rest: string): string =>
      `template ${name} ${at(`charts/${name}`)} --namespace default --skip-tests --skip-schema-validation --kube-version 1.33 ${rest}`;
    expect((await readFile(calls, 'utf8')).trim().split('\n').sort()).toEqual([
      call('other', `--values ${at('c.yaml')}`),
      call('web', `--values ${at('values/a.yaml')} --values ${at('c.yaml')} --set x=1`),
      call('web', `--values ${at('values/b.yaml')} --values ${at('c.yaml')}`),
    ]);
  });

  it.each([
    ['policies: ..', '1:1: policies: ".." cannot be read: it leads out of DIR/repo'],
    ['policies: .git', '1:1: policies: ".git" cannot be read: it leads out of DIR/repo'],
    ['charts: [{ path: ../outside }]', '1:12: charts[0].path: "../outside" has no Chart.yaml'],
    ['policies: nowhere', '1:1: policies: "nowhere" cannot be read: ENOENT: '],
    ['policies: [a, b]', '1:1: policies: must be a string, not ["a","b"]'],
    ['namespace: Shop', '1:1: namespace: "Shop" is no name of a namespace'],
    [`namespace: ${'a'.repeat(64)}`, '1:1: namespace: "aaa'],
    ['policies: ""', '1:1: policies: must have at least 1 characters, not 0'],
    [`policies: ${'a'.repeat(4097)}`, '1:1: policies: '],
    [`exclude: [${'a, '.repeat(1001)}]`, '1:1: exclude: must have at most 1000 elements'],
    ['charts: [{ path: "" }]', '1:12: charts[0].path: must have at least 1 characters, not 0'],
    ['exclude: vendor', '1:1: exclude: must be a list, not "vendor"'],
    ['skip: [name-port]', '1:8: skip[0]: there is no check "name-port"; did you mean "named-port"?'],
    ['only: [named-port, nothing-at-all]', '1:20: only[1]: there is no check "nothing-at-all"'],
    ['only: named-port', '1:1: only: must be a list, not "named-port"'],
    ['only: [named-port]\nskip: [named-port]', '2:1: skip: only names named-port, too'],
    ['minLevel: warn', '1:1: minLevel: must be error or warning or note, not "warn"'],
    ['kubernetesVersion: 1.30', '1:1: kubernetesVersion: must be a string, not 1.3; put it in quotes'],
    ['kubernetesVersion: "33"', '1:1: kubernetesVersion: "33" is no version such as 1.33'],
    ['charts: [{ values: [a] }]', '1:10: charts[0].path: must name the directory with Chart.yaml'],
    ['charts: [{ path: chrat }]', '1:12: charts[0].path: "chrat" has no Chart.yaml'],
    ['charts:\n  - path: .\n    value: [a]', '3:5: charts[0].value: unknown field; did you mean "values"?'],
    ['namespace: a\n---\nnamespace: b', '3:1: a second document'],
    ['- a', '1:1: must be an object, not ["a"]'],
    ['a: [', '2:1: Flow sequence'],
  ])('is refused with the place and the value: %s', async (text, message) => {
    await write({ 'repo/.probewright.yaml': `${text}\n`, 'repo/web.yaml': DEPLOYMENT });
    const { code, stderr } = await run('repo', 'check', 'web.yaml');
    expect(code).toBe(2);
    expect(stderr).toContain(`.probewright.yaml:${message}`);
  });

  it.each([`namespace: ${'a'.repeat(63)}`, `exclude: ['${'a'.repeat(4096)}']`, 'kubernetesVersion: v1.333.333'])(
    'may be as long as its bounds: %s',
    async (text) => {
      await write({ 'repo/.probewright.yaml': `${text}\n`, 'repo/web.yaml': DEPLOYMENT });
      expect((await run('repo', 'check', 'web.yaml')).code).toBe(0);
    },
  );

  it('that cannot be read is one problem, and nothing is read', async () => {
    await mkdir(join(directory, 'repo/.probewright.yaml'));
    await write({ 'repo/web.yaml': DEPLOYMENT });
    const { code, stdout, stderr } = await run('repo', 'check', 'web.yaml');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^\.probewright\.yaml:1:1: cannot be read: /);
    expect(stderr).toContain(
      '.probewright.yaml has problems, so nothing is read; --no-project-file leaves the file out',
    );
  });

  it.each(['', '# nothing\n', '{}\n'])('may be empty: %j', async (text) => {
    await write({ 'repo/.probewright.yaml': text, 'repo/web.yaml': DEPLOYMENT });
    expect((await run('repo', 'check', 'web.yaml')).code).toBe(0);
  });
});

it('has a schema for editors that agrees with the reader', () => {
  const isValid = new Ajv({ strict: true, strictTypes: false, strictRequired: false }).compile(PROJECT_SCHEMA);
  const valid =
    'policies: p\nnamespace: shop\nexclude: [a]\nminLevel: note\nonly: [named-port]\nskip: [probe-host]\nkubernetesVersion: "1.33"\n';
  expect(isValid(parse(`${valid}charts: [{ path: a, values: [b], set: [c=d] }]`))).toBe(true);
  for (const text of [
    'namspace: a',
    'namespace: Shop',
    'minLevel: warn',
    'skip: [x]',
    'charts: [{}]',
    'kubernetesVersion: 1.33',
  ])
    expect(isValid(parse(text)), text).toBe(false);
});
