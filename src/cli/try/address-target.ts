import { networkInterfaces } from 'node:os';
import { isLoopbackHost } from '../../engine/probe/handler-values.ts';
import { NotRun } from './answer.ts';
import { dial, reach } from './connection.ts';
import { runProgram } from './exec-probe.ts';
import { isBoundToLoopbackOnly, socketsInside, socketsOfThisMachine } from './open-sockets.ts';
import type { Target } from './target.ts';

/** A port that is open answers at once on this machine. */
const OPEN_MILLISECONDS = 1000;

/**
 * The target of `--address`: a process or a container with published ports.
 *
 * @param ports the local port of each container port that differs
 * @param execPrefix the command that is put before the command of an exec probe: `docker exec web`. Empty for none.
 */
export function addressTarget(host: string, ports: ReadonlyMap<number, number>, execPrefix: readonly string[]): Target {
  const placeOf = (port: number) => ({ host, port: ports.get(port) ?? port });
  const inside = execPrefix.length === 0 ? undefined : socketsInside(execPrefix);
  return {
    name: host,
    host,
    connect: (port, signal) => dial(placeOf(port), { host, port }, signal),
    exec: async (_container, command, timeout) => {
      if (inside === undefined)
        throw new NotRun("--exec is not given: it names the command that runs the probe's command");
      return await runProgram([...execPrefix, ...command], timeout);
    },
    isLoopbackOnly: async (port) => {
      const place = placeOf(port);
      if (!isThisMachine(host) || (await reach(place, OPEN_MILLISECONDS)) !== 'refuses') return false;
      return isBoundToLoopbackOnly(await socketsOfThisMachine(), place.port);
    },
    ...inside,
  };
}

function isThisMachine(host: string): boolean {
  if (isLoopbackHost(host)) return true;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === host));
}
