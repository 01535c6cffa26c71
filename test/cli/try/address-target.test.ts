import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { addressTarget } from '../../../src/cli/try/address-target.ts';
import { NotRun } from '../../../src/cli/try/answer.ts';
import { closedPort, http, tcp } from './probe-servers.ts';

const NO_PORTS: ReadonlyMap<number, number> = new Map();
const signal = (): AbortSignal => AbortSignal.timeout(10_000);

describe('an address', () => {
  it('is its own name and host, and connects to the local port of a port, or to the same one', async () => {
    const port = await tcp(() => undefined);
    const target = addressTarget('127.0.0.1', new Map([[8080, port]]), []);
    expect([target.name, target.host]).toEqual(['127.0.0.1', '127.0.0.1']);
    for (const [of, asked] of [
      [8080, '127.0.0.1:8080'],
      [port, `127.0.0.1:${port}`],
    ] as const) {
      const { stream, remote } = await target.connect(of, signal());
      expect([stream.destroyed, remote]).toEqual([false, asked]);
      stream.destroy();
    }
  });

  it('refuses in the words of the container, whose port it names', async () => {
    const target = addressTarget('127.0.0.1', new Map([[8080, await closedPort()]]), []);
    const refused = 'dial tcp 127.0.0.1:8080: connect: connection refused';
    await expect(target.connect(8080, signal())).rejects.toThrow(refused);
  });

  it('runs commands behind a prefix, and none without', async () => {
    const command = ['sh', '-c', 'echo "$A"; exit 3'];
    const run = await addressTarget('127.0.0.1', NO_PORTS, ['env', 'A=b']).exec('app', command, 10_000);
    expect(run).toEqual({ code: 3, output: 'b\n' });
    const refused = addressTarget('127.0.0.1', NO_PORTS, []).exec('app', command, 10_000);
    await expect(refused).rejects.toEqual(
      new NotRun("--exec is not given: it names the command that runs the probe's command"),
    );
  });
});

describe.runIf(process.platform === 'linux')('a port that refuses', () => {
  /** A machine without a network has loopback addresses alone. */
  const external = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

  it.each([
    ['another loopback address', '127.0.0.2', true],
    ['an address of this machine', external ?? '127.0.0.3', true],
    ['a host that is no address of this machine', '0x7f000002', false],
  ])('is open to loopback only, where this machine says so: asked by %s', async (_what, host, isLoopbackOnly) => {
    const target = addressTarget(host, new Map([[8080, await http(() => undefined)]]), []);
    await expect(target.connect(8080, signal())).rejects.toThrow('connection refused');
    expect(await target.isLoopbackOnly(8080)).toBe(isLoopbackOnly);
  });

  it('is not where a port accepts, or nobody listens', async () => {
    const target = addressTarget('127.0.0.1', NO_PORTS, []);
    expect(await target.isLoopbackOnly(await http(() => undefined))).toBe(false);
    expect(await target.isLoopbackOnly(await closedPort())).toBe(false);
  });

  it('is told by the sockets inside of the container, where commands run there', async () => {
    const port = await http(() => undefined);
    const open = await http(() => undefined, '0.0.0.0');
    const inside = addressTarget('127.0.0.1', NO_PORTS, ['env']);
    expect([await inside.isLoopbackOnly(port), await inside.isLoopbackOnly(open)]).toEqual([true, false]);
    expect(await inside.listeningPorts?.()).toContain(open);
    expect(await addressTarget('127.0.0.1', NO_PORTS, []).listeningPorts?.()).toBeUndefined();
  });
});
