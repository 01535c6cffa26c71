import { parseArgs } from 'node:util';
import { didYouMean } from './policy/suggestion.ts';

/** A command line, read: the values of flags by name, and what is not a flag. */
export interface CommandLine {
  readonly flags: ReadonlyMap<string, string>;
  readonly positionals: readonly string[];
}

/** Reads `--flag value` and `--flag=value`; every flag takes a value, the last one counts. What is wrong goes to `problems`. */
export function readFlags(args: readonly string[], known: readonly string[], problems: string[]): CommandLine {
  const options = Object.fromEntries(known.map((flag) => [flag, { type: 'string' as const }]));
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const flags = new Map<string, string>();
  const positionals: string[] = [];
  let afterUnknown = false;
  for (const token of tokens) {
    // What follows an unknown flag was meant as its value.
    if (token.kind === 'positional' && !afterUnknown) positionals.push(token.value);
    afterUnknown = token.kind === 'option' && !known.includes(token.name) && token.value === undefined;
    if (token.kind !== 'option') continue;
    if (!known.includes(token.name)) problems.push(`${token.rawName}: unknown flag${didYouMean(token.name, known)}`);
    else if (token.value === undefined || (token.value.startsWith('--') && !token.inlineValue))
      problems.push(`--${token.name}: needs a value`);
    else flags.set(token.name, token.value);
  }
  return { flags, positionals };
}
