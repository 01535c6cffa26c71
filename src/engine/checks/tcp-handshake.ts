import { NO_SERVICES } from '../facts/services.ts';
import { protocolOfPort, purposeOf } from '../port/speaks.ts';
import { describePort, isTcp, type ContainerPort } from '../workload/ports.ts';
import { askedPort } from './lib/probe-port.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import type { Container } from '../workload/pod.ts';

/** The client of each server that pings it, whatever its rights are. */
const PINGS: Readonly<Record<string, string>> = { MySQL: 'mysqladmin ping', MariaDB: 'mariadb-admin ping' };

/**
 * The kubelet connects and hangs up. A server that begins with a handshake counts that as an error of the node's
 * address, logs it, and refuses the address after max_connect_errors of them in a row (MySQL manual, "Host 'host_name'
 * is blocked"; MariaDB, max_connect_errors). A note: a login from the node in between starts the count again.
 */
export const tcpHandshake = defineCheck({
  id: 'tcp-handshake',
  summary: 'A TCP probe hangs up on a database that counts broken handshakes.',
  action: 'Audit',
  handlers: ['tcpSocket'],
  // The probe works, so a copy of its handler works too.
  acceptsHandler: true,
  eachProbe: (probe) => {
    const { container, kind } = probe;
    const asked = askedPort(probe);
    if (asked === undefined) return undefined;
    const port = asked.declared ?? { name: undefined, number: asked.number, protocol: 'TCP' };
    const server = serverAt(port, container);
    const ping = server === undefined ? undefined : PINGS[server];
    if (server === undefined || ping === undefined) return undefined;
    return {
      ...located(probe, 'tcpSocket'),
      message: `the ${kind} of ${containerPhrase(container)} hangs up on ${server} at port ${describePort(port)}, which logs each probe, and may block the node's address`,
      remedy: `write an exec probe, such as ${ping}`,
    };
  },
});

/** The protocol of the port, or of the container whose only port says nothing. */
function serverAt(port: ContainerPort, container: Container): string | undefined {
  const { speaks, protocol } = protocolOfPort(port, container, NO_SERVICES);
  if (speaks === 'other') return protocol;
  const isOnly = container.readablePorts.filter(isTcp).every(({ number }) => number === port.number);
  return speaks === 'unknown' && isOnly ? container.once(purposeOf)?.protocol : undefined;
}
