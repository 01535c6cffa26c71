import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProbewright, type Ran } from '../run-probewright.ts';

let directory: string;
const at = (name: string): string => join(directory, name);
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'probewright-repository-'))));
afterEach(() => rm(directory, { recursive: true }));
const check = (...args: string[]): Promise<Ran> => runProbewright(['check', ...args], { directory });

const POD = 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { containers: [{ name: a, image: b }] }\n';
/** What repositories hold beside manifests, with the reason for which each is passed over. */
const OTHERS: readonly (readonly [name: string, text: string, reason: string])[] = [
  ['tsconfig.json', '{ // strict\n "compilerOptions": {} }\n', 'no Kubernetes object'],
  ['playbook.yml', '- hosts: all\n  tasks: []\n', 'no Kubernetes object'],
  ['values.yaml', 'replicas: 1\n', 'no Kubernetes object'],
  ['list.json', '[1, 2]', 'no Kubernetes object'],
  ['word.yaml', 'just words\n', 'no Kubernetes object'],
  ['cases.yaml', '- text: |\n    apiVersion: v1\n    kind: Pod\n', 'no Kubernetes object'],
  ['deploy.yaml', 'apiVersion: v1\nkind: {{ .Kind }}\n{{- if .x }}\n', 'a template that is not rendered'],
  ['jinja.yml', '{% for a in b %}\n- {{ a }}\n', 'a template that is not rendered'],
  [
    'sed.yaml',
    'apiVersion: v1\nkind: Service\nmetadata: { name: a }\nspec:\n  clusterIP: {PREFIX}.16\n',
    'a template that is not rendered',
  ],
  ['m4.yaml', 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: @NAME@\n', 'a template that is not rendered'],
  ['changes.yaml', 'apiVersion: notes/v2\nkind: bug-fix\nnote: a: b\n', 'neither YAML nor JSON'],
  ['notes.yaml', 'a: [\nb: "\n', 'neither YAML nor JSON'],
];

describe('a directory with other files than manifests', () => {
  it.each(OTHERS)('passes over %s', async (name, text, reason) => {
    await writeFile(at('pod.yaml'), POD);
    await writeFile(at(name), text);
    const { code, stdout, stderr } = await check(directory);
    expect(code).toBe(0);
    expect(stdout).toContain('1 workload in 1 object: 0 errors, 0 warnings\n');
    expect(stderr).toBe(`passed over 1 file: 1 ${reason}; --verbose lists them\n`);
  });

  it('counts them by reason in one line, and lists them with --verbose', async () => {
    await writeFile(at('pod.yaml'), POD);
    await mkdir(at('deep'));
    for (const [name, text] of OTHERS) await writeFile(at(`deep/${name}`), text);
    await symlink('nowhere', at('gone.yaml'));
    await writeFile(at('wide.yaml'), Buffer.from('\uFEFFa: b\n', 'utf16le'));
    const counts =
      'passed over 14 files: 6 no Kubernetes object, 4 a template that is not rendered, 2 neither YAML nor JSON, 1 no UTF-8 text, 1 a link that leads nowhere';
    expect((await check(directory)).stderr).toBe(`${counts}; --verbose lists them\n`);
    const { stderr } = await check(directory, '--verbose');
    expect(stderr.split('\n')).toHaveLength(OTHERS.length + 4);
    expect(stderr).toContain('DIR/deep/values.yaml: passed over: no Kubernetes object\n');
    expect(stderr.endsWith(`${counts}\n`)).toBe(true);
  });

  it.each([
    ['a broken manifest', 'apiVersion: v1\nkind: Pod\n  x: [\n'],
    ['a manifest in UTF-16', Buffer.from(`\uFEFF${POD}`, 'utf16le')],
    ['a broken manifest in JSON', '{\n  "apiVersion": "v1",\n  "kind": "Pod",,\n}\n'],
    ['a manifest with a broken second document', `${POD}---\na: [\n`],
  ])('does not pass over %s', async (_name, text) => {
    await writeFile(at('pod.yaml'), text);
    const { code, stderr } = await check(directory);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^DIR\/pod\.yaml:\d+:\d+: /);
    expect((await check(at('pod.yaml'))).code).toBe(2);
  });

  it.each([
    ['a template', '---\nkind: Pod\nmetadata: { name: {{ .name }} }\n', 'a template that is not rendered'],
    ['a list', '---\n- a\n', 'no Kubernetes object'],
  ])('passes over %s behind a manifest', async (_name, text, reason) => {
    await writeFile(at('pod.yaml'), POD + text);
    const { code, stdout, stderr } = await check(directory);
    expect([code, stderr]).toEqual([0, `passed over 1 file: 1 ${reason}; --verbose lists them\n`]);
    expect(stdout).toContain('1 workload in 1 object: ');
  });

  it('tells a fault behind a template, and a broken policy as a problem of the command', async () => {
    await writeFile(at('pod.yaml'), `${POD}---\nname: {{ .name }}\n---\nargs: [ "\${HOME}",\n`);
    const { code, stderr } = await check(directory);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^passed over 1 file: .*\nDIR\/pod\.yaml:9:1: .*\n$/);
    await writeFile(at('policy.yaml'), 'apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nspec: [\n');
    expect((await check(directory)).code).toBe(2);
  });

  it('reads directories with the names of a chart and a kustomization, and Namespaces without a name', async () => {
    for (const name of ['Kustomization', 'Chart.yaml']) {
      await mkdir(at(name));
      await writeFile(at(`${name}/pod.yaml`), POD);
    }
    await writeFile(at('assert.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: { labels: { a: b } }\n');
    const { code, stdout, stderr } = await check(directory);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('2 workloads in 3 objects: ');
  });

  it('warns where nothing is checked and a line says what was found instead', async () => {
    const nothing = 'DIR:1:1: warning: has no Kubernetes object, so nothing is checked; --allow-empty accepts that\n';
    expect(await check(directory)).toMatchObject({ code: 2, stderr: nothing.replace('warning: ', '') });
    await writeFile(at('Chart.yaml'), 'name: web\n');
    const { code, stderr } = await check(directory);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^chart web: not rendered; .*\n/)]);
    expect(stderr).toContain(nothing);
    expect((await check(directory, '--strict')).code).toBe(1);
    expect((await check(directory, '--strict', '--allow-empty')).code).toBe(0);
  });

  it.each(OTHERS.filter(([name]) => name !== 'values.yaml' && name !== 'tsconfig.json'))(
    'refuses %s when it is named',
    async (name, text) => {
      await writeFile(at(name), text);
      expect((await check(at(name))).code).toBe(2);
    },
  );

  it('says in one line that charts and kustomizations are not rendered, with the flag', async () => {
    for (const name of ['one', 'two']) {
      await mkdir(at(name));
      await writeFile(at(`${name}/Chart.yaml`), `name: ${name}\n`);
    }
    await writeFile(at('pod.yaml'), POD);
    expect((await check(directory)).stderr).toBe(
      '2 charts and kustomizations are not rendered; --render-charts renders them, --verbose lists them\n',
    );
    expect((await check(directory, '--verbose')).stderr).toContain('chart one: not rendered; helm template one ');
  });
});
