import { visible } from '../../base/text/visible.ts';

/** A text of a stream. */
export interface StreamedText {
  readonly text: string;
  /** The path in a comment before the text. Undefined for no comment. */
  readonly source?: string | undefined;
}

/** The texts of several files as one stream of YAML documents. */
export function yamlStream(texts: readonly StreamedText[]): string {
  let stream = '';
  for (const { text, source } of texts) {
    const isFirst = stream === '';
    if (!isFirst && !stream.endsWith('\n')) stream += '\n';
    if (source !== undefined) stream += withSource(text, source, isFirst);
    else stream += (isFirst ? '' : separatorBefore(text)) + text;
  }
  return stream;
}

/**
 * Puts the comment below the separator, as helm does, so that the comment belongs to the file's first document. A byte
 * order mark is dropped, because only the start of a stream may have one.
 */
function withSource(text: string, source: string, isFirst: boolean): string {
  const comment = `# Source: ${visible(source)}\n`;
  const [, marker, rest = ''] = /^\uFEFF?(---[ \t]*\r?\n)?(.*)$/s.exec(text) ?? [];
  if (marker !== undefined) return marker + comment + rest;
  return (isFirst ? '' : separatorBefore(rest)) + comment + rest;
}

/**
 * The line between documents and a text that follows: none when the text begins with a separator, an end mark before
 * directives.
 */
function separatorBefore(text: string): string {
  const first = text.split('\n').find((line) => line.trim() !== '' && !line.trimStart().startsWith('#')) ?? '';
  if (first.startsWith('%')) return '...\n';
  return first.startsWith('---') ? '' : '---\n';
}
