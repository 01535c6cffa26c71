import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readManifestTexts } from '../../../src/cli/input/read-inputs.ts';
import { readPolicyTexts } from '../../../src/cli/input/input-files.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';
import { withTools } from '../tools-on-path.ts';
import type { ReadTexts } from '../../../src/cli/input/manifests.ts';
import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/input/read-inputs.test.ts');

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

const at = (...names: string[]): string => join(directory, ...names);

const write = (files: Readonly<Record<string, string | Buffer>>): Promise<void> => writeFiles(directory, files);

type Given = Parameters<typeof readManifestTexts>[2];
type Reading = Partial<Given['flags'] & Pick<Given, 'onInput'>>;
const OFF = {
  'no-render-charts': false,
  'allow-remote-bases': false,
  values: [],
  set: [],
  exclude: [],
  namespace: 'shop',
};

function read(names: readonly string[], { onInput, ...flags }: Reading = {}): Promise<ReadTexts> {
  const reading = { flags: { ...OFF, ...flags }, parsing: { kinds: KNOWN_KINDS }, ...(onInput && { onInput }) };
  return readManifestTexts(names, () => Promise.resolve('from stdin'), reading);
}

/** Reads these names while these programs are the only ones on the PATH. */
async function readWith(
  tools: Readonly<Record<string, string>>,
  names: readonly string[],
  reading: Reading = {},
): Promise<ReadTexts> {
  const restorePath = await withTools(await temporaryDirectory(), tools);
  return await read(names, reading).finally(restorePath);
}

const messages = ({ problems }: ReadTexts): readonly string[] =>
  problems.map(({ file, message }) => `${file.replace(`${directory}/`, '')}: ${message}`.replaceAll(directory, 'DIR'));
const NOT_UTF8 = Buffer.from('6b696e643a20ff0a', 'hex');

describe('standard input', () => {
  it('has its own name for a dash, and its path as the name for a path', async () => {
    const { texts } = await read(['-', '/dev/stdin', '/dev/fd/0']);
    expect(texts).toMatchObject([
      { file: '<stdin>', text: 'from stdin', isFound: false },
      { file: '/dev/stdin', text: 'from stdin', isFound: false },
      { file: '/dev/fd/0', text: 'from stdin', isFound: false },
    ]);
  });
});

describe('the manifests', () => {
  it('are in the order of the names, and those of a directory are marked as found', async () => {
    await write({ 'a/z.yaml': 'z', 'a/b.yml': 'b', 'c.yaml': 'c' });
    const { texts, problems } = await read([at('c.yaml'), '-', at('a')]);
    expect(texts.map(({ file, text, isFound }) => [file.replace(`${directory}/`, ''), text, isFound])).toEqual([
      ['c.yaml', 'c', false],
      ['<stdin>', 'from stdin', false],
      ['a/b.yml', 'b', true],
      ['a/z.yaml', 'z', true],
    ]);
    expect(problems).toEqual([]);
  });

  it('beside a file that cannot be read are read', async () => {
    await write({ 'a.yaml': 'a', 'b.yaml': NOT_UTF8 });
    const found = await read([at('none.yaml'), at('b.yaml'), at('a.yaml')]);
    expect(found.texts.map(({ text }) => text)).toEqual(['a']);
    expect(messages(found)).toEqual([
      expect.stringMatching(/^none\.yaml: cannot be read: ENOENT/),
      expect.stringMatching(/^b\.yaml: cannot be read: .*UTF-8/),
    ]);
    expect(found.problems.some((problem) => 'isFound' in problem)).toBe(false);
  });

  it('of a directory are no files in another encoding, unless such a file says that it is a manifest', async () => {
    await write({ 'in/a.yaml': NOT_UTF8, 'in/b.yaml': Buffer.concat([Buffer.from('kind: Pod\n'), NOT_UTF8]) });
    const found = await read([at('in')]);
    expect(found.passedOver).toEqual([{ file: at('in/a.yaml'), reason: 'encoding' }]);
    expect(found.problems).toMatchObject([{ file: at('in/b.yaml'), isFound: true }]);
  });

  it('are counted while they are read', async () => {
    await write({ 'a.yaml': '', 'b.yaml': '' });
    const seen = new Set<string>();
    await read([at('a.yaml'), at('b.yaml'), '-'], { onInput: (done, total) => seen.add(`${done}/${total}`) });
    expect([...seen]).toEqual(['0/3', '1/3', '2/3', '3/3']);
  });
});

