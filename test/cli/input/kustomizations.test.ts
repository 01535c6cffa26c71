import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isKustomizationFile, kustomizeCommand, plannedInputs } from '../../../src/cli/input/kustomizations.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const write = (files: Readonly<Record<string, string>>): Promise<void> => writeFiles(directory, files);

/** What is planned for files that a directory has, or that are named: `read` with the kind, or why it is not read. */
async function planned(
  names: readonly string[],
  { isFound = true, above = [] }: { isFound?: boolean; above?: readonly string[] } = {},
): Promise<readonly string[]> {
  const inputs = names.map((name) => ({
    kind: isKustomizationFile(name) ? ('kustomization' as const) : ('file' as const),
    path: join(directory, name),
    isFound,
  }));
  const plan = await plannedInputs(inputs, new Set(above.map((name) => join(directory, name))));
  const texts = plan.map((each) => {
    if ('kind' in each) return `${each.kind} ${each.path}`;
    const { notes = [], passedOver = [] } = each as {
      notes?: readonly { why: string; command?: string }[];
      passedOver?: readonly { file: string; reason: string }[];
    };
    return [
      ...notes.map(({ why, command = 'no command' }) => `${why}; ${command}`),
      ...passedOver.map(({ file, reason }) => `${file}: ${reason}`),
    ].join();
  });
  return texts.map((text) => text.replaceAll(`${directory}/`, '').replaceAll(directory, '.'));
}

const BASE = 'base/kustomization.yaml';
const PROD = 'prod/kustomization.yml';

describe('the plan of inputs', () => {
  it('has the kustomizations that no other one contains: bases are built as parts, also of parts', async () => {
    await write({
      [BASE]: 'resources: [web.yaml]\n',
      'middle/kustomization.yaml': 'bases: [../base]\n',
      [PROD]: 'resources:\n  - ../middle\n',
      'alone/Kustomization': '',
    });
    const names = [BASE, 'middle/kustomization.yaml', PROD, 'alone/Kustomization'];
    expect(await planned(names)).toEqual([`kustomization ${PROD}`, 'kustomization alone/Kustomization']);
    expect(await planned([BASE])).toEqual([`kustomization ${BASE}`]);
  });

  it('has each kustomization of a cycle, because kustomize reports the cycle', async () => {
    await write({ [BASE]: 'resources: [../prod]\n', [PROD]: 'resources: [../base]\n' });
    expect(await planned([BASE, PROD])).toEqual([`kustomization ${BASE}`, `kustomization ${PROD}`]);
  });

  it('has a kustomization that a patch of another one names', async () => {
    await write({ [BASE]: '', [PROD]: 'patches: [{ path: ../base }]\n' });
    expect(await planned([BASE, PROD])).toEqual([`kustomization ${BASE}`, `kustomization ${PROD}`]);
  });

  it('leaves out a component, and says so to who names it', async () => {
    await write({ [BASE]: 'kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n' });
    expect(await planned([BASE])).toEqual([]);
    expect(await planned([BASE], { isFound: false })).toEqual([
      'kustomization base: a component, which is built as a part of others; no command',
    ]);
  });

  it('says nothing of a base that is named beside the kustomization that contains it', async () => {
    await write({ [BASE]: '', [PROD]: 'resources: [../base]\n' });
    expect(await planned([BASE, PROD], { isFound: false })).toEqual([`kustomization ${PROD}`]);
  });

  it.each([
    ['of Flux', 'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n'],
    ['whose apiVersion is no text', 'apiVersion: 1\n'],
    ['with a list', '- web.yaml\n'],
  ])('reads a file of the name that is no kustomization as a manifest: %s', async (_what, text) => {
    await write({ [BASE]: text });
    expect(await planned([BASE, 'base/web.yaml'])).toEqual([`file ${BASE}`, 'file base/web.yaml']);
  });

  it('reads a kustomization that cannot be read as a manifest, which then has the problem', async () => {
    expect(await planned(['none/kustomization.yaml'])).toEqual(['file none/kustomization.yaml']);
  });

  it('passes over the files that a directory has in and below a kustomization, but not those that are named', async () => {
    await write({ [BASE]: 'resources: [web.yaml]\n' });
    const names = [BASE, 'base/web.yaml', 'base/deep/other.yaml', 'based/web.yaml'];
    expect(await planned(names)).toEqual([
      `kustomization ${BASE}`,
      'base/web.yaml: kustomization',
      'base/deep/other.yaml: kustomization',
      'file based/web.yaml',
    ]);
    expect(await planned(names, { isFound: false })).toEqual([
      `kustomization ${BASE}`,
      ...names.slice(1).map((name) => `file ${name}`),
    ]);
  });

  it('keeps streams and charts in their places', async () => {
    const inputs = [
      { kind: 'stream', path: '<stdin>' },
      { kind: 'chart', path: directory },
    ] as const;
    expect(await plannedInputs(inputs, new Set())).toEqual(inputs);
  });
});

describe('a named file beside a kustomization', () => {
  const named = async (file: string, kustomization: string): Promise<readonly string[]> => {
    await write({ [BASE]: kustomization });
    return await planned([file], { isFound: false, above: ['other', 'base'] });
  };

  it.each([
    ['patches: [{ path: a.yaml }]\n'],
    ['patchesStrategicMerge:\n  - ./a.yaml\n'],
    ['configMapGenerator: [{ name: c, files: [key=a.yaml] }]\n'],
    ['apiVersion: kustomize.config.k8s.io/v1beta1\nopenapi: { path: ../base/a.yaml }\n'],
  ])('is no manifest of its own when the kustomization uses it as a part: %j', async (kustomization) =>
    expect(await named('base/a.yaml', kustomization)).toEqual([
      'kustomization base: its part base/a.yaml is skipped, because it is no manifest of its own; kubectl kustomize base',
    ]),
  );

  it.each([
    ['resources: [a.yaml]\n'],
    ['bases: [a.yaml]\n'],
    ['components: [a.yaml]\n'],
    ['resources: [a.yaml]\npatches: [{ path: a.yaml }]\n'],
    ['patches: [{ path: b.yaml }]\n'],
    ['patches: [{ patch: "a.yaml\\n" }]\n'],
    ['patches: [{ path: "https://a.yaml" }]\n'],
    ['patches: [{ path: "" }]\n'],
    ['configMapGenerator: [{ literals: ["=a.yaml"] }]\n'],
    ['apiVersion: v1\npatches: [{ path: a.yaml }]\n'],
  ])('is read when it is a resource, or no part: %j', async (kustomization) =>
    expect(await named('base/a.yaml', kustomization)).toEqual(['file base/a.yaml']),
  );

  it('is not the directory of the kustomization, which an empty text would name', async () => {
    await write({ [BASE]: 'patches: [{ path: "" }]\n' });
    expect(await planned(['base'], { isFound: false, above: ['base'] })).toEqual(['file base']);
  });
});

describe('the command that builds a kustomization', () => {
  it('has the directory as one word of a shell', () => {
    expect([kustomizeCommand('apps/web'), kustomizeCommand('my apps')]).toEqual([
      'kubectl kustomize apps/web',
      "kubectl kustomize 'my apps'",
    ]);
  });

  it('is for the three names that kustomize knows', () => {
    const names = ['kustomization.yaml', 'a/kustomization.yml', 'a/Kustomization', 'kustomization.json', 'x.yaml'];
    expect(names.map((name) => isKustomizationFile(name))).toEqual([true, true, true, false, false]);
  });
});
