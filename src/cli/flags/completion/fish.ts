import type { CommandDefinition } from '../command-definition.ts';
import type { Flag } from '../flag.ts';
import type { Suggestions } from '../value-types.ts';

/** Builds a completion script for fish. */
export function fishCompletion(program: string, commands: readonly CommandDefinition[]): string {
  return `# fish completion for ${program}. To use it: ${program} completion fish | source

complete -c ${program} -f
${commands.map((command) => commandLines(program, command)).join('')}`;
}

function commandLines(program: string, { name, summary, flags, positionals }: CommandDefinition): string {
  const start = `complete -c ${program} -n '__fish_seen_subcommand_from ${name}'`;
  return [
    `complete -c ${program} -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...Object.entries(flags).map(
      ([flag, definition]) =>
        `${start}${letterOption(definition)} -l ${flag}${valueOptions(definition)} -d ${quoted(definition.summary)}`,
    ),
    `${start} -l help -d 'Print help.'`,
    ...(positionals === undefined ? [] : [`${start} ${argumentOptions(positionals.suggestions)}`]),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function letterOption({ short }: Flag<unknown>): string {
  return short === undefined ? '' : ` -s ${short}`;
}

/**
 * Returns the options of `complete` for a flag's value: -x requires a value and suggests no files, -r -F requires a
 * value and suggests files.
 */
function valueOptions({ type }: Flag<unknown>): string {
  if (type === undefined) return '';
  const { suggestions } = type;
  if (suggestions === undefined) return ' -x';
  if (suggestions === 'files') return ' -r -F';
  return ` -x ${argumentOptions(suggestions)}`;
}

function argumentOptions(suggestions: Suggestions): string {
  if (suggestions === 'files') return '-F';
  if (suggestions === 'directories') return "-a '(__fish_complete_directories)'";
  return `-a '${suggestions.join(' ')}'`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