describe('a chart', () => {
  const HELM = `printf -- '---\\n# Source: web/templates/a.yaml\\nargs: %s\\n' "$*"\n`;
  const chart = { 'web/Chart.yaml': 'name: web', 'over.yaml': '' };
  const argsOf = ({ texts }: ReadTexts): readonly string[] =>
    texts.map(({ text }) =>
      (/args: .*--skip-schema-validation ?(.*)/.exec(text)?.[1] ?? text).replaceAll(directory, 'DIR'),
    );

  it('is rendered with each of the values of the project file, and then those of the flags', async () => {
    await write(chart);
    const [path, other] = [at('web'), at('elsewhere')];
    const charts = [
      { path, values: [at('one.yaml')], set: ['a=1'] },
      { path: other, values: [], set: ['never=1'] },
      { path: `${path}/`, values: [], set: ['b=2'] },
      { path, values: [at('one.yaml')], set: ['a=1'] },
    ];
    const reading = {
      project: { charts, flags: new Map() },
      values: [at('over.yaml')],
      set: ['c=3'],
      'kubernetes-version': '1.33',
    };
    const rest = '--values DIR/over.yaml';
    expect(argsOf(await readWith({ helm: HELM }, [path], reading))).toEqual([
      `--kube-version 1.33 --values DIR/one.yaml ${rest} --set a=1 --set c=3`,
      `--kube-version 1.33 ${rest} --set b=2 --set c=3`,
    ]);
    expect(
      argsOf(
        await readWith({ helm: HELM }, [path], {
          project: { flags: new Map(), charts: [{ path: other, values: [], set: ['x=1'] }] },
        }),
      ),
    ).toEqual(['']);
  });

  it('is not rendered with --no-render-charts, and a note has the command', async () => {
    await write(chart);
    const { notes, texts, problems, unchecked } = await readWith({ helm: HELM }, [at('web')], {
      'no-render-charts': true,
    });
    expect(notes).toEqual([
      { why: 'chart web: not rendered, as --no-render-charts says', command: `helm template web ${at('web')}` },
    ]);
    expect([texts, problems, unchecked]).toEqual([[], [], []]);
  });

  it('that is found is noted without helm; who names it gets a problem', async () => {
    await write(chart);
    const found = await readWith({}, [directory]);
    expect(found.notes).toEqual([
      {
        why: 'chart web: not rendered, because the PATH has no helm; install it, or run it elsewhere',
        command: `helm template web ${at('web')}`,
      },
    ]);
    expect(found.problems).toEqual([]);
    const named = await readWith({}, [at('web')]);
    expect(messages(named)).toEqual([
      'web/Chart.yaml: cannot be rendered: the PATH has no helm; install it, or pipe the output of: helm template web DIR/web',
    ]);
    expect([named.notes, named.unchecked]).toEqual([[], ['chart web cannot be rendered']]);
  });

  it('that fails has the reason of helm and what may help, with the mark of a chart that was found', async () => {
    await write(chart);
    const failing = { helm: 'echo "Error: no port" >&2; exit 1\n' };
    const named = await readWith(failing, [at('web')]);
    const help = '; give values with --values FILE or --set KEY=VALUE, or leave the chart out with --exclude DIR';
    expect(messages(named)).toEqual([`web/Chart.yaml: cannot be rendered: helm: Error: no port${help}`]);
    expect(named.problems).toMatchObject([{ line: 1, column: 1, isFound: false }]);
    expect((await readWith(failing, [directory])).problems).toMatchObject([{ isFound: true }]);
    expect(named.unchecked).toEqual(['chart web cannot be rendered']);
  });

  it('that lacks a dependency is a warning with the command to type', async () => {
    await write(chart);
    const lacking = { helm: 'echo "Error: missing in charts/ directory: redis" >&2; exit 1\n' };
    const { warnings, problems, unchecked } = await readWith(lacking, [at('web')]);
    const message = `chart web is not checked, because it lacks redis; type: helm dependency build ${at('web')}`;
    expect(warnings).toEqual([{ file: at('web/Chart.yaml'), line: 1, column: 1, message: `warning: ${message}` }]);
    expect([problems, unchecked]).toEqual([[], [message]]);
  });

  it('that renders no object says so', async () => {
    await write(chart);
    const { unchecked, problems } = await readWith({ helm: 'echo\n' }, [at('web')]);
    expect(unchecked?.map((text) => text.split(';')[0])).toEqual(['chart web renders no object']);
    expect(problems).toEqual([]);
    expect((await readWith({ helm: HELM }, [at('web')])).unchecked).toEqual([]);
  });

  it('that is a library has no manifests, and only who names it is told', async () => {
    await write({ 'lib/Chart.yaml': 'name: lib\ntype: library\n' });
    expect((await readWith({}, [at('lib')])).notes).toEqual([
      { why: 'chart lib: a library, which has no manifests of its own' },
    ]);
    expect((await readWith({}, [directory])).notes).toEqual([]);
  });
});

