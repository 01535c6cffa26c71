import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { tcpProbe } from '../../../src/cli/try/ask.ts';
import { dial, reach, until, type Connect } from '../../../src/cli/try/connection.ts';
import { closedPort, tcp } from './probe-servers.ts';

/** For an answer that comes at once, also on a busy machine. */
const PATIENCE = 30_000;
const at = (port: number) => ({ host: '127.0.0.1', port });
const connect: Connect = (port, signal) => dial(at(port), at(port), signal);

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

describe('a wait', () => {
  it('ends with what has ended before', async () => {
    const signal = AbortSignal.timeout(PATIENCE);
    const failed = new PassThrough().on('error', () => undefined).destroy(new Error('refused'));
    const closed = new PassThrough().destroy();
    await setImmediate();
    await expect(until(failed, 'data', signal)).rejects.toThrow('refused');
    await expect(until(closed, 'data', signal)).rejects.toThrow('closed');
    await expect(until(new PassThrough(), 'data', AbortSignal.abort())).rejects.toThrow('aborted');
  });

  it('keeps the process until the time of its signal is over', () => {
    const script = `
      import { EventEmitter } from 'node:events';
      import { until } from ${JSON.stringify(import.meta.resolve('../../../src/cli/try/connection.ts'))};
      await until(new EventEmitter(), 'data', AbortSignal.timeout(50)).catch(({ message }) => console.log(message));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(stdout).toBe('aborted\n');
  });
});

describe('a port', () => {
  it('accepts, refuses, or does neither within the time', async () => {
    const open = await tcp((socket) => socket.destroy());
    expect(await reach(at(open), PATIENCE)).toBe('accepts');
    expect(await reach(at(await closedPort()), PATIENCE)).toBe('refuses');
    expect(await reach({ host: 'nowhere.invalid', port: 1 }, PATIENCE)).toBe('neither');
  });
});
