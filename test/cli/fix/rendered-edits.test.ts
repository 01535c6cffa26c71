import { describe, expect, it } from 'vitest';
import { editsByHand, isRendered, type EditByHand } from '../../../src/cli/fix/rendered-edits.ts';
import type { ManifestText } from '../../../src/cli/input/manifest.ts';
import { manifestsOf } from '../../../src/cli/input/manifests.ts';
import type { FixedFile } from '../../../src/cli/fix/fix-file.ts';

/** The edits that turn one text into another. */
async function edits(
  before: string,
  after: string,
  { file = '<stdin>', ...text }: Partial<ManifestText> = {},
): Promise<readonly EditByHand[]> {
  const source = { file, text: before, ...text };
  const parsed = { ...source, manifests: manifestsOf(source).manifests };
  return await editsByHand({ source: parsed, file, before, after } as unknown as FixedFile, 'default');
}

const linesOf = async (...given: Parameters<typeof edits>): Promise<string[]> =>
  (await edits(...given)).map(({ line }) => line);

const HEAD = 'apiVersion: v1\nkind: Pod\nmetadata: { name: web, namespace: apps }\n';
const pod = (spec: string): string => `${HEAD}spec: ${spec}\n`;

describe('a text', () => {
  it.each([
    ['a file', { file: 'web.yaml', text: '# Source: a.yaml\n' }, false],
    ['standard input without a source', { file: '<stdin>', text: 'kind: Pod\n' }, false],
    [
      'standard input with a source below other lines',
      { file: '<stdin>', text: '---\n# Source: a.yaml\nkind: Pod\n' },
      true,
    ],
    ['standard input with a source first', { file: '<stdin>', text: '# Source: a.yaml\n' }, true],
    ['standard input with a source inside a line', { file: '<stdin>', text: 'a: 1 # Source: a.yaml\n' }, false],
    [
      'a text with places',
      { file: 'web.yaml', text: '', placeOf: () => ({ file: 'web.yaml', line: 1, column: 1 }) },
      true,
    ],
  ] as const)('is rendered or not: %s', (_name, text, expected) => {
    expect(isRendered(text)).toBe(expected);
    // The search has no memory of the text before.
    expect(isRendered(text)).toBe(expected);
  });
});

describe('edits by hand', () => {
  it('are none when nothing changed', async () => {
    expect(await edits(pod('{ a: 1 }'), pod('{ a: 1 }'))).toEqual([]);
    expect(await edits(pod('{ a: 1 }'), pod('{ "a": 1 }'))).toEqual([]);
  });

  it('name the object, the field and the new value, each field as deep as possible', async () => {
    expect(
      await linesOf(pod('{ a: { b: 1, c: 2 }, d: 1 }'), pod('{ a: { b: 9, c: 2 }, d: 1, e: { f: [x] } }')),
    ).toEqual([
      '<stdin>: Pod apps/web: spec.a.b: write 9 in the template',
      '<stdin>: Pod apps/web: spec.e: write {"f":["x"]} in the template',
    ]);
  });

  it('say which field to remove', async () => {
    expect(await linesOf(pod('{ a: 1, b: 2 }'), pod('{ a: 1 }'))).toEqual([
      '<stdin>: Pod apps/web: spec.b: remove it in the template',
    ]);
  });

  it('go into lists of the same length, and name a list of another length as a whole', async () => {
    expect(await linesOf(pod('{ a: [{ b: 1 }, 2] }'), pod('{ a: [{ b: 3 }, 2] }'))).toEqual([
      '<stdin>: Pod apps/web: spec.a[0].b: write 3 in the template',
    ]);
    expect(await linesOf(pod('{ a: [1, 2] }'), pod('{ a: [1] }'))).toEqual([
      '<stdin>: Pod apps/web: spec.a: write [1] in the template',
    ]);
    expect(await linesOf(pod('{ a: [1] }'), pod('{ a: { b: 1 } }'))).toEqual([
      '<stdin>: Pod apps/web: spec.a: write {"b":1} in the template',
    ]);
    expect(await linesOf(pod('{ a: { b: 1 } }'), pod('{ a: [1] }'))).toEqual([
      '<stdin>: Pod apps/web: spec.a: write [1] in the template',
    ]);
  });

  it('name the source above each field, and the file to edit', async () => {
    const stream = (first: number, second: number): string =>
      `---\n# Source: chart/a.yaml\n${pod(`{ a: ${first} }`)}---\n# Source: chart/b.yaml\n${pod(`{ a: ${second} }`)}`;
    expect(await edits(stream(1, 1), stream(2, 3))).toEqual([
      { line: 'chart/a.yaml: Pod apps/web: spec.a: write 2 in the template', file: 'chart/a.yaml' },
      { line: 'chart/b.yaml: Pod apps/web: spec.a: write 3 in the template', file: 'chart/b.yaml' },
    ]);
  });

  it('have no source where none is above, although one is below', async () => {
    const below = (value: number): string => `${pod(`{ a: ${value} }`)}---\n# Source: chart/b.yaml\n${pod('{ a: 1 }')}`;
    expect(await edits(below(1), below(2))).toEqual([
      { line: '<stdin>: Pod apps/web: spec.a: write 2 in the template', file: '<stdin>' },
    ]);
  });

  it('name the namespace that the command line gives, and an object without a kind', async () => {
    const text = (value: number, kind: string): string => `${kind}metadata: { name: web }\na: ${value}\n`;
    expect(await linesOf(text(1, 'kind: Pod\n'), text(2, 'kind: Pod\n'))).toEqual([
      '<stdin>: Pod default/web: a: write 2 in the template',
    ]);
    expect(await linesOf(text(1, ''), text(2, ''))).toEqual([
      '<stdin>: object default/web: a: write 2 in the template',
    ]);
  });

  it('are told once for a document with several objects', async () => {
    const list = (value: number): string =>
      `apiVersion: v1\nkind: List\nitems:\n  - { kind: Pod, a: ${value} }\n  - { kind: Pod, a: ${value} }\n`;
    expect(await linesOf(list(1), list(2))).toEqual([
      '<stdin>: List default/*: items[0].a: write 2 in the template',
      '<stdin>: List default/*: items[1].a: write 2 in the template',
    ]);
  });
});

