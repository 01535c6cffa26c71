import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { filesByCapability } from '../../scripts/size/capabilities.ts';
import {
  closureOf,
  filesBelow,
  importGraph,
  singleChecksOf,
  sizeOf,
  textSize,
  textSizeOf,
} from '../../scripts/size/measure.ts';
import { exportedNames, namesExportedTwice } from '../../scripts/size/exported-names.ts';
import { walkOf } from '../../scripts/size/walk.ts';
import { callersOf, callsIn, rawReadsOf } from '../../scripts/size/raw-json.ts';

describe('the size of a text', () => {
  it('counts a line as code where a token stands, but no comment, no blank line and no import', () => {
    const text = [
      "import { c } from './c.ts';",
      '/** What it is. */',
      'export const a = 1; // beside code',
      '',
      '/*',
      ' * More.',
      ' */',
      'const b = `two',
      '',
      'lines`;',
      '// the end',
    ];
    expect(textSize(`${text.join('\n')}\n`)).toEqual({ lines: 11, code: 4 });
  });

  it('is zero for nothing', () => {
    expect(textSize('')).toEqual({ lines: 0, code: 0 });
  });
});

describe('what a file imports, directly or not', () => {
  it('has each file once', () => {
    const graph = new Map([
      ['a', ['b', 'c']],
      ['b', ['c']],
      ['c', []],
      ['d', ['a']],
    ]);
    expect([...closureOf('a', graph)].sort()).toEqual(['a', 'b', 'c']);
  });
});

describe('the walk of a value', () => {
  const files = filesBelow('src');

  it('enters each function that is given something of the value, once, and counts the ways back up', async () => {
    const folder = await temporaryDirectory();
    const [a, b, c] = ['a.ts', 'b.ts', 'c.ts'].map((name) => join(folder, name));
    const texts = [
      "import { one } from './b.ts';\nimport { deep } from './c.ts';\n" +
        'export function start({ x }) { const part = x.y; one(part); late(x); deep(1); }\nfunction late(x) { one(x); }\n',
      "import { deep } from './c.ts';\nexport const one = (x) => deep([x]);\n",
      'export function deep(all) { return all; }\n',
    ];
    for (const [index, file] of [a, b, c].entries()) await writeFile(file ?? '', texts[index] ?? '');
    const graph = importGraph([a, b, c].filter((file) => file !== undefined));
    expect(walkOf(a ?? '', 'start', folder, graph)).toEqual({ stays: [a, b, c, a], climbs: 1 });
  });

  it('ends where the folder ends', () => {
    const { stays, climbs } = walkOf('src/webhook/review/validate.ts', 'validate', 'src/cli/', importGraph(files));
    expect([stays, climbs]).toEqual([['src/webhook/review/validate.ts'], 0]);
  });
});

describe('exported names', () => {
  it('are those that a file declares and exports, once each', () => {
    const text = [
      'export interface One { readonly inner: string }',
      'export const Two = 1, Three = 2;',
      'export type Two = number;',
      'export async function four(): Promise<void> {}',
      'export class Five {}',
      'const hidden = 1;',
      "export { other } from './other.ts';",
      "export type { Other } from './other.ts';",
    ];
    expect(exportedNames(text.join('\n'))).toEqual(['One', 'Two', 'Three', 'four', 'Five']);
  });
});

