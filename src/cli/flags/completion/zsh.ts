import type { CommandDefinition } from '../command-definition.ts';
import type { Flag } from '../flag.ts';
import type { Suggestions } from '../value-types.ts';

/** Builds a completion script for zsh. The script can be sourced or installed as a file in `fpath`. */
export function zshCompletion(program: string, commands: readonly CommandDefinition[]): string {
  const descriptions = commands.map(({ name, summary }) => `    ${quoted(`${name}:${withoutColons(summary)}`)}\n`);
  return `#compdef ${program}
# zsh completion for ${program}. To use it: source <(${program} completion zsh)

_${program}() {
  local -a commands
  commands=(
${descriptions.join('')}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case \${words[1]} in
${commands.map(commandCase).join('')}  esac
}

if [[ \${funcstack[1]} == _${program} ]]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`;
}

function commandCase({ name, flags, positionals }: CommandDefinition): string {
  const specifications = [
    ...Object.entries(flags).flatMap(([flag, definition]) => flagSpecifications(flag, definition)),
    '--help[Print help.]',
    ...(positionals === undefined ? [] : [`*:argument:${action(positionals.suggestions)}`]),
  ];
  return `    ${name})\n      _arguments \\\n        ${specifications.map(quoted).join(' \\\n        ')}\n      ;;\n`;
}

function flagSpecifications(name: string, { type, short, summary, isRepeatable }: Flag<unknown>): string[] {
  const description = `[${summary.replace(/[\\[\]]/g, '\\$&')}]`;
  const repeated = isRepeatable ? '*' : '';
  const value = type === undefined ? '' : `:${withoutColons(type.placeholder)}:${action(type.suggestions)}`;
  const letter = short === undefined ? [] : [`${repeated}-${short}${description}${value}`];
  return [...letter, `${repeated}--${name}${type === undefined ? '' : '='}${description}${value}`];
}

function action(suggestions: Suggestions | undefined): string {
  if (suggestions === undefined) return ' ';
  if (suggestions === 'files') return '_files';
  if (suggestions === 'directories') return '_files -/';
  return `(${suggestions.join(' ')})`;
}

/** Escapes colons, because a colon ends a field of a zsh specification. */
function withoutColons(text: string): string {
  return text.replaceAll(':', '\\:');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
