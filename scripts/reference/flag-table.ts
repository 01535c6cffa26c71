import { flagGroups, flagUsage } from '../../src/cli/flags/help.ts';
import type { CommandDefinition, Flag } from '../../src/cli/flags/flag.ts';
import { markdownTable } from './markdown-table.ts';

/**
 * Formats the flags of a command as Markdown tables, one for each group. A heading line precedes every table except the
 * first.
 */
export function flagTables(definition: CommandDefinition): string {
  const columns = ['flag', 'default', 'meaning'];
  return flagGroups(definition)
    .map(([group, flags]) => {
      const rows = flags.map(([name, flag]) => cellsOf(name, flag));
      return `${group === undefined ? '' : `${marked(group)}:\n\n`}${markdownTable(columns, rows)}`;
    })
    .join('\n');
}

/** Formats a command's own flags as tables. The flags that another table has word for word are named, with a link to it. */
export function otherFlagTables(definition: CommandDefinition, listed: CommandDefinition, link: string): string {
  const isListed = ([name, flag]: [string, Flag<unknown>]): boolean =>
    Object.hasOwn(listed.flags, name) && rowOf(name, flag) === rowOf(name, listed.flags[name]);
  const flags = Object.entries(definition.flags);
  const own = flags.filter((entry) => !isListed(entry));
  const names = flags.filter(isListed).map(([name]) => code(`--${name}`));
  return [
    ...(own.length > 0 ? [flagTables({ ...definition, flags: Object.fromEntries(own) })] : []),
    ...(names.length > 0 ? [`Further flags, described [here](${link}): ${names.join(', ')}.\n`] : []),
  ].join('\n');
}

/** The flags of a command that one of the others has word for word. */
export function sharedFlags(definition: CommandDefinition, others: readonly CommandDefinition[]): CommandDefinition {
  const flags = Object.entries(definition.flags).filter(([name, flag]) =>
    others.some((other) => Object.hasOwn(other.flags, name) && rowOf(name, other.flags[name]) === rowOf(name, flag)),
  );
  return { ...definition, flags: Object.fromEntries(flags) };
}

function rowOf(name: string, flag: Flag<unknown> | undefined): string {
  return flag === undefined ? '' : cellsOf(name, flag).join('\n');
}

/** Formats commands as a Markdown table. */
export function commandTable(commands: readonly CommandDefinition[]): string {
  const rows = commands.map(({ name, usage, summary }) => [code([name, usage].filter(Boolean).join(' ')), summary]);
  return markdownTable(['command', 'what it does'], rows);
}

function cellsOf(name: string, flag: Flag<unknown>): string[] {
  const { summary, details, links, otherwise } = flag;
  const fallback =
    flag.default === undefined ? (otherwise ?? (flag.type === undefined ? 'off' : 'none')) : code(flag.default);
  return [
    code(flagUsage(name, flag)),
    marked(fallback),
    [marked([summary, details, flag.isRepeatable && 'May be given several times.'].filter(Boolean).join(' ')), links]
      .filter(Boolean)
      .join(' '),
  ];
}

/** Formats flags and URL paths as Markdown code. */
function marked(text: string): string {
  return text.replace(/--[a-z][a-z-]*|(?<= )\/[a-z][a-z-]*/g, code);
}

function code(text: string): string {
  return `\`${text}\``;
}
