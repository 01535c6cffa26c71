import { flagGroups, flagUsage } from '../../src/cli/flags/help.ts';
import { variableOf } from '../../src/cli/flags/parse-command-line.ts';
import type { CommandDefinition, Flag } from '../../src/cli/flags/flag.ts';

/**
 * Formats the flags of a command as Markdown tables, one for each group. A heading line precedes every table except the
 * first.
 */
export function flagTables(definition: CommandDefinition): string {
  const { readsEnvironment = false } = definition;
  const columns = ['flag', ...(readsEnvironment ? ['environment'] : []), 'default', 'meaning'];
  const head = `${row(columns)}|${'---|'.repeat(columns.length)}\n`;
  return flagGroups(definition)
    .map(([group, flags]) => {
      const rows = flags.map(([name, flag]) => row(cellsOf(name, flag, readsEnvironment)));
      return `${group === undefined ? '' : `${marked(group)}:\n\n`}${head}${rows.join('')}`;
    })
    .join('\n');
}

/** Formats commands as a Markdown table. */
export function commandTable(commands: readonly CommandDefinition[]): string {
  const rows = commands.map(({ name, usage, summary }) =>
    row([code([name, usage].filter(Boolean).join(' ')), summary]),
  );
  return `${row(['command', 'what it does'])}|---|---|\n${rows.join('')}`;
}

function cellsOf(name: string, flag: Flag<unknown>, readsEnvironment: boolean): string[] {
  const { summary, details, links, otherwise } = flag;
  const fallback =
    flag.default === undefined ? (otherwise ?? (flag.type === undefined ? 'off' : 'none')) : code(flag.default);
  return [
    code(flagUsage(name, flag)),
    ...(readsEnvironment ? [code(variableOf(name))] : []),
    marked(fallback),
    [marked([summary, details, flag.isRepeatable && 'May be given several times.'].filter(Boolean).join(' ')), links]
      .filter(Boolean)
      .join(' '),
  ];
}

/** Formats flags and URL paths as Markdown code. */
function marked(text: string): string {
  return text.replace(/--[a-z][a-z-]*|(?<= )\/[a-z]+/g, code);
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}
