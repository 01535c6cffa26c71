import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { markdownTable } from './markdown-table.ts';

const ACTION = join(import.meta.dirname, '../../action.yml');

/** Words for defaults that say nothing to a reader. */
const WORDS: Readonly<Record<string, string>> = { '': 'none', '${{ github.token }}': "the job's token" };

/** The inputs of the GitHub Action, in the words of action.yml, as a Markdown table. */
export function actionTable(): string {
  const { inputs } = parse(readFileSync(ACTION, 'utf8')) as {
    inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  };
  return markdownTable(
    ['input', 'meaning', 'default'],
    Object.entries(inputs).map(([name, { description, default: fallback }]) => [
      `\`${name}\``,
      description,
      WORDS[fallback] ?? `\`${fallback}\``,
    ]),
  );
}
