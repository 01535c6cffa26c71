import { portHintsOf } from '../facts/services.ts';
import { member, stringMember } from '../../base/json/json-value.ts';
import { isPortNumber } from '../probe/handler-values.ts';
import { neverHttp, NO_HINTS, type PortHints } from '../workload/port-protocol.ts';
import { describePorts, findPort } from '../workload/ports.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { oncePerWorkload } from './checked-workload.ts';

/** Names that leave a doubt are accepted: `grpc-web`, `redis-exporter`, `tcp`, `peer` (workload/port-protocol.ts). */
export const otherProtocol = defineCheck({
  id: 'other-protocol',
  summary: 'The probe sends HTTP to a port of another protocol, such as gRPC or Redis.',
  action: 'Warn',
  cannotWork: true,
  handlers: ['httpGet'],
  // The port's name is in the policy too.
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const { handler } = probe;
    if ((member(handler, 'host') ?? '') !== '') return undefined;
    const asked = member(handler, 'port');
    if (typeof asked !== 'string' && !isPortNumber(asked)) return undefined;
    const found = findPort(probe.container.ports ?? [], asked);
    if (found === undefined && typeof asked === 'string') return undefined;
    const port = found ?? { name: undefined, number: Number(asked), protocol: 'TCP' };
    const other = neverHttp(port, hintsOf(probe.container.workload)(port));
    if (other === undefined) return undefined;
    // The number is right for every handler; grpc takes no name.
    const kinds = other.protocol === 'gRPC' ? ['grpc', 'tcpSocket'] : ['tcpSocket'];
    const handlers = kinds.map((kind) => `${kind}: { port: ${port.number} }`).join(' or ');
    return {
      ...located(probe, 'httpGet', 'port'),
      message: `${containerPhrase(probe.container)} gets an HTTP request on its port ${describePorts([port]).join('')}, which is for ${other.protocol} by ${other.because}`,
      remedy: `write ${handlers} in place of httpGet, or ask a port that answers HTTP`,
    };
  },
});

const hintsOf = oncePerWorkload((workload): PortHints => {
  const services = workload.facts.services?.ofNamespace(workload.namespace) ?? [];
  if (services.length === 0) return NO_HINTS;
  return portHintsOf(services, { get: (key) => stringMember(workload.podLabels, key) });
});
