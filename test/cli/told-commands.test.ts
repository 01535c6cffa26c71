import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMAND_DEFINITIONS, isCommandName } from '../../src/cli/command-table.ts';
import { parseCommandLine } from '../../src/cli/flags/parse-command-line.ts';
import { PROGRAM } from '../../src/cli/io.ts';
import type { CommandDefinition } from '../../src/cli/flags/flag.ts';

/** A flag, `-`, a name to fill in, or a value that the program fills in. */
const ARGUMENT = /(?:--?\w[\w-]*|-(?![->])|[A-Z]{3,}|(?:\$\{[^}]*\}|\/)+)/.source;
const COMMAND = new RegExp(`(?:\\$\\{PROGRAM\\}|\\b${PROGRAM}) ([a-z-]+)\\b((?: ${ARGUMENT})*)(?=(.?))`, 'g');

/** The commands of our own in the texts of the program: those with arguments, and the others by their names alone. */
const told = globSync('src/**/*.ts').flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /['`]/.test(line) && !/^\s*(?:\*|\/\/|\/\*)/.test(line))
    .flatMap((line) => [...line.matchAll(COMMAND)])
    // Behind a colon stands what a command says.
    .filter(([, name = '', , next]) => next !== ':' && isCommandName(name))
    .map(([, name = '', words = '']) => ({
      file,
      name,
      args: words
        .trim()
        .split(/ (?![^{]*\})/)
        .filter((word) => word !== '')
        .map((word) => word.replaceAll(/\$\{[^}]*\}/g, 'x')),
    })),
);

describe('a command of our own that an output tells to type', () => {
  it('is found in the sources', () => expect(told.length).toBeGreaterThan(10));

  it.each(told.filter(({ args }) => args.length > 0))('is taken by its own definition: $name $args ($file)', (each) => {
    const definition = COMMAND_DEFINITIONS.find(({ name }) => name === each.name) as CommandDefinition;
    const line = parseCommandLine(definition, each.args, {});
    expect(line).toMatchObject({ kind: 'command' });
  });
});
