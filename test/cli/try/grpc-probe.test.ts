import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { eventMessage } from '../../../src/cli/try/answer.ts';
import { dial, type Connect } from '../../../src/cli/try/connection.ts';
import { grpcProbe } from '../../../src/cli/try/grpc-probe.ts';
import { startDescribed, type DescribedServer } from './described-servers.ts';
import { h2c, health } from './probe-servers.ts';

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