describe('a kustomization', () => {
  it('is built, and its remote bases are downloaded only when that is allowed', async () => {
    await write({ 'k/kustomization.yaml': 'resources: [github.com/team/app]\n' });
    const tools = { kustomize: 'echo "built: true"\n' };
    const refused = await readWith(tools, [at('k')]);
    expect(messages(refused)).toEqual([expect.stringContaining('which kustomize would download')]);
    expect(refused.unchecked).toEqual([`kustomization ${at('k')} cannot be rendered`]);
    const { texts, problems } = await readWith(tools, [at('k')], { 'allow-remote-bases': true });
    expect([texts.map(({ file, text }) => [file, text]), problems]).toEqual([
      [[at('k/kustomization.yaml'), 'built: true\n']],
      [],
    ]);
  });

  it('without a program to build it is noted where it is found, and a problem where it is named', async () => {
    await write({ 'k/kustomization.yaml': '' });
    const [note] = (await readWith({}, [directory])).notes ?? [];
    expect(note).toEqual({
      why: `kustomization ${at('k')}: not rendered, because the PATH has no kustomize or kubectl; install it, or run it elsewhere`,
      command: `kubectl kustomize ${at('k')}`,
    });
    expect(messages(await readWith({}, [at('k/kustomization.yaml')]))).toEqual([
      'k/kustomization.yaml: cannot be rendered: the PATH has no kustomize or kubectl; install it, or pipe the output of: kubectl kustomize DIR/k',
    ]);
  });
});

describe('policies in files', () => {
  it('are those of a file, or of all files of a directory, without its links outward', async () => {
    await write({ 'p/b.yaml': 'b', 'p/a.json': 'a', 'p/notes.txt': 'x', 'q.yaml': 'q' });
    expect((await readPolicyTexts(at('q.yaml'))).texts.map(({ text }) => text)).toEqual(['q']);
    await symlink('../q.yaml', at('p/c.yaml'));
    await symlink('nowhere', at('p/d.yaml'));
    const found = await readPolicyTexts(at('p'));
    expect(found.texts.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(messages(found).toSorted()).toEqual([
      expect.stringMatching(/^p\/c\.yaml: is a symbolic link that leads out of DIR\/p/),
      expect.stringMatching(/^p\/d\.yaml: cannot be read: ENOENT/),
    ]);
  });

  it('are none without a path, and a problem for a path that cannot be read', async () => {
    expect(await readPolicyTexts(undefined)).toEqual({ texts: [], problems: [] });
    await write({ 'bad.yaml': NOT_UTF8 });
    for (const name of ['none', 'bad.yaml']) {
      const found = await readPolicyTexts(at(name));
      expect([found.texts, messages(found).length]).toEqual([[], 1]);
    }
  });
});
