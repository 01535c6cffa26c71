import { Tally } from './tally.ts';
import type { Registry } from 'prom-client';

/** Counts connections that a port closes. Each port has its series from the start. */
export function droppedConnections(ports: readonly string[], registers: Registry[]): Tally {
  const dropped = new Tally({
    name: 'probewright_connections_dropped_total',
    help: 'Connections closed because a port reached its limit of connections, bodies or answers.',
    labelNames: ['port'],
    registers,
  });
  for (const port of ports) dropped.zero(port);
  return dropped;
}
