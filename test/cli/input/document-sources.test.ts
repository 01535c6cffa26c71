import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { documentSources, textFilesIn } from '../../../src/cli/input/document-sources.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

const SERVICE = 'apiVersion: v1\nkind: Service\n';
const JOB = 'kind: Job\nname: a\ntries: 2\n';

/** The name of the file that wrote each line of a rendered text, and the line there. Empty where no file did. */
async function sourcesOf(rendered: string, files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await writeFiles(directory, files);
  const others = (): ReturnType<typeof textFilesIn> => textFilesIn(join(directory, 'files'));
  const sourceAt = await documentSources(rendered, join(directory, 'template.yaml'), others);
  const lines = rendered.trimEnd().split('\n');
  return lines.map((_, index) => {
    const position = { line: index + 1, column: 1 };
    const source = sourceAt(position);
    return source === undefined ? '' : `${source.file.slice(directory.length + 1)}:${source.placeOf(position).line}`;
  });
}

describe('the source of a document', () => {
  it('is the template that has the line with its kind, however alike another file is', async () => {
    const files = { 'template.yaml': `{{/* a */}}\n${SERVICE}`, 'files/a.yaml': SERVICE };
    expect(await sourcesOf(SERVICE, files)).toEqual(['template.yaml:2', 'template.yaml:3']);
  });

  it('is another file where the template has other lines of the document, but not its kind', async () => {
    const files = { 'template.yaml': 'apiVersion: v1\n{{ include "kind" . }}\n', 'files/a.yaml': SERVICE };
    expect(await sourcesOf(SERVICE, files)).toEqual(['files/a.yaml:1', 'files/a.yaml:2']);
  });

  it('is the template for a document without a kind', async () => {
    const files = { 'template.yaml': 'port: 1\n', 'files/a.yaml': 'port: 1\n' };
    expect(await sourcesOf('port: 1\n', files)).toEqual(['template.yaml:1']);
  });

  it('is the file with most of its lines where the template has no such kind', async () => {
    const files = {
      'template.yaml': '{{ include "app" . }}\n',
      ...{ 'files/a.yaml': 'kind: Job\nname: a\n', 'files/b.yaml': JOB, 'files/c.yaml': JOB },
    };
    expect(await sourcesOf(JOB, files)).toEqual(['files/b.yaml:1', 'files/b.yaml:2', 'files/b.yaml:3']);
  });

  it.each([
    ['has half of its lines', 'kind: Job\nname: a\n', 'kind: Job\n', 'files/a.yaml:1'],
    ['has less than half of its lines', JOB, 'kind: Job\n', ''],
    ['has its lines as comments alone', 'kind: Job\n# a\n# b\n', '# a\n# b\n', ''],
  ])('is such a file only if it has half of its lines: one that %s', async (_, rendered, text, first) => {
    const files = { 'template.yaml': '{{ include "app" . }}\n', 'files/a.yaml': text };
    expect((await sourcesOf(rendered, files))[0]).toBe(first);
  });

  it('is told for each document of a text', async () => {
    const files = { 'template.yaml': `${SERVICE}---\n{{ include "app" . }}\n`, 'files/a.yaml': JOB };
    const sources = await sourcesOf(`${SERVICE}---\n${JOB}`, files);
    const own = Array<string>(3).fill('template.yaml');
    expect(sources.map((source) => source.split(':')[0])).toEqual([...own, ...Array<string>(3).fill('files/a.yaml')]);
  });

  it('is unknown without the file of the template', async () => {
    expect(await sourcesOf(SERVICE, { 'files/a.yaml': SERVICE })).toEqual(['', '']);
  });
});

describe('the text files of a chart', () => {
  it('are those that may hold manifests, by the alphabet, and what is no UTF-8 is empty', async () => {
    await writeFiles(directory, {
      ...{ 'b.yml': 'b', 'a.yaml': 'a', 'deep/c.json': '{}', 'd.tpl': 'd', 'e.txt': 'e', 'f.gotmpl': 'f' },
      ...{ 'g.png': 'g', yaml: 'h' },
      'i.yaml': Buffer.from([0xff]),
    });
    const files = (await textFilesIn(directory)).map(({ file, text }) => [file.slice(directory.length + 1), text]);
    expect(files).toEqual([
      ...[
        ['a.yaml', 'a'],
        ['b.yml', 'b'],
        ['d.tpl', 'd'],
        ['deep/c.json', '{}'],
        ['e.txt', 'e'],
        ['f.gotmpl', 'f'],
      ],
      ['i.yaml', ''],
    ]);
  });

  it('are without those that are longer than 256 KiB', async () => {
    const most = 256 * 1024;
    await writeFiles(directory, { 'a.yaml': 'a'.repeat(most), 'b.yaml': 'b'.repeat(most + 1) });
    expect((await textFilesIn(directory)).map(({ file }) => file)).toEqual([join(directory, 'a.yaml')]);
  });

  it('are at most a thousand', async () => {
    const names = Array.from({ length: 1001 }, (_, index) => `${index + 1000}.yaml`);
    await writeFiles(directory, Object.fromEntries(names.map((name) => [name, ''])));
    const files = await textFilesIn(directory);
    expect([files.length, files.at(-1)?.file]).toEqual([1000, join(directory, '1999.yaml')]);
  });

  it('are none in a directory that does not exist', async () => {
    expect(await textFilesIn(join(directory, 'none'))).toEqual([]);
  });
});
