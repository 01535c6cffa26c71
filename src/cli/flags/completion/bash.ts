import type { CommandDefinition } from '../command-definition.ts';
import type { Flag } from '../flag.ts';
import type { Suggestions } from '../value-types.ts';

/**
 * Builds a completion script for bash 3.2 and later. Names and values come from definitions, so they contain no
 * characters that a shell interprets. bash splits `--flag=value` into three words, because COMP_WORDBREAKS contains
 * `=`.
 */
export function bashCompletion(program: string, commands: readonly CommandDefinition[]): string {
  return `# bash completion for ${program}. To use it: source <(${program} completion bash)

_${program}_words() {
  COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_${program}_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$2"))
}

_${program}() {
  local current=\${COMP_WORDS[COMP_CWORD]}
  local previous=\${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _${program}_words '${commands.map(({ name }) => name).join(' ')}' "$current"
    return
  fi
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case "\${COMP_WORDS[1]} $previous" in
${commands.flatMap((command) => valueCases(program, command)).join('')}  esac
  case "\${COMP_WORDS[1]} $current" in
${commands.flatMap((command) => argumentCases(program, command)).join('')}  esac
}

complete -F _${program} ${program}
`;
}

/** Returns the completions for the value of each flag that takes a value. */
function valueCases(program: string, { name, flags }: CommandDefinition): string[] {
  return Object.entries(flags)
    .filter(([, { type }]) => type !== undefined)
    .map(([flag, { type, short }]: [string, Flag<unknown>]) => {
      const suggest = type?.suggestions === undefined ? '' : `${suggestionCall(program, type.suggestions)}; `;
      const letter = short === undefined ? '' : `|'${name} -${short}'`;
      return `    '${name} --${flag}'${letter}) ${suggest}return ;;\n`;
    });
}

/** Returns the completions for flags (after a dash) and for positionals. */
function argumentCases(program: string, { name, flags, positionals }: CommandDefinition): string[] {
  const words = [...Object.keys(flags), 'help'].map((flag) => `--${flag}`);
  return [
    `    '${name} -'*) ${suggestionCall(program, words)} ;;\n`,
    ...(positionals === undefined ? [] : [`    '${name} '*) ${suggestionCall(program, positionals.suggestions)} ;;\n`]),
  ];
}

function suggestionCall(program: string, suggestions: Suggestions): string {
  if (suggestions === 'files') return `_${program}_paths -f "$current"`;
  if (suggestions === 'directories') return `_${program}_paths -d "$current"`;
  return `_${program}_words '${suggestions.join(' ')}' "$current"`;
}
