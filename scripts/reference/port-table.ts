import { wordsOfKinds } from '../../src/engine/port/words.ts';
import { markdownTable } from './markdown-table.ts';

/** What the words and numbers of ports mean, as a Markdown table. The first row that matches counts. */
export function portTable(): string {
  const never = wordsOfKinds('product', 'beside');
  const rows = [
    ['another protocol', quoted(never.words)],
    ['another protocol, by its number', never.numbers.join(', ')],
    ['most probably no health endpoint', quoted(wordsOfKinds('seldom').words)],
    ['metrics and profiles', quoted(wordsOfKinds('metrics').words)],
    ['a webhook: nothing to ask', '`webhook*`; 9443 without a name'],
    [
      'HTTPS',
      `${quoted(wordsOfKinds('https').words)}, \`tls\` with \`http\`; 443 and 8443 without a name. The probe gets \`scheme: HTTPS\``,
    ],
    [
      'HTTP',
      `\`http\` or \`ws\` at the beginning or the end; else all words are of this row: ${quoted(wordsOfKinds('web', 'app').words)}`,
    ],
  ];
  return markdownTable(['the port is for', 'words in the name'], rows);
}

const quoted = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');
