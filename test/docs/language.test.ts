import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'charts/probewright/README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
/** The most words of a sentence: plain English has 20, rarely 25. */
const MOST_WORDS = 35;

/** A page without code blocks and generated marks. */
const proseOf = (text: string): string => text.replace(/```[\s\S]*?```/g, '\n\n').replace(/<!--[\s\S]*?-->/g, '');

/** The pieces of prose that hold sentences of their own: paragraphs, list items and table cells. */
function piecesOf(text: string): string[] {
  return proseOf(text)
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)|\n(?=\s*\|)/)
    .flatMap((piece) => (piece.trimStart().startsWith('|') ? piece.split(/(?<!\\)\|/) : [piece]));
}

/** Sentences with links as their texts, and code as one word. */
function sentencesOf(text: string): string[] {
  return piecesOf(text).flatMap((piece) =>
    piece
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/`[^`]*`/g, 'code')
      .replace(/\s+/g, ' ')
      .trim()
      .split(/(?<=[.!?](?:\*\*)?) (?=[A-Z0-9"(/*]|code)/),
  );
}

const wordsOf = (sentence: string): number => sentence.match(/[\w'’-]+/g)?.length ?? 0;

describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(page, 'utf8');

  it(`has no sentence of more than ${MOST_WORDS} words`, () => {
    expect(sentencesOf(text).filter((sentence) => wordsOf(sentence) > MOST_WORDS)).toEqual([]);
  });

  it('shows a command, an example, a table or a list before long explanations', () => {
    const prose = text.slice(0, text.search(/^(```|\||[-*] |\d+\. )/m));
    expect(wordsOf(prose), 'words before the first block, table or list').toBeLessThan(200);
  });

  it('says of every block in which language it is', () => {
    const opening = [...text.matchAll(/^ *```(.*)\n[\s\S]*?^ *```$/gm)].map(([, language = '']) => language);
    expect(opening.filter((language) => language.trim() === '')).toEqual([]);
  });
});

describe.each(PAGES.filter((page) => page.startsWith('docs/')))('%s', (page) => {
  it('marks every shell block: run by the end-to-end tests, run and to fail, or run by hand', () => {
    const fences = [...readFileSync(page, 'utf8').matchAll(/^ *```((?:sh|bash|shell)\b.*)$/gm)].map(
      ([, info = '']) => info,
    );
    expect(fences.filter((info) => !['sh e2e', 'sh e2e fails', 'sh by-hand'].includes(info))).toEqual([]);
  });
});
