import { describe, expect, it } from 'vitest';
import { variableOf } from '../../src/cli/flags/parse-command-line.ts';
import { COMMAND_DEFINITIONS } from '../../src/cli/command-table.ts';
import { runProbewright } from './run-probewright.ts';

const helpOf = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runProbewright(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

describe('help', () => {
  it.each([['help'], ['--help'], ['-h']])('of the program lists every command: %s', async (...args) => {
    const help = await helpOf(...args);
    for (const { name, summary } of COMMAND_DEFINITIONS)
      expect(help).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
  });

  it.each(COMMAND_DEFINITIONS.filter(({ name }) => name !== 'help'))(
    'of $name names every flag with its default and variable, and is the same in each form',
    async (definition) => {
      const { name, flags, readsEnvironment } = definition;
      const help = await helpOf('help', name);
      expect(await helpOf(name, '--help')).toBe(help);
      expect(await helpOf(name, 'x', '-h', '--nonsense')).toBe(help);
      const listed = [...help.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag]) => flag);
      expect(listed).toEqual(Object.keys(flags));
      const text = help.replace(/\s+/g, ' ');
      for (const [flag, { default: fallback }] of Object.entries(flags)) {
        if (fallback !== undefined) expect(text).toContain(`Default: ${fallback}.`);
        if (readsEnvironment) expect(text).toContain(`Environment variable: ${variableOf(flag)}`);
      }
    },
  );

  it.each([[], ...COMMAND_DEFINITIONS.map(({ name }) => [name])])(
    'is at most 80 columns wide: %s',
    async (...names) => {
      const lines = (await helpOf('help', ...names.filter((name) => name !== 'help'))).split('\n');
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
    },
  );
});
