import { describe, expect, it } from 'vitest';
import { listeningOf, type Listening } from '../../../src/engine/port/listening.ts';
import { containerWith } from './container-with.ts';

const listening = (args: readonly string[], command: readonly string[] = []): Listening =>
  containerWith({ command, args }).once(listeningOf);

/** The flags of a line of words: `--addr 127.0.0.1:80 -> own 80`. */
const flagsIn = (line: string): string[] =>
  listening(line.split(' ')).flags.map(({ name, value, index, addresses }) => {
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
    const counts = [50, 51].map((count) => listening(['--listen', many(count)]).flags[0]?.addresses.length);
    expect(counts).toEqual([50, 50]);
  });
});

it('the ports beside flags are the numbers at the end of other words', () => {
  const words = ['--listen', ':1', 'web:2', '--port=3', '4', 'x5', '6/tcp', '123456'];
  expect([...listening(words).otherPorts()]).toEqual([2, 3, 4]);
  expect([...listening(words, ['x', ':7']).otherPorts()]).toEqual([7, 2, 3, 4]);
});

describe('an address in a variable', () => {
  const variablesOf = (...env: readonly (readonly [name: string, value: string])[]): readonly string[] => {
    const members = { env: env.map(([name, value]) => ({ name, value })) };
    return containerWith(members)
      .once(listeningOf)
      .variables.map(({ name, addresses }) =>
        [name, ...addresses.map(({ port, isLoopback }) => `${isLoopback ? 'own' : 'all'} ${port}`)].join(' '),
      );
  };

  it('is read by the words bind and listen, and by the names of common frameworks', () => {
    expect(variablesOf(['BIND_ADDRESS', '127.0.0.1:8080'], ['APP_LISTEN', ':9090'])).toEqual([
      'BIND_ADDRESS own 8080',
      'APP_LISTEN all 9090',
    ]);
    expect(variablesOf(['ASPNETCORE_URLS', 'http://localhost:5000;http://+:80'])).toEqual([
      'ASPNETCORE_URLS own 5000 all 80',
    ]);
    expect(variablesOf(['HOST', 'localhost'], ['PORT', '3000'])).toEqual(['HOST own 3000']);
    expect(variablesOf(['SERVER_ADDRESS', '127.0.0.1'], ['SERVER_PORT', '8081'])).toEqual(['SERVER_ADDRESS own 8081']);
  });

  it.each([
    [['VAULT_ADDR', 'http://127.0.0.1:8200']],
    [['REDIS_BIND', '127.0.0.1:6379']],
    [['LISTEN_REMOTE', '127.0.0.1:80']],
    [['HOST', 'localhost']],
    [
      ['DB_HOST', 'localhost'],
      ['PORT', '5432'],
    ],
    [
      ['HOST', '0.0.0.0'],
      ['PORT', '3000'],
    ],
    [
      ['HOST', 'localhost'],
      ['PORT', '3000'],
      ['SERVER_PORT', '3001'],
    ],
    [['LISTENER', '127.0.0.1:80']],
  ] as const)('is not in %j', (...env) => expect(variablesOf(...env)).toEqual([]));
});
