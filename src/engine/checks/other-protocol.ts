import { neverHttp } from '../workload/port-protocol.ts';
import { describePort } from '../workload/ports.ts';
import { askedPort } from './lib/probe-port.ts';
import { containerPhrase, defineCheck, located } from './check.ts';

/** Names that leave a doubt are accepted: `grpc-web`, `redis-exporter`, `tcp`, `peer` (workload/port-protocol.ts). */
export const otherProtocol = defineCheck({
  id: 'other-protocol',
  summary: 'The probe sends HTTP to a port of another protocol, such as gRPC or Redis.',
  action: 'Warn',
  cannotWork: true,
  judgesByName: true,
  handlers: ['httpGet'],
  // The port's name is in the policy too.
  judgesProbeAlone: true,
  eachProbe: (probe, _, { portHints }) => {
    const asked = askedPort(probe);
    if (asked === undefined) return undefined;
    const port = asked.declared ?? { name: undefined, number: asked.number, protocol: 'TCP' };
    const other = neverHttp(port, portHints(port));
    if (other === undefined) return undefined;
    // The number is right for every handler; grpc takes no name.
    const kinds = other.protocol === 'gRPC' ? ['grpc', 'tcpSocket'] : ['tcpSocket'];
    const handlers = kinds.map((kind) => `${kind}: { port: ${port.number} }`).join(' or ');
    return {
      ...located(probe, 'httpGet', 'port'),
      message: `${containerPhrase(probe.container)} gets an HTTP request on its port ${describePort(port)}, which is for ${other.protocol} by ${other.because}`,
      remedy: `write ${handlers} in place of httpGet, or ask a port that answers HTTP`,
    };
  },
});
