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
  ['notes.yaml', 'a: [\nb: "\n', 'neither YAML nor JSON'],
];

describe('a directory with other files than manifests', () =>
  it('counts them by reason in one line, and lists them with --verbose', async () => {
    await writeFile(at('pod.yaml'), POD);
    await mkdir(at('deep'));
    for (const [name, text] of OTHERS) await writeFile(at(`deep/${name}`), text);
    await symlink('nowhere', at('gone.yaml'));
    const counts =
      'passed over 10 files: 6 no Kubernetes object, 2 a template that is not rendered, 1 neither YAML nor JSON, 1 a link that leads nowhere';
    expect((await check(directory)).stderr).toBe(`${counts}; --verbose lists them\n`);
    const { stderr } = await check(directory, '--verbose');
    expect(stderr.split('\n')).toHaveLength(OTHERS.length + 3);
    expect(stderr).toContain('DIR/deep/values.yaml: passed over: no Kubernetes object\n');
    expect(stderr.endsWith(`${counts}\n`)).toBe(true);
  }));
