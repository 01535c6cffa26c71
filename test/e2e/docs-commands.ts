import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const docs = join(import.meta.dirname, '../../docs');

/** A block of commands in a page, which has to run as it stands there. */
export interface DocsBlock {
  readonly page: string;
  readonly line: number;
  readonly script: string;
  /** The page shows how it is refused. */
  readonly fails: boolean;
  /** What the page says that it prints, when it does. */
  readonly prints: string | undefined;
}

/** Pages that have to come last: after them there is nothing left to try anything with. */
const lastPages = ['operate.md'];

/** All blocks, page by page as the index lists them. */
export function docsBlocks(): DocsBlock[] {
  const index = readFileSync(join(docs, 'README.md'), 'utf8');
  const pages = new Set([...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page = '']) => page));
  for (const page of lastPages) if (pages.delete(page)) pages.add(page);
  return [...pages].flatMap((page) => blocksOf(page, readFileSync(join(docs, page), 'utf8')));
}

/** The blocks of a page that are to be run: the fence says `sh e2e`, or `sh e2e fails`. */
export function blocksOf(page: string, text: string): DocsBlock[] {
  const fences = text.matchAll(/^```sh e2e( fails)?\n([\s\S]*?)^```\n(?:\n```console\n([\s\S]*?)^```$)?/gm);
  return [...fences].map(({ index, 1: fails, 2: script = '', 3: prints }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    script,
    fails: fails !== undefined,
    prints,
  }));
}

/** What a reader goes by: the page, the line, and the beginning of the first command. */
export function titleOf({ page, line, script }: DocsBlock): string {
  const [first = ''] = script.split('\n');
  return `docs/${page}:${line} ${first.length > 90 ? `${first.slice(0, 90)}...` : first}`;
}
