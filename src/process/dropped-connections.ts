import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

/** Counts connections that a port closes. Each port has its series from the start. */
export function droppedConnections(ports: readonly string[], registers: Registry[]): Counter<'port'> {
  const dropped = new Counter({
    name: 'probewright_connections_dropped_total',
    help: 'Connections closed because a port reached its limit of connections, bodies or answers.',
    labelNames: ['port'] as const,
    registers,
  });
  for (const port of ports) dropped.inc({ port }, 0);
  return dropped;
}
