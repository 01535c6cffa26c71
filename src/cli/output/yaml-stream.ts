/** The texts of several files as one stream of YAML documents. */
export function yamlStream(texts: readonly string[]): string {
  let stream = '';
  for (const text of texts) {
    if (stream !== '' && !stream.endsWith('\n')) stream += '\n';
    if (stream !== '') stream += separatorBefore(text);
    stream += text;
  }
  return stream;
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
