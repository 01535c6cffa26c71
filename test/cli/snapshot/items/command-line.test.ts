import { describe, expect, it } from 'vitest';
import { commandLine } from '../../../../src/cli/snapshot/items/command-line.ts';
import { boundedMembersOf } from '../../../../src/engine/workload/bounded-container.ts';
import { CommandReader } from '../../../../src/engine/workload/command-reader.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';

const partOf = (container: JsonObject, ports: readonly number[] = [], words: readonly string[] = []): JsonObject =>
  commandLine(container, new CommandReader().lineOf(boundedMembersOf(container)), new Set(ports), words);

const args = (...words: readonly string[]): JsonObject => ({ args: words });
const command = (...words: readonly string[]): JsonObject => ({ command: words });

describe('a command line in a snapshot', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['has nothing where there is nothing', {}, {}],
    [
      'has as many words, and no word of the application',
      { ...command('/app', '--token=abc'), ...args('x') },
      { ...command('', ''), ...args('') },
    ],
    [
      'keeps a list that is none, without its value',
      { command: 'secret', args: [1, null] },
      { command: '', args: [0, null] },
    ],
    ['has addresses to listen on', args('--listen=0.0.0.0:8080', '--token=abc'), args('--listen=0.0.0.0:8080', '')],
    ['has no host but a loopback host', args('--listen=example.test:8080'), args('--listen=0.0.0.0:8080')],
    [
      'has each of several addresses, with its scheme and without its path',
      args('--listen=http://localhost:8080,tcp://[::1]:9090,10.0.0.1:7070/path'),
      args('--listen=http://localhost:8080,tcp://[::1]:9090,0.0.0.0:7070'),
    ],
    ['has a loopback host without a port', args('--address=localhost', 'x'), args('--address=localhost', '')],
    [
      'has the address in a script behind its shell',
      command('sh', '-c', 'exec app --listen 127.0.0.1:8080 --token abc'),
      command('sh', '-c', '--listen=127.0.0.1:8080'),
    ],
    [
      'has a script at the place where it stood',
      { ...command('bash'), ...args('-e', '-x', '-c', 'app --listen=127.0.0.1:8080', 'more') },
      { ...command('sh'), ...args('-e', '-e', '-c', '--listen=127.0.0.1:8080', '') },
    ],
  ])('%s', (_, container, part) => {
    expect(partOf(container)).toEqual(part);
  });

  it('names another port of the program beside a loopback address, where a probe asks it', () => {
    const container = args('--http-address=127.0.0.1:4180', '--port=8081', 'x');
    expect(partOf(container, [8081])).toEqual(args('--http-address=127.0.0.1:4180', '8081', ''));
    expect(partOf(container, [9999])).toEqual(args('--http-address=127.0.0.1:4180', '', ''));
    expect(partOf(args('--port=8081', 'x'), [8081])).toEqual(args('', ''));
  });

  it('has the words that checks read, at free places first, then behind the arguments', () => {
    expect(partOf(command('/app', 'x'), [], ['--tls-cert-file'])).toEqual(command('--tls-cert-file', ''));
    const listening = { ...command('/app'), ...args('--listen=127.0.0.1:8080') };
    expect(partOf(listening, [], ['--tls-cert-file', '-target=querier'])).toEqual({
      ...command('--tls-cert-file'),
      ...args('--listen=127.0.0.1:8080', '-target=querier'),
    });
    expect(partOf(command('--listen=127.0.0.1:8080'), [], ['--tls-cert-file'])).toEqual(
      command('--listen=127.0.0.1:8080', '--tls-cert-file'),
    );
  });

  it('has the words of a script in quotes where they have a space', () => {
    expect(partOf(command('sh', '-c', 'app'), [], ['a b', '-target=querier'])).toEqual(
      command('sh', '-c', "'a b' -target=querier"),
    );
  });
});
