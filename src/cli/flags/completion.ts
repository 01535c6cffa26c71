import { PROGRAM } from '../io.ts';
import type { CommandDefinition } from './flag.ts';
import type { Suggestions } from './value-types.ts';

/**
 * Answers `__complete`, which is in no list of commands: what the last of the words may become. The answer has a line
 * for each word, with a tab and a description, or one line that asks the shell for names, `:files` or `:directories`.
 *
 * @param words the words behind the program's name. bash has split `--flag=value` into three.
 */
export function completionsOf(commands: readonly CommandDefinition[], words: readonly string[]): string {
  const [name = '', ...others] = words;
  if (others.length === 0) return lines(name, commands, ({ name: word, summary }) => [word, summary]);
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return '';
  const [current = '', ...earlier] = (others.at(-1) === '=' ? [...others, ''] : others).toReversed();
  const previous = earlier[0] === '=' ? earlier[1] : earlier[0];
  const [prefix = '', joined = previous] = /^(--[a-z-]+)=/.exec(current) ?? [];
  const flag = Object.entries(command.flags).find(([long, { short }]) =>
    [`--${long}`, `-${short}`].includes(joined ?? ''),
  );
  if (flag?.[1].type !== undefined) return valuesOf(flag[1].type.suggestions, current, prefix);
  if (!current.startsWith('-')) return valuesOf(command.positionals?.suggestions, current, '');
  const flags = Object.entries(command.flags).map(([long, { summary }]) => [`--${long}`, summary] as const);
  return lines(current, [...flags, ['--help', 'Print help.'] as const], (entry) => entry);
}

function valuesOf(suggestions: Suggestions | undefined, current: string, prefix: string): string {
  if (typeof suggestions === 'string') return `:${suggestions}\n`;
  return lines(current, suggestions ?? [], (word) => [prefix + word, '']);
}

function lines<T>(current: string, entries: readonly T[], read: (entry: T) => readonly [string, string]): string {
  return entries
    .map(read)
    .filter(([word]) => word.startsWith(current))
    .map(([word, summary]) => (summary === '' ? `${word}\n` : `${word}\t${summary}\n`))
    .join('');
}

/** For bash 3.2 and later. Nothing that the program prints has a character that bash expands in a word. */
const BASH = `# bash completion for ${PROGRAM}. To use it: source <(${PROGRAM} completion bash)

_${PROGRAM}() {
  local IFS=$'\\n' current=\${COMP_WORDS[COMP_CWORD]}
  [[ $current == '=' ]] && current=''
  COMPREPLY=($("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  case \${COMPREPLY[0]-} in
    :files | :directories)
      compopt -o filenames 2>/dev/null
      [[ $COMPREPLY == :files ]] && COMPREPLY=($(compgen -f -- "$current")) || COMPREPLY=($(compgen -d -- "$current"))
      ;;
    *) COMPREPLY=("\${COMPREPLY[@]%%$'\\t'*}") ;;
  esac
}

complete -F _${PROGRAM} ${PROGRAM}
`;

/** The script can be sourced, or installed as a file in `fpath`. */
const ZSH = `#compdef ${PROGRAM}
# zsh completion for ${PROGRAM}. To use it: source <(${PROGRAM} completion zsh)

_${PROGRAM}() {
  local -a found
  found=("\${(@f)$("\${words[1]}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  case \${found[1]} in
    :files) compset -P '--*='; _files ;;
    :directories) compset -P '--*='; _files -/ ;;
    ?*)
      found=("\${(@)found/$'\\t'/:}")
      _describe ${PROGRAM} found
      ;;
  esac
}

if [[ \${funcstack[1]} == _${PROGRAM} ]]; then
  _${PROGRAM} "$@"
else
  compdef _${PROGRAM} ${PROGRAM}
fi
`;

const FISH = `# fish completion for ${PROGRAM}. To use it: ${PROGRAM} completion fish | source

function __${PROGRAM}_complete
  set -l current (commandline -ct)
  set -l words (commandline -opc)
  set -l found ($words[1] __complete $words[2..] "$current" 2>/dev/null)
  set -l prefix (string match -r -- '^--[^=]+=' "$current")
  set -l path (string replace -r -- '^--[^=]+=' '' "$current")
  switch "$found[1]"
    case :files
      printf '%s\\n' "$prefix"(__fish_complete_path "$path")
    case :directories
      printf '%s\\n' "$prefix"(__fish_complete_directories "$path")
    case '?*'
      printf '%s\\n' $found
  end
end

complete -c ${PROGRAM} -f -a '(__${PROGRAM}_complete)'
`;

/** The script of each shell. A script knows no command and no flag: it asks the program for the words so far. */
export const COMPLETIONS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
