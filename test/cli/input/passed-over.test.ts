import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectLines, unreadLines, problemsOfDocuments } from '../../../src/cli/input/passed-over.ts';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/input/passed-over.test.ts');

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
    await writeFile(at('sound.yaml'), POD);
    const { code, stderr } = await check(directory);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^DIR\/pod\.yaml:\d+:\d+: /);
    expect((await check(at('pod.yaml'))).code).toBe(2);
  });
});

describe('the lines about what was not read', () => {
  const passedOver = [{ file: 'a.yaml', reason: 'object' as const }];
  const [rendered, alone] = [{ why: 'chart a: not rendered', command: 'helm template a' }, { why: 'a component' }];

  it('are none when everything was read', () => {
    expect([unreadLines({}, 'check', false), unreadLines({}, 'check', true)]).toEqual([[], []]);
  });

  it('count files, and name a file with its reason only if that is wished', () => {
    const summary = 'passed over 1 file: 1 no Kubernetes object';
    expect(unreadLines({ passedOver }, 'check', false)).toEqual([`${summary}; --verbose lists them`]);
    expect(unreadLines({ passedOver }, 'check', true)).toEqual(['a.yaml: passed over: no Kubernetes object', summary]);
  });

  it('name one chart with what to type, and count many', () => {
    const line = 'chart a: not rendered; helm template a | probewright plan -';
    expect(unreadLines({ notes: [rendered] }, 'plan', false)).toEqual([line]);
    expect(unreadLines({ notes: [rendered, alone] }, 'plan', false)).toEqual([
      '2 charts and kustomizations are not rendered; --verbose says why, and what to type',
    ]);
    expect(unreadLines({ notes: [rendered, alone] }, 'plan', true)).toEqual([line, 'a component']);
  });
});

const FILE = 'all.yaml';

describe('the problems in documents with a mark', () => {
  const linesOf = (text: string): readonly number[] => {
    const problems = text.split('\n').map((_, index) => ({ file: FILE, line: index + 1, column: 1, message: 'no' }));
    return problemsOfDocuments(text, problems, (line) => line.includes('MARK')).map(({ line }) => line);
  };

  it('are those of its lines, and a line between two documents counts for both', () => {
    expect(linesOf('a\n---\nb\nMARK\n--- # c\nd\n---\ne')).toEqual([2, 3, 4, 5]);
    expect(linesOf('MARK\n---\na')).toEqual([1, 2]);
    expect(linesOf('a\n---\nb\n--- # MARK')).toEqual([4]);
    expect(linesOf('a\n ---\nMARK')).toEqual([1, 2, 3]);
  });

  it('are none for a place outside the text, and for a text without problems', () => {
    const problem = { file: FILE, line: 9, column: 1, message: 'no' };
    expect(problemsOfDocuments('MARK', [problem], () => true)).toEqual([]);
    let asked = 0;
    expect(problemsOfDocuments('MARK', [], () => (asked += 1) > 0)).toEqual([]);
    expect(asked).toBe(0);
  });
});

describe('the line about a project file', () => {
  const project = { file: 'p.yaml', exclude: ['old'], leftOut: ['old/a.yaml'], sets: ['--namespace shop'] };

  it('names what the file leaves out and sets', () => {
    expect(projectLines(project)).toEqual([
      'p.yaml leaves out 1 path by exclude [old]: old/a.yaml; sets --namespace shop',
    ]);
  });

  it('is none without a file, and for a file that changes nothing', () => {
    expect([projectLines(undefined), projectLines({ ...project, leftOut: [], sets: [] })]).toEqual([[], []]);
  });
});
