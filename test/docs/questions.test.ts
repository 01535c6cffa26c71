import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { anchorOf } from '../support/markdown.ts';

/** A question, the section that answers it (`page.md#anchor`), and a text of that section. */
interface Question {
  readonly question: string;
  readonly at: string;
  readonly answer: string;
}

const QUESTIONS = parse(readFileSync('test/fixtures/questions.yaml', 'utf8')) as Readonly<Record<string, Question[]>>;
const PAGES = new Map(
  readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name, readFileSync(`docs/${name}`, 'utf8')]),
);

/** Where the links of a page of docs/ lead, in docs/. */
function linksOf(page: string): string[] {
  const links = [...(PAGES.get(page) ?? '').matchAll(/\]\(([\w-]+\.md)?(#[\w-]+)?\)/g)];
  return links.map(([, to = page, anchor = '']) => `${to}${anchor}`);
}

/** What a reader reaches from docs/README.md by one click, and by two. */
const first = new Set(linksOf('README.md'));
const second = new Set([...first].flatMap((link) => linksOf(link.replace(/#.*/, ''))));

/** The text from a heading to the next one of its level or above. */
function sectionAt(at: string): string {
  const [page = '', anchor] = at.split('#');
  const parts = (PAGES.get(page) ?? '').replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/^#/gm, ' #'));
  const sections = parts.split(/^(?=#+ )/m);
  const start = sections.findIndex((text) => anchorOf(/^#+ (.*)/.exec(text)?.[1] ?? '') === anchor);
  const level = (text = ''): number => /^#*/.exec(text)?.[0].length ?? 0;
  const end = sections.findIndex((text, index) => index > start && level(text) <= level(sections[start]));
  return sections.slice(start, end < 0 ? undefined : end).join('');
}

it('there are ten questions', () => expect(Object.values(QUESTIONS).flat()).toHaveLength(10));

describe.each(Object.entries(QUESTIONS))('%s', (_, questions) =>
  it.each(questions)('$question The answer is two clicks from docs/README.md at most', ({ at, answer }) => {
    expect([...first, ...second]).toContain(at);
    expect(sectionAt(at)).toContain(answer);
  }),
);
