import { describe, expect, it } from 'vitest';
import { CommandReader, MOST_COMMAND_CHARACTERS } from '../../../src/engine/workload/command-reader.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

describe('the words of a container', () => {
  const texts = (container: JsonObject): string[] =>
    new CommandReader().lineOf(container).words.map(({ text, list, index }) => `${list} ${index} ${text}`);

  it('are those of its command and of its arguments, at their places', () =>
    expect(texts({ command: ['web', 1], args: [null, '--addr'] })).toEqual(['command 0 web', 'args 1 --addr']));

  it('are those of a script behind sh -c, at the place of the script', () => {
    expect(texts({ command: ['sh', '-ec'], args: ['web --addr :1; other', '-c'] })).toEqual([
      'command 0 sh',
      'command 1 -ec',
      'args 0 web',
      'args 0 --addr',
      'args 0 :1',
      'args 0 other',
      'args 1 -c',
    ]);
    expect(texts({ command: ['web', '-c', 'a b'] })).toEqual(['command 0 web', 'command 1 -c', 'command 2 a b']);
  });

  it('are without a script that may not be read', () => {
    const script = `web --addr :1 ${'x'.repeat(MOST_COMMAND_CHARACTERS)}`;
    const { words, unread } = new CommandReader().lineOf({ command: ['sh', '-c', script] });
    expect([words.map(({ text }) => text), unread]).toEqual([
      ['sh', '-c'],
      { text: script, list: 'command', index: 2 },
    ]);
    expect(new CommandReader().lineOf({ command: ['sh', '-c', 'web'] }).unread).toBeUndefined();
  });

  it('are read once where scripts are equal, as in the templates of a JobSet', () => {
    const reader = new CommandReader();
    const isRead = (letter: string): boolean =>
      reader.lineOf({ command: ['sh', '-c', letter.repeat(4000)] }).unread === undefined;
    expect(Array.from('aaaaaaaaabcde', isRead)).toEqual([...Array<boolean>(12).fill(true), false]);
  });
});

describe('the room for commands', () => {
  const isWhole = (reader: CommandReader, ...command: string[]): boolean => reader.commandOf({ command }).isWhole;

  it('is smaller for operators, each of which begins a command', () => {
    for (const operator of [';', '&', '|', '\n']) {
      const reader = new CommandReader();
      const count = MOST_COMMAND_CHARACTERS / 9 - 1;
      expect([isWhole(reader, operator.repeat(count)), isWhole(reader, 'a'.repeat(100))]).toEqual([true, false]);
    }
  });

  it('is used up by a command that has too many of them, by its length alone', () => {
    const reader = new CommandReader();
    const letters = MOST_COMMAND_CHARACTERS - 4000;
    expect([isWhole(reader, ';'.repeat(4000)), isWhole(reader, 'a'.repeat(letters + 1))]).toEqual([false, false]);
    expect(isWhole(reader, 'a'.repeat(letters))).toBe(true);
  });
});
