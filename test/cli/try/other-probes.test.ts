import { describe, expect, it } from 'vitest';
import { eventMessage, NotRun } from '../../../src/cli/try/answer.ts';
import { dial, type Connect } from '../../../src/cli/try/connection.ts';
import { execVerdict, runProgram } from '../../../src/cli/try/exec-probe.ts';
import { grpcProbe } from '../../../src/cli/try/grpc-probe.ts';
import { tcpProbe } from '../../../src/cli/try/ask.ts';
import { closedPort, h2c, health, http, https, tcp } from './probe-servers.ts';

const node = process.execPath;
const at = (port: number) => ({ host: '127.0.0.1', port });
const connect: Connect = (port, signal) => dial(at(port), at(port), signal);
const LOST = 'failed: error: health rpc probe failed: rpc error: code = Unavailable desc =';
const UNCONNECTED =
  'failed: timeout: failed to connect service "127.0.0.1:PORT" within 0.3s: context deadline exceeded';
const NO_HEALTH =
  'failed: error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service grpc.health.v1.Health';

const GRPC: readonly (readonly [name: string, port: () => Promise<number>, event: string])[] = [
  ['a service that serves', () => h2c(health({ serving: 1 })), ''],
  [
    'a service that does not serve',
    () => h2c(health({ serving: 2 })),
    'failed: service unhealthy (responded with "NOT_SERVING")',
  ],
  [
    'a service that says nothing',
    () => h2c(health({ serving: 0 })),
    'failed: service unhealthy (responded with "UNKNOWN")',
  ],
  [
    'a service that the server does not know',
    () => h2c(health({ status: 5, message: 'unknown service' })),
    'failed: error: health rpc probe failed: rpc error: code = NotFound desc = unknown service',
  ],
  [
    'a server without a health service',
    () => h2c(health({ status: 12, message: 'unknown service grpc.health.v1.Health' })),
    NO_HEALTH,
  ],
  [
    'a server that asks for a password',
    () => h2c(health({ status: 16, message: 'no%20token' })),
    'failed: error: health rpc probe failed: rpc error: code = Unauthenticated desc = no token',
  ],
  [
    'a server that never answers',
    () => h2c(() => undefined),
    'failed: timeout: health rpc did not complete within 0.3s',
  ],
  [
    'a server that closes the connection',
    () => h2c((stream) => stream.session?.destroy()),
    `${LOST} error reading from server: EOF`,
  ],
  [
    'HTTP/2 without gRPC',
    () => h2c((stream) => stream.respond({ ':status': 503, 'content-type': 'text/html' }, { endStream: true })),
    `${LOST} unexpected HTTP status code received from server: 503 (Service Unavailable); transport: received unexpected content-type "text/html"`,
  ],
  [
    'a 404 of HTTP/2',
    () => h2c((stream) => stream.respond({ ':status': 404 }, { endStream: true })),
    'failed: error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unexpected HTTP status code received from server: 404 (Not Found); malformed header: missing HTTP content-type',
  ],
  ['HTTP/1.1', () => http((_request, response) => response.end()), UNCONNECTED],
  ['TLS', () => https((_request, response) => response.end()), UNCONNECTED],
  ['nothing on the port', closedPort, UNCONNECTED],
];

describe('a gRPC probe', () => {
  it.each(GRPC)('gets the verdict of the kubelet from %s', async (_name, start, event) => {
    const port = await start();
    const message = eventMessage('readinessProbe', await grpcProbe(connect, at(port), 'shop', 300));
    expect(message.replace(String(port), 'PORT')).toBe(event === '' ? '' : `Readiness probe ${event}`);
  });

  it('names the service, and asks as kube-probe', async () => {
    const seen: unknown[] = [];
    const port = await h2c((stream, headers) => {
      stream.once('data', (bytes: Buffer) => {
        seen.push(headers[':path'], headers['user-agent'], headers['content-type'], bytes.toString('hex'));
        health({ serving: 1 })(stream);
      });
    });
    await grpcProbe(connect, at(port), 'shop', 1000);
    expect(seen).toEqual([
      '/grpc.health.v1.Health/Check',
      'kube-probe/1.36',
      'application/grpc',
      `00000000060a04${Buffer.from('shop').toString('hex')}`,
    ]);
  });

  it('waits for a server that comes up within the timeout', async () => {
    const port = await closedPort();
    const late = new Promise<void>((resolve) => {
      setTimeout(() => void h2c(health({ serving: 1 })).then(() => resolve()), 10);
    });
    const answer = grpcProbe(connect, at(port), '', 200);
    await late;
    expect((await answer).text).toContain('failed to connect service');
  });
});

describe('a TCP probe', () => {
  it('connects and closes', async () => {
    const closed = Promise.withResolvers<boolean>();
    const port = await tcp((socket) => {
      socket.resume();
      socket.on('end', () => closed.resolve(true));
    });
    expect(await tcpProbe(connect, port, 1000)).toEqual({ result: 'success', text: '' });
    expect(await closed.promise).toBe(true);
  });

  it('fails where nothing listens, with the text of Go', async () => {
    const port = await closedPort();
    expect((await tcpProbe(connect, port, 1000)).text).toBe(`dial tcp 127.0.0.1:${port}: connect: connection refused`);
  });

  it('fails for a host that nobody knows', async () => {
    const nowhere = { host: 'nowhere.invalid', port: 1 };
    const answer = await tcpProbe((_port, signal) => dial(nowhere, nowhere, signal), 1, 5000);
    expect(answer.text).toBe('dial tcp: lookup nowhere.invalid: no such host');
  });
});

const missing =
  'OCI runtime exec failed: exec failed: unable to start container process: exec: "probe": executable file not found in $PATH: unknown';

describe('an exec probe', () => {
  it.each([
    ['exit code 0', 'process.exit(0)', 'success', ''],
    ['exit code 3 with a word', 'console.log("sick"); process.exitCode = 3', 'failure', 'sick\n'],
    ['words on both outputs', 'console.error("bad"); process.exitCode = 1', 'failure', 'bad\n'],
    ['no words', 'process.exitCode = 2', 'failure', ''],
    ['a command that is killed', 'process.kill(process.pid, "SIGKILL")', 'failure', ''],
    ['too many words', 'console.log("a".repeat(50000)); process.exitCode = 1', 'failure', 'a'.repeat(10 * 1024)],
  ])('gets the verdict of the kubelet for %s', async (_name, script, result, text) => {
    const command = [node, '-e', script];
    const end = await runProgram(command, 10_000);
    expect(execVerdict(command, end, 1)).toMatchObject({ result, text });
  });

  it('fails when the time is over, with the text of the kubelet', async () => {
    const end = await runProgram([node, '-e', 'setInterval(() => {}, 1000)'], 300);
    const text = 'command timed out: "probe --all" timed out after 1s';
    expect(execVerdict(['probe', '--all'], end, 1)).toEqual({ result: 'failure', text });
  });

  it('has no result when the runtime does not find the program', () => {
    const answer = execVerdict(['probe'], { code: 126, output: `${missing}\n` }, 1);
    expect(eventMessage('livenessProbe', answer)).toBe(
      `Liveness probe errored and resulted in unknown state: rpc error: code = Unknown desc = failed to exec in container: ${missing}`,
    );
  });

  it('is not run when the prefix is no program of this machine', async () => {
    await expect(runProgram(['no-such-runtime', 'exec'], 1000)).rejects.toThrow(
      new NotRun('no-such-runtime is not on the PATH'),
    );
  });
});