describe('reads of raw JSON', () => {
  it('are calls, and not mentions, methods or declarations', () => {
    const text = [
      "import { member } from './json.ts';",
      "const a = member(object, 'member(');",
      '// member(object)',
      'const read = member;',
      "object.member('x');",
      "const inner = stringMember(member(object, 'a') ?? {}, 'b');",
    ];
    expect(callsIn(text.join('\n'), new Set(['member', 'stringMember']))).toBe(3);
  });

  it('do not count in parsers, nor in rooms without forms', () => {
    const files = rawReadsOf(filesBelow('src')).map(([file]) => file);
    expect(files).not.toContain('src/engine/workload/read-pod.ts');
    expect(files).not.toContain('src/webhook/review/review.ts');
    expect(files.filter((file) => /^src\/(?:base|yaml)\//.test(file))).toEqual([]);
    expect(files).toContain('src/cli/krm/krm-function.ts');
  });

  it('names the callers of a function', () => {
    expect(callersOf('rawReadsOf', filesBelow('scripts/size'))).toEqual(['scripts/size/print.ts']);
  });
});

describe('the texts', () => {
  it('of docs are at most 22 pages and 43,300 words', () => {
    const { pages, words } = textSizeOf(filesBelow('docs', '.md'));
    expect(pages).toBeLessThanOrEqual(22);
    expect(words).toBeLessThanOrEqual(43_300);
  });

  it('of the README are at most 700 words and 10 links', () => {
    const { words, links } = textSizeOf(['README.md']);
    expect(words).toBeLessThanOrEqual(700);
    expect(links).toBeLessThanOrEqual(10);
    expect(links).toBeGreaterThan(3);
  });

  it('of ARCHITECTURE.md are at most 1,500 words', () => {
    expect(textSizeOf(['ARCHITECTURE.md']).words).toBeLessThanOrEqual(1_500);
  });
});

/*
 * What an auditor has to read (design-one section 6). A check is a file that a reader opens alone, so a new check needs
 * no room here. The lines of `src` as a whole are told by `npm run size`. Raise a bound only in a commit that says what the reader gets for it.
 */
describe('the code', () => {
  const src = filesBelow('src');
  const graph = importGraph(src);
  const singleChecks = singleChecksOf(graph);
  const linesBehind = (...starts: readonly string[]): number => {
    const files = new Set(starts.flatMap((start) => [...closureOf(start, graph)]));
    return sizeOf([...files].filter((file) => !singleChecks.has(file))).lines;
  };

  it('finds the single checks, and none of what they share', () => {
    expect(singleChecks).toContain('src/engine/checks/named-port.ts');
    expect(singleChecks).not.toContain('src/engine/checks/check.ts');
    expect([...singleChecks].filter((file) => file.includes('/lib/'))).toEqual([]);
  });

  it('is, file by file, of one capability that a user would name, and each capability has files', () => {
    const groups = [...filesByCapability(src).values()];
    expect(groups.flat().toSorted()).toEqual(src.toSorted());
    expect(groups.every((files) => files.length > 0)).toBe(true);
    expect(() => filesByCapability(['src/new/a.ts'])).toThrow('src/new/a.ts belongs to no capability');
  });

  it('of check is read in at most 35 stays and 5 climbs', () => {
    const { stays, climbs } = walkOf('src/cli/check/check.ts', 'runCheck', 'src/cli/', graph);
    expect(stays.length).toBeLessThanOrEqual(35);
    expect(climbs).toBeLessThanOrEqual(5);
    expect(stays).toContain('src/cli/input/world.ts');
  });

  it('exports no name twice', () => expect([...namesExportedTwice(src).keys()]).toEqual([]));

  it('of one file has at most 350 lines', () => {
    for (const file of src) expect(sizeOf([file]).lines, file).toBeLessThanOrEqual(350);
  });

  it('of a decision has at most 13,300 lines beside single checks', () => {
    expect(linesBehind('src/webhook/review/validate.ts', 'src/webhook/review/mutate.ts')).toBeLessThanOrEqual(13_300);
  });

  it('of the endpoint, which is given its decisions, has at most 3,000 lines', () => {
    const endpoint = closureOf('src/webhook/http/review-endpoint.ts', graph);
    expect(sizeOf(endpoint).lines).toBeLessThanOrEqual(3000);
    expect(endpoint).not.toContain('src/engine/workload/pod.ts');
  });

  it('that serve can load has at most 25,550 lines beside single checks', () => {
    expect(linesBehind('src/webhook/serve.ts')).toBeLessThanOrEqual(25_550);
  });
});
