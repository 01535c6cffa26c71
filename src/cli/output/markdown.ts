import { count, cut } from '../../base/text/cut.ts';
import { outputLine } from '../../base/text/visible.ts';

/** A part of a Markdown document. Only the title is Markdown: it holds nothing that comes from manifests. */
export interface MarkdownSection {
  readonly title: string;
  readonly language?: 'diff';
  readonly lines: readonly string[];
}

/** A comment on GitHub has at most 65,536 characters. */
const MOST_CHARACTERS = 60_000;
/** The room for the sentence about the sections that are left out. */
const ROOM_FOR_END = 200;

/** One section gets no more than this, so that the others have room too. */
const MOST_LINES = 200;
const MOST_CHARACTERS_OF_LINE = 400;
const MOST_CHARACTERS_OF_SECTION = 12_000;

/**
 * Returns a document for a comment of a pull request or the summary of a job. Everything that comes from manifests is
 * in code blocks, where no Markdown, HTML or `@name` has an effect.
 *
 * @param noun what a section is about
 * @param command prints all sections
 */
export function markdownDocument(
  head: string,
  sections: readonly MarkdownSection[],
  noun: string,
  command: string,
): string {
  let text = head;
  for (const [index, each] of sections.entries()) {
    const section = sectionText(each);
    if (text.length + section.length > MOST_CHARACTERS - ROOM_FOR_END) {
      const others = count(sections.length - index, `more ${noun}`);
      return `${text}\nThere is no room here for ${others}. Run \`${command}\` to see all ${noun}s.\n`;
    }
    text += section;
  }
  return text;
}

function sectionText({ title, language, lines }: MarkdownSection): string {
  const shown = lines.slice(0, MOST_LINES).map((line) => cut(outputLine(line), MOST_CHARACTERS_OF_LINE));
  const body = cut(shown.join('\n'), MOST_CHARACTERS_OF_SECTION);
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `\n### ${title}\n\n${fence}${language ?? 'text'}\n${body}\n${fence}\n`;
}