describe('edits of a text that a tool rendered', () => {
  const placedIn =
    (file: string): NonNullable<ManifestText['placeOf']> =>
    ({ line, column }) => ({ file, line: line + 100, column });
  const placeOf = placedIn('base/web.yaml');

  it('have the place in the source, and say that a kustomization has a base or a patch', async () => {
    expect(await edits(pod('{ a: 1 }'), pod('{ a: 2 }'), { file: 'base/web.yaml', placeOf })).toEqual([
      {
        line: 'base/web.yaml:104:9: Pod apps/web: spec.a: write 2 in the base or in a patch',
        file: 'base/web.yaml',
      },
    ]);
    expect(await linesOf(pod('{ a: 1, b: 2 }'), pod('{ a: 1 }'), { file: 'base/web.yaml', placeOf })).toEqual([
      'base/web.yaml:104:15: Pod apps/web: spec.b: remove it in the base or in a patch',
    ]);
  });

  it('have the value of the chart that writes the field, and its file', async () => {
    const asked: unknown[] = [];
    const chartValueOf: NonNullable<ManifestText['chartValueOf']> = (position, path) => {
      asked.push([position.line, path]);
      const value = { text: 'port in values.yaml:5', file: 'values.yaml' };
      return Promise.resolve(path.includes('a') || path.includes('b') ? value : undefined);
    };
    const source = { file: 'templates/web.yaml', placeOf: placedIn('templates/web.yaml'), chartValueOf };
    expect(await edits(pod('{ a: 1, b: 1, c: 1, d: 1 }'), pod('{ a: 2, c: 2 }'), source)).toEqual([
      {
        line: 'templates/web.yaml:104:9: Pod apps/web: spec.a: write 2 as value port in values.yaml:5',
        file: 'values.yaml',
      },
      {
        line: 'templates/web.yaml:104:15: Pod apps/web: spec.b: remove value port in values.yaml:5',
        file: 'values.yaml',
      },
      { line: 'templates/web.yaml:104:21: Pod apps/web: spec.c: write 2 in the template', file: 'templates/web.yaml' },
      {
        line: 'templates/web.yaml:104:27: Pod apps/web: spec.d: remove it in the template',
        file: 'templates/web.yaml',
      },
    ]);
    expect(asked[0]).toEqual([4, ['spec', 'a']]);
  });
});
