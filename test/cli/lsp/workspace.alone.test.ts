import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { realpath } from 'node:fs/promises';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { diagnosticsOf } from '../../../src/cli/lsp/findings.ts';
import { fileNameOf, Workspace, type WorkspaceSettings } from '../../../src/cli/lsp/workspace.ts';
import { NOW } from '../../support/now.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';
import { withTools } from '../tools-on-path.ts';

const home = process.cwd();
let folder: string;
beforeEach(async () => {
  folder = await realpath(await temporaryDirectory());
  process.chdir(folder);
});
afterEach(() => process.chdir(home));

const write = (files: Readonly<Record<string, string>>): Promise<void> => writeFiles(folder, files);
const at = (file: string): string => join(folder, file);

function workspaceOf(settings: Partial<WorkspaceSettings> = {}): Workspace {
  const usual = { policies: undefined, minLevel: undefined, kinds: KNOWN_KINDS, now: () => NOW, hasFolder: true };
  return new Workspace({ ...usual, ...settings });
}

/** A workspace that has read a folder with these files. */
async function readOf(files: Readonly<Record<string, string>>, settings: Partial<WorkspaceSettings> = {}) {
  await write(files);
  const workspace = workspaceOf(settings);
  await workspace.read();
  return workspace;
}

const policy = (name: string, spec = '{ port: 80 }'): string =>
  `apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
/** The policies in force with their places, as `check` names them. */
const policiesOf = (workspace: Workspace): readonly string[] => {
  const { snapshot, places } = workspace.world().world;
  return snapshot.policies.map(({ source }) => `${source} ${places.get(source)?.document.file ?? ''}`);
};
const [ALL, NEW] = ['ClusterProbePolicy/all', 'ClusterProbePolicy/new'];

describe('the settings', () => {
  const PROJECT = 'minLevel: error\nnamespace: shop\nkubernetesVersion: "1.30"\n';
  const settingsOf = (workspace: Workspace): unknown => {
    const { namespace, kubernetesVersion, now } = workspace.world().world;
    return [workspace.selection.minLevel, namespace, kubernetesVersion, now, workspace.problems];
  };

  it('are those of the project file, over which the level of the command line wins', async () => {
    expect(settingsOf(await readOf({}))).toEqual(['warning', 'default', undefined, NOW, []]);
    const project = { '.probewright.yaml': PROJECT };
    expect(settingsOf(await readOf(project))).toEqual(['error', 'shop', '1.30', NOW, []]);
    const noted = await readOf(project, { minLevel: 'note' });
    expect(settingsOf(noted)).toEqual(['note', 'shop', '1.30', NOW, []]);
  });

  it('are the usual ones with a project file that is wrong, whose problem is told until it is right', async () => {
    const workspace = await readOf({ '.probewright.yaml': 'minLevel: loud\n' });
    const message =
      'minLevel: must be error or warning or note, not "loud" (until this is corrected, no line of the file counts)';
    const problems = [{ file: '.probewright.yaml', line: 1, column: 1, message }];
    expect(settingsOf(workspace)).toEqual(['warning', 'default', undefined, NOW, problems]);
    await write({ '.probewright.yaml': PROJECT });
    await workspace.read();
    expect(settingsOf(workspace)).toEqual(['error', 'shop', '1.30', NOW, []]);
  });
});

describe('the policies', () => {
  const files = { 'a.yaml': policy('all'), 'left/b.yaml': policy('left'), 'p/c.yaml': policy('new') };

  it.each<[string, Readonly<Record<string, string>>, Partial<WorkspaceSettings>, readonly string[]]>([
    ['the folder', { 'a.yaml': policy('all') }, {}, [`${ALL} a.yaml`]],
    [
      'the folder without what the project file leaves out',
      { ...files, '.probewright.yaml': 'exclude: [left, p]\n' },
      {},
      [`${ALL} a.yaml`],
    ],
    ['no folder where none is opened', files, { hasFolder: false }, []],
    [
      'the project file, without a folder',
      { ...files, '.probewright.yaml': 'policies: p\n' },
      { hasFolder: false },
      [`${NEW} p/c.yaml`],
    ],
    [
      'the command line before the project file',
      { ...files, '.probewright.yaml': 'policies: p\n' },
      { hasFolder: false, policies: 'a.yaml' },
      [`${ALL} a.yaml`],
    ],
  ])('are those of %s', async (_what, given, settings, policies) => {
    expect(policiesOf(await readOf(given, settings))).toEqual(policies);
  });

  it('of an open file are those of its text, until it is closed', async () => {
    const workspace = await readOf({ 'a.yaml': policy('all') });
    workspace.open.set(at('a.yaml'), policy('new'));
    expect(policiesOf(workspace)).toEqual([`${NEW} a.yaml`]);
    workspace.close(at('a.yaml'));
    expect(policiesOf(workspace)).toEqual([`${ALL} a.yaml`]);
    workspace.open.set('/elsewhere/b.yaml', policy('new'));
    expect(policiesOf(workspace)).toEqual([`${ALL} a.yaml`, `${NEW} /elsewhere/b.yaml`]);
  });

  it('on the disk are read again when somebody says so', async () => {
    const workspace = await readOf({ 'a.yaml': policy('all') });
    await write({ 'a.yaml': policy('new') });
    expect(policiesOf(workspace)).toEqual([`${ALL} a.yaml`]);
    await workspace.read();
    expect(policiesOf(workspace)).toEqual([`${NEW} a.yaml`]);
  });

  it('have their problems, those of syntax only where the file is closed', async () => {
    const loud = '{ checks: { named-port: { action: Loud } } }';
    const workspace = await readOf({
      'a.yaml': policy('a', '{ port: 80, ports: 1 }'),
      'b.yaml': `${policy('b')}kind: ClusterProbePolicy\n`,
      'flow.yaml': policy('flow', '{ port: 80'),
      'service.yaml': 'kind: Service\napiVersion: v1\nspec: { ports: [\n',
      'warned.yaml': policy('warned', '{ probes: { livenessProbe: {} } }'),
    });
    const problemsIn = (open: Readonly<Record<string, string>>): unknown => {
      for (const [file, text] of Object.entries(open)) workspace.open.set(at(file), text);
      const found = diagnosticsOf(workspace, Object.keys(open).map(at));
      const told = [...found].flatMap(([path, all]) => all.map((each) => ({ path, ...each })));
      return told
        .filter(({ code }) => code === undefined)
        .map(({ path, range, message, severity }) => [
          ...[fileNameOf(path), range.start.line + 1, severity],
          (message as string).split(/[:,]/)[0],
        ]);
    };
    const [b, flow] = [
      ['b.yaml', 5, 1, 'key "kind" is already there in this mapping'],
      ['flow.yaml', 5, 1, 'Flow map in block collection must be sufficiently indented and end with a }'],
    ];
    const a = ['a.yaml', 4, 1, 'spec.ports'];
    expect(problemsIn({})).toEqual([b, flow, a]);
    const [c, warned] = [
      ['c.yaml', 6, 1, 'spec.checks.named-port.action'],
      ['warned.yaml', 4, 2, 'spec.probes.livenessProbe'],
    ];
    const open = { 'b.yaml': `${policy('b')}kind: ClusterProbePolicy\n`, 'flow.yaml': policy('flow', '{ port: 80') };
    const more = {
      'c.yaml': 'kind: Pod\n---\n' + policy('c', loud),
      'warned.yaml': policy('warned', '{ probes: { livenessProbe: {} } }'),
    };
    expect(problemsIn({ ...open, ...more })).toEqual([c, warned, a]);
  });
});

it('the world has another instant after an hour, as exceptions end', async () => {
  let now = NOW;
  const workspace = await readOf({ 'a.yaml': policy('all') }, { now: () => now });
  const first = workspace.world();
  now += 3_600_000;
  await workspace.read();
  expect([first.world.now, workspace.world().world.now]).toEqual([NOW, now]);
});

it('the world is the same as long as policies and their places are', async () => {
  const workspace = await readOf({ 'a.yaml': policy('all') });
  const first = workspace.world();
  workspace.open.set(at('web.yaml'), 'kind: Pod\n');
  workspace.open.set(at('a.yaml'), policy('all'));
  expect(workspace.world()).toBe(first);
  expect(workspace.piecesOf(at('web.yaml'))).toBe(workspace.piecesOf(at('web.yaml')));
  const [line, column] = [`---\n${policy('all')}`, policy('other')];
  for (const text of [line, column]) {
    workspace.open.set(at('a.yaml'), text);
    expect(workspace.world()).not.toBe(first);
  }
});

describe('the texts', () => {
  const FILES = {
    'chart/Chart.yaml': 'name: web\n',
    'chart/templates/a.yaml': '',
    'k/kustomization.yaml': 'resources: [https://example.com/base]\n',
    'web.yaml': 'kind: Pod\n',
  };
  beforeEach(async () => {
    const helm = `echo "---"\necho "# Source: web/templates/a.yaml"\necho "# $*"\n`;
    const restorePath = await withTools(await temporaryDirectory(), { helm, kubectl: 'echo "built: true"\n' });
    onTestFinished(restorePath);
  });

  it('of a folder are those of its files: a key renders no chart, and asks nobody for a base', async () => {
    const { texts } = await (await readOf(FILES)).texts(['.']);
    expect(texts.map(({ file, text }) => [file, text])).toEqual([['web.yaml', 'kind: Pod\n']]);
  });

  it('of a kustomization with a base elsewhere are none, for nothing is downloaded', async () => {
    const { texts, problems } = await (await readOf(FILES)).texts(['k/kustomization.yaml'], true);
    expect([texts, problems.length]).toEqual([[], 1]);
  });

  it.each([
    ['default', ''],
    ['shop', 'namespace: shop\n'],
  ])('of a chart are rendered in the namespace %s where they are asked for', async (namespace, project) => {
    const workspace = await readOf({ ...FILES, ...(project !== '' && { '.probewright.yaml': project }) });
    const { texts } = await workspace.texts(['chart'], true);
    expect(texts.map(({ file }) => file)).toEqual(['chart/templates/a.yaml']);
    expect(texts[0]?.text).toContain(`--namespace ${namespace}`);
  });
});

describe('a file', () => {
  const files = {
    'web.yaml': 'kind: Pod\n',
    'chart/Chart.yaml': 'name: web\n',
    'chart/templates/a.yaml': 'kind: Pod\n',
    'chart/templates/NOTES.txt': 'x',
    'k/kustomization.yaml': 'resources: [base.yaml]\npatches: [{ path: patch.yaml }]\n',
    'k/base.yaml': 'kind: Pod\n',
    'k/patch.yaml': 'kind: Pod\n',
    'left/a.yaml': 'kind: Pod\n',
    '.probewright.yaml': 'exclude: [left]\n',
  };

  it.each([
    ['web.yaml', { kind: 'manifest' }],
    ['never-saved.yaml', { kind: 'manifest' }],
    ['chart/templates/a.yaml', { kind: 'chart', directory: 'chart' }],
    ['k/kustomization.yaml', { kind: 'other' }],
    ['k/base.yaml', { kind: 'manifest' }],
    ['k/patch.yaml', { kind: 'other' }],
    ['left/a.yaml', { kind: 'other' }],
  ])('%s takes part as %j', async (file, part) => {
    const workspace = await readOf(files);
    const found = await workspace.partOf(at(file));
    expect('directory' in found ? { ...found, directory: relative(folder, found.directory) } : found).toEqual(part);
  });

  it('takes part in one way until the folder is read again', async () => {
    const workspace = await readOf({ 'templates/a.yaml': 'kind: Pod\n' });
    expect(await workspace.partOf(at('templates/a.yaml'))).toEqual({ kind: 'manifest' });
    await write({ 'Chart.yaml': 'name: web\n' });
    expect(await workspace.partOf(at('templates/a.yaml'))).toEqual({ kind: 'manifest' });
    await workspace.read();
    expect(await workspace.partOf(at('templates/a.yaml'))).toEqual({ kind: 'chart', directory: folder });
  });

  it('has the name that check prints', () => {
    expect([at('a/b.yaml'), folder, '/elsewhere/b.yaml', `${folder}-2/b.yaml`].map(fileNameOf)).toEqual([
      ...['a/b.yaml', '', '/elsewhere/b.yaml', `${folder}-2/b.yaml`],
    ]);
  });
});
