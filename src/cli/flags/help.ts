import { wrap } from '../../base/text/wrap.ts';
import { variableOf } from './parse-command-line.ts';
import type { CommandDefinition, Flag } from './flag.ts';

const WIDTH = 80;

/** Builds the help of a program, with the list of commands. */
export function programHelp(program: string, commands: readonly CommandDefinition[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 4;
  const lines = commands.flatMap(({ name, summary }) => hanging(`  ${name}`.padEnd(width), summary, WIDTH));
  return [
    `Usage: ${program} COMMAND [flags]`,
    '',
    'Commands:',
    ...lines,
    '',
    `Run "${program} help COMMAND" for the flags of a command.`,
    '',
  ].join('\n');
}

/** Builds the help of a command: description, flags and exit codes. Lines have at most 80 columns. */
export function commandHelp(program: string, definition: CommandDefinition): string {
  const { name, usage, description } = definition;
  const codes = Object.entries(definition.exitCodes);
  return [
    `Usage: ${[program, name, usage].filter(Boolean).join(' ')}`,
    ...description.flatMap((paragraph) => ['', ...wrap(paragraph, WIDTH)]),
    ...flagGroups(definition).flatMap(([group, flags]) => [
      '',
      `${group ?? 'Flags'}:`,
      ...flags.flatMap(([flag, texts]) => flagHelp(flag, texts, definition.readsEnvironment === true)),
    ]),
    ...(codes.length > 0 ? ['', 'Exit codes:'] : []),
    ...codes.flatMap(([code, meaning]) => hanging(`  ${code}  `, meaning, WIDTH)),
    '',
  ].join('\n');
}

/** Returns the flags of a command by group heading, in the order of the definition. */
export function flagGroups({ flags }: CommandDefinition): [string | undefined, [string, Flag<unknown>][]][] {
  return [...Map.groupBy(Object.entries(flags), ([, { group }]) => group)];
}

/** Formats a flag as a user writes it: `--policies DIR`, `--namespace NAME, -n NAME`. */
export function flagUsage(name: string, { type, short }: Flag<unknown>): string {
  const names = short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
  return names.map((each) => (type === undefined ? each : `${each} ${type.placeholder}`)).join(', ');
}

function flagHelp(name: string, flag: Flag<unknown>, readsEnvironment: boolean): string[] {
  const fallback = flag.default ?? flag.otherwise;
  const sentences = [
    flag.summary,
    flag.details,
    flag.isRepeatable && 'May be given several times.',
    fallback !== undefined && `Default: ${fallback}.`,
  ];
  return [
    `  ${flagUsage(name, flag)}`,
    ...hanging(INDENT, sentences.filter(Boolean).join(' '), WIDTH),
    ...(readsEnvironment ? hanging(INDENT, `Environment variable: ${variableOf(name)}`, WIDTH) : []),
  ];
}

const INDENT = ' '.repeat(6);

/** Prints text beside a label, in lines of at most so many columns. Further lines are aligned with the text. */
export function hanging(label: string, text: string, columns: number): string[] {
  const lines = columns === Infinity ? [text] : wrap(text, Math.max(columns - label.length, 20));
  return lines.map((line, index) => (index === 0 ? label : ' '.repeat(label.length)) + line);
}
