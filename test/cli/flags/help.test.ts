import { describe, expect, it } from 'vitest';
import { commandHelp, flagGroups, flagUsage, hanging, programHelp } from '../../../src/cli/flags/help.ts';
import { inGroup, optional, repeatable, toggle, withDefault } from '../../../src/cli/flags/flag.ts';
import { anyText, choice, path } from '../../../src/cli/flags/value-types.ts';
import type { CommandDefinition } from '../../../src/cli/flags/flag.ts';

const DEFINITION: CommandDefinition = {
  name: 'try',
  summary: 'Try flags',
  usage: 'FILE... [flags]',
  description: ['Tries flags.', 'word '.repeat(30).trim()],
  flags: {
    output: withDefault(choice(['text', 'json']), 'text', 'The format.', {
      short: 'o',
      details: 'More of it.',
      links: 'See docs.',
    }),
    strict: toggle('Be strict.'),
    ...inGroup('Cluster', {
      context: optional(anyText('NAME'), 'The context.', { otherwise: 'the current one' }),
      exclude: repeatable(path('GLOB', 'files'), 'Leave out.'),
    }),
  },
  exitCodes: { 0: 'All is well.', 2: `${'word '.repeat(30).trim()}.` },
};

describe('the help of a program', () => {
  it('lists commands with aligned summaries', () => {
    const other = { ...DEFINITION, name: 'explain', summary: 'Explain flags' };
    expect(programHelp('probewright', [DEFINITION, other])).toBe(`Usage: probewright COMMAND [flags]

Commands:
  try      Try flags
  explain  Explain flags

Run "probewright help COMMAND" for the flags of a command.
`);
  });

  it('has at most 80 columns, with further lines below the summary', () => {
    const lines = programHelp('probewright', [{ ...DEFINITION, summary: 'word '.repeat(30).trim() }]).split('\n');
    expect(lines.slice(3, 6)).toEqual([
      `  try  ${'word '.repeat(14).trim()}`,
      `       ${'word '.repeat(14).trim()}`,
      `       ${'word '.repeat(2).trim()}`,
    ]);
  });
});

describe('the help of a command', () => {
  it('has usage, description, flags by group, and exit codes, in 80 columns', () => {
    expect(commandHelp('probewright', DEFINITION)).toBe(`Usage: probewright try FILE... [flags]

Tries flags.

${'word '.repeat(16).trim()}
${'word '.repeat(14).trim()}

Flags:
  --output text|json, -o text|json
      The format. More of it. Default: text.
  --strict
      Be strict.

Cluster:
  --context NAME
      The context. Default: the current one.
  --exclude GLOB
      Leave out. May be given several times.

Exit codes:
  0  All is well.
  2  ${'word '.repeat(15).trim()}
     ${'word '.repeat(15).trim()}.
`);
  });

  it('names the environment variable of each flag of a command that reads them', () => {
    const help = commandHelp('probewright', { ...DEFINITION, readsEnvironment: true });
    expect(help).toContain('      Be strict.\n      Environment variable: PROBEWRIGHT_STRICT\n');
    expect(help.match(/Environment variable: /g)).toHaveLength(4);
    expect(commandHelp('probewright', { ...DEFINITION, readsEnvironment: false })).not.toContain('Environment');
  });

  it('has neither empty parts nor blanks at the end of the usage', () => {
    const plain = { ...DEFINITION, usage: '', description: [], flags: {}, exitCodes: {} };
    expect(commandHelp('probewright', plain)).toBe('Usage: probewright try\n');
  });
});

describe('flags', () => {
  it('are in the order of the definition, by the heading of their group', () => {
    const names = flagGroups(DEFINITION).map(([group, flags]) => [group, flags.map(([name]) => name)]);
    expect(names).toEqual([
      [undefined, ['output', 'strict']],
      ['Cluster', ['context', 'exclude']],
    ]);
  });

  it('are written with their value and their letter', () => {
    const name = optional(anyText('NAME'), '', { short: 'n' });
    expect([flagUsage('name', name), flagUsage('name', { ...name, type: undefined })]).toEqual([
      '--name NAME, -n NAME',
      '--name, -n',
    ]);
    expect([flagUsage('all', toggle('')), flagUsage('dir', optional(anyText('DIR'), ''))]).toEqual([
      '--all',
      '--dir DIR',
    ]);
  });
});

describe('a text beside a label', () => {
  it('is wrapped below its first line', () => {
    expect(hanging('ab: ', 'one two three four five six seven', 24)).toEqual([
      'ab: one two three four',
      '    five six seven',
    ]);
    expect(hanging('', 'one two three four five six seven', 24)).toEqual(['one two three four five', 'six seven']);
  });

  it('gets 20 columns if the label leaves no room', () => {
    const text = 'a '.repeat(15).trim();
    expect(hanging('x'.repeat(10), text, 29)).toEqual(hanging('x'.repeat(10), text, 30));
    expect(hanging('x'.repeat(10), text, 30).map((line) => line.length)).toEqual([29, 19]);
    expect(hanging('x'.repeat(10), text, 31).map((line) => line.length)).toEqual([31, 17]);
  });

  it('is one line in columns without an end', () => {
    const text = 'word '.repeat(100).trim();
    expect(hanging('label ', text, Infinity)).toEqual([`label ${text}`]);
    expect(hanging('label ', 'a\nb', Infinity)).toEqual(['label a\nb']);
  });
});
