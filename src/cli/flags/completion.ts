import type { CommandDefinition, Flag } from './flag.ts';
import type { Suggestions } from './value-types.ts';

export const COMPLETIONS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/**
 * Builds a completion script for bash 3.2 and later. Names and values come from definitions, so they contain no
 * characters that a shell interprets. bash splits `--flag=value` into three words, because COMP_WORDBREAKS contains
 * `=`.
 */
function bashCompletion(program: string, commands: readonly CommandDefinition[]): string {
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

function valueCases(program: string, { name, flags }: CommandDefinition): string[] {
  return Object.entries(flags)
    .filter(([, { type }]) => type !== undefined)
    .map(([flag, { type, short }]: [string, Flag<unknown>]) => {
      const suggest = type?.suggestions === undefined ? '' : `${suggestionCall(program, type.suggestions)}; `;
      const letter = short === undefined ? '' : `|'${name} -${short}'`;
      return `    '${name} --${flag}'${letter}) ${suggest}return ;;\n`;
    });
}

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

function fishCompletion(program: string, commands: readonly CommandDefinition[]): string {
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
        `${start}${definition.short === undefined ? '' : ` -s ${definition.short}`} -l ${flag}${valueOptions(definition)} -d ${quoted(definition.summary)}`,
    ),
    `${start} -l help -d 'Print help.'`,
    ...(positionals === undefined ? [] : [`${start} ${argumentOptions(positionals.suggestions)}`]),
  ]
    .map((line) => `${line}\n`)
    .join('');
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

/** Builds a completion script for zsh. The script can be sourced or installed as a file in `fpath`. */
function zshCompletion(program: string, commands: readonly CommandDefinition[]): string {
  const descriptions = commands.map(({ name, summary }) => `    ${zshQuoted(`${name}:${withoutColons(summary)}`)}\n`);
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
  return `    ${name})\n      _arguments \\\n        ${specifications.map(zshQuoted).join(' \\\n        ')}\n      ;;\n`;
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

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
