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
/** More than a finding with its remedy. */
const MOST_CHARACTERS_OF_LINE = 4000;
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
  const cutLines = lines.slice(0, MOST_LINES).map((line) => cut(outputLine(line), MOST_CHARACTERS_OF_LINE));
  let length = 0;
  // A remedy that is cut would be copied so.
  const shown = cutLines.filter((line) => (length += line.length + 1) <= MOST_CHARACTERS_OF_SECTION);
  const more = lines.length - shown.length;
  const body = [...shown, ...(more > 0 ? [`... and ${count(more, 'more line')}`] : [])].join('\n');
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `\n### ${title}\n\n${fence}${language ?? 'text'}\n${body}\n${fence}\n`;
}
