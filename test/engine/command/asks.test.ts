import { describe, expect, it } from 'vitest';
import { ExecCommand } from '../../../src/engine/command/words.ts';
import { localClient } from '../../../src/engine/command/asks.ts';

const http = (path: string, port: number): unknown => ({ httpGet: { path, port } });
const https = (path: string, port: number): unknown => ({ httpGet: { path, port, scheme: 'HTTPS' } });
const tcp = (port: number): unknown => ({ tcpSocket: { port } });

const asked = (argv: readonly string[]): unknown => localClient(new ExecCommand(argv))?.handler;
const line = (text: string): unknown => asked(text.split(' '));
const script = (text: string): unknown => asked(['sh', '-c', text]);

describe('a client of the own Pod', () => {
  it.each([
    ['curl localhost', http('/', 80)],
    ['curl https://localhost', https('/', 443)],
    ['curl HTTPS://127.0.0.1:8443/healthz?full', https('/healthz?full', 8443)],
    ['curl http://[::1]:8080/a#b', http('/a', 8080)],
    ['curl localhost:8080?a=1', http('/?a=1', 8080)],
    ['/usr/bin/curl -fsS -o /dev/null -m 3 http://localhost:8080/live', http('/live', 8080)],
    ['timeout 5 curl --fail --max-time=2 --retry 3 localhost:65535', http('/', 65535)],
    ['wget -qO- http://127.0.0.1:9000/ready', http('/ready', 9000)],
    ['wget --spider -T 3 -q localhost:9000', http('/', 9000)],
    ['wget -O - --no-verbose localhost', http('/', 80)],
    ['nc -z localhost 5432', tcp(5432)],
    ['ncat -w 3 -zv 127.0.0.1 1', tcp(1)],
    ['netcat -zw3 ::1 65535', tcp(65535)],
  ])('is %s', (text, handler) => expect(line(text)).toEqual(handler));

  it.each([
    'curl web:8080',
    'curl',
    'curl localhost other',
    'curl -X POST localhost',
    'curl -H a:b localhost',
    'curl localhost:65536',
    'curl localhost:0',
    'curl ftp://localhost',
    'curl user@localhost',
    'wget --post-data x localhost',
    'wget -m localhost',
    'nc localhost',
    'nc -z localhost 5432 1',
    'nc -z localhost http',
    'nc -z localhost 65536',
    'nc -z db 5432',
    'nc -l localhost 80',
    'constructor localhost',
    'redis-cli ping',
  ])('is not %s', (text) => expect(line(text)).toBeUndefined());

  it('names its program without folders', () =>
    expect(localClient(new ExecCommand(['/bin/curl', 'localhost']))?.program).toBe('curl'));

  it('has at most 100 words behind its name', () => {
    const words = (count: number): string[] => ['curl', ...Array.from({ length: count - 1 }, () => '-s'), 'localhost'];
    expect([asked(words(100)), asked(words(101))]).toEqual([http('/', 80), undefined]);
  });
});

describe('a script', () => {
  it.each([
    'curl -f localhost',
    'exec curl localhost',
    'curl localhost || exit 1',
    'curl localhost || false',
    'curl localhost || exit 1;',
    'curl localhost\n',
  ])('asks as its only command does: %j', (text) => expect(script(text)).toEqual(http('/', 80)));

  it.each([
    'curl localhost || exit 0',
    'curl localhost || echo no',
    'curl localhost && exit 1',
    'curl localhost; exit 1',
    'curl localhost | grep ok',
    'curl localhost &',
    'curl $URL',
    'curl "localhost',
    '',
  ])('has no handler that asks the same: %j', (text) => expect(script(text)).toBeUndefined());
});
