import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { eventMessage, NotRun } from '../../../src/cli/try/answer.ts';
import { dial, reach, type Connect } from '../../../src/cli/try/connection.ts';
import { execVerdict, runProgram } from '../../../src/cli/try/exec-probe.ts';
import { grpcProbe } from '../../../src/cli/try/grpc-probe.ts';
import { tcpProbe } from '../../../src/cli/try/ask.ts';
import { startDescribed, type DescribedServer } from './described-servers.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { closedPort, h2c, health, tcp } from './probe-servers.ts';

const node = process.execPath;
/** For an answer that comes at once, also on a busy machine. */
const PATIENCE = 30_000;
const at = (port: number) => ({ host: '127.0.0.1', port });
const connect: Connect = (port, signal) => dial(at(port), at(port), signal);
const GRPC = parse(readFileSync('test/fixtures/try/grpc.yaml', 'utf8')) as readonly {
  readonly name: string;
  readonly server: DescribedServer;
  readonly timeout?: number;
  readonly event?: string;
}[];

describe('a gRPC probe', () => {
  it.each(GRPC)('gets the verdict of the kubelet from $name', async ({ server, timeout = PATIENCE, event }) => {
    const port = await startDescribed(server);
    const message = eventMessage('readinessProbe', await grpcProbe(connect, at(port), 'shop', timeout));
    expect(message.replace(String(port), 'PORT')).toBe(event === undefined ? '' : `Readiness probe ${event}`);
  });

  it('names the service, and asks as kube-probe', async () => {
    const seen: unknown[] = [];
    const port = await h2c((stream, headers) => {
      stream.once('data', (bytes: Buffer) => {
        seen.push(headers[':path'], headers['user-agent'], headers['content-type'], bytes.toString('hex'));
        health({ serving: 1 })(stream);
      });
    });
    await grpcProbe(connect, at(port), 'shop', PATIENCE);
    expect(seen).toEqual([
      '/grpc.health.v1.Health/Check',
      'kube-probe/1.36',
      'application/grpc',
      `00000000060a04${Buffer.from('shop').toString('hex')}`,
    ]);
  });

  it('dials again after a pause, until the time is over', async () => {
    const port = await h2c(health({ serving: 1 }));
    let dials = 0;
    const late: Connect = (to, signal) => (dials++ === 0 ? Promise.reject(new Error('refused')) : connect(to, signal));
    expect(await grpcProbe(late, at(port), '', PATIENCE)).toEqual({ result: 'success', text: '' });
    expect(dials).toBe(2);
    dials = 0;
    // The pause of a second is longer than the rest of the time.
    expect((await grpcProbe(late, at(port), '', 200)).text).toContain('failed to connect service');
    expect(dials).toBe(1);
  });
});

describe('a TCP probe', () => {
  it('connects and closes', async () => {
    const closed = Promise.withResolvers<boolean>();
    const port = await tcp((socket) => {
      socket.resume();
      socket.on('end', () => closed.resolve(true));
    });
    expect(await tcpProbe(connect, port, PATIENCE)).toEqual({ result: 'success', text: '' });
    expect(await closed.promise).toBe(true);
  });

  it('fails where nothing listens, with the text of Go', async () => {
    const port = await closedPort();
    expect((await tcpProbe(connect, port, PATIENCE)).text).toBe(
      `dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
  });

  it('fails for a host that nobody knows', async () => {
    const nowhere = { host: 'nowhere.invalid', port: 1 };
    const answer = await tcpProbe((_port, signal) => dial(nowhere, nowhere, signal), 1, PATIENCE);
    expect(answer.text).toBe('dial tcp: lookup nowhere.invalid: no such host');
  });
});

/** A process that has ended stays a zombie where nobody waits for it. */
function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

describe('a port', () => {
  it('accepts, refuses, or does neither within the time', async () => {
    const open = await tcp((socket) => socket.destroy());
    expect(await reach(at(open), PATIENCE)).toBe('accepts');
    expect(await reach(at(await closedPort()), PATIENCE)).toBe('refuses');
    expect(await reach({ host: 'nowhere.invalid', port: 1 }, PATIENCE)).toBe('neither');
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
    const end = await runProgram(command, PATIENCE);
    expect(execVerdict(command, end, 1)).toMatchObject({ result, text });
  });

  it('fails when the time is over, with the text of the kubelet', async () => {
    const end = await runProgram([node, '-e', 'setInterval(() => {}, 1000)'], 300);
    const text = 'command timed out: "probe --all" timed out after 1s';
    expect(execVerdict(['probe', '--all'], end, 1)).toEqual({ result: 'failure', text });
  });

  it('ends with all that its command started', async () => {
    const started = 'const { pid } = require("node:child_process").spawn("sleep", ["60"], { stdio: "inherit" });';
    const end = await runProgram([node, '-e', `${started} console.log(pid)`], 2000);
    const pid = Number(end.output);
    expect({ code: end.code, pid }).toEqual({ code: undefined, pid: expect.any(Number) as number });
    await waitUntil('what the command started has ended', () => hasEnded(pid));
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
