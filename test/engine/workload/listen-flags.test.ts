import { describe, expect, it } from 'vitest';
import { commandWords, listenFlagsOf, portsBeside } from '../../../src/engine/workload/listen-flags.ts';
import type { CommandWord } from '../../../src/engine/workload/listen-flags.ts';

const args = (...texts: readonly string[]): CommandWord[] =>
  texts.map((text, index) => ({ text, list: 'args', index }));

/** The flags of a line of words: `--addr 127.0.0.1:80 -> own 80`. */
const flagsIn = (line: string): string[] =>
  listenFlagsOf(args(...line.split(' '))).map(({ name, value, index, addresses }) => {
    const places = addresses.map(({ port, isLoopback }) => `${isLoopback ? 'own' : 'all'} ${port}`);
    return `${index} ${name} ${value} -> ${places.join(', ') || 'none'}`;
  });

describe('a flag with an address to listen on', () => {
  it.each([
    ['--listen-address=127.0.0.1:9090', ['0 --listen-address 127.0.0.1:9090 -> own 9090']],
    ['--bind-addr 0.0.0.0:80', ['1 --bind-addr 0.0.0.0:80 -> all 80']],
    ['-addr :8080', ['1 -addr :8080 -> all 8080']],
    ['-b 127.0.0.1:8000', ['1 -b 127.0.0.1:8000 -> own 8000']],
    ['--host localhost:1', ['1 --host localhost:1 -> own 1']],
    ['--listen http://127.0.0.1:8080/path', ['1 --listen http://127.0.0.1:8080/path -> own 8080']],
    ['--listen [::1]:65535', ['1 --listen [::1]:65535 -> own 65535']],
    ['--listen 127.0.0.1:80,0.0.0.0:81', ['1 --listen 127.0.0.1:80,0.0.0.0:81 -> own 80, all 81']],
    ['--bind unix:/run/app.sock', ['1 --bind unix:/run/app.sock -> none']],
    ['--bind=/run/app.sock', ['0 --bind /run/app.sock -> none']],
    ['run --addr :1 --bind :2', ['2 --addr :1 -> all 1', '4 --bind :2 -> all 2']],
  ])('is in %s', (line, flags) => expect(flagsIn(line)).toEqual(flags));

  it.each([
    'addr 127.0.0.1:80',
    '--addr',
    '--address=web',
    '--listen 127.0.0.1:65536',
    '--listen 127.0.0.1:80,web',
    '--port 127.0.0.1:80',
    '-c 127.0.0.1:80',
    '--advertise-address=10.0.0.1:80',
    '--upstream-addr 127.0.0.1:80',
    '--bind=/run/app.socket',
    '--1addr=:80',
  ])('is not in %s', (line) => expect(flagsIn(line)).toEqual([]));

  it.each([
    ['--host 127.0.0.1 --port 8080', 'own 8080'],
    ['--host 127.0.0.1 -p 8080', 'own 8080'],
    ['--host=localhost --http-port=8080', 'own 8080'],
    ['--host 127.0.0.1 --port 8080 --web-port 81', 'none'],
    ['--host 127.0.0.1 --metrics-port 81', 'none'],
    ['--host 127.0.0.1 --port', 'none'],
    ['--host 127.0.0.1 --port 0', 'none'],
    ['--host 127.0.0.1 port 80', 'none'],
  ])('without a port has the port of the only flag that names one: %s', (line, places) =>
    expect(flagsIn(line)).toEqual([expect.stringMatching(` -> ${places}$`)]),
  );

  it('is read up to its fiftieth address', () => {
    const many = (count: number): string => Array.from({ length: count }, (_, index) => `:${index + 1}`).join(',');
    const counts = [50, 51].map((count) => listenFlagsOf(args('--listen', many(count)))[0]?.addresses.length);
    expect(counts).toEqual([50, 50]);
  });
});

it('the ports beside flags are the numbers at the end of other words', () => {
  const words = args('--listen', ':1', 'web:2', '--port=3', '4', 'x5', '6/tcp', '123456');
  expect([...portsBeside(words, listenFlagsOf(words))]).toEqual([2, 3, 4]);
  const sameIndex = [...words, { text: ':7', list: 'command', index: 1 } as const];
  expect([...portsBeside(sameIndex, listenFlagsOf(words))]).toEqual([2, 3, 4, 7]);
});

describe('the words of a container', () => {
  const texts = (container: Parameters<typeof commandWords>[0]): string[] =>
    commandWords(container).words.map(({ text, list, index }) => `${list} ${index} ${text}`);

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
    const { words, unread } = commandWords({ command: ['sh', '-c', 'web --addr :1'] }, () => false);
    expect([words.map(({ text }) => text), unread]).toEqual([
      ['sh', '-c'],
      { text: 'web --addr :1', list: 'command', index: 2 },
    ]);
    expect(commandWords({ command: ['sh', '-c', 'web'] }).unread).toBeUndefined();
  });
});
