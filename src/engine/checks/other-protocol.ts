import { neverHttp } from '../port/speaks.ts';
import { describePort } from '../workload/ports.ts';
import { askedPort } from './lib/probe-port.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { probeOf, type ProbeWith } from '../workload/pod.ts';
import type { ProbeKind } from '../probe/probe.ts';

/**
 * True when the author means HTTP: liveness and readiness both ask the port by it, or the probe has headers. Some
 * servers speak HTTP and gRPC on one port.
 */
function isDeliberate({ container, handler }: ProbeWith<'httpGet'>, number: number): boolean {
  const asking = (kind: ProbeKind): boolean => {
    const probe = probeOf(container, kind);
    return probe?.handler.kind === 'httpGet' && askedPort(probe)?.number === number;
  };
  return handler.headers.length > 0 || (asking('livenessProbe') && asking('readinessProbe'));
}

/** Names that leave a doubt are accepted: `grpc-web`, `redis-exporter`, `tcp`, `peer` (port/words.ts). */
export const otherProtocol = defineCheck({
  id: 'other-protocol',
  summary: 'The probe sends HTTP to a port of another protocol, such as gRPC or Redis.',
  action: 'Warn',
  cannotWork: true,
  judgesByName: true,
  handlers: ['httpGet'],
  // The port's name is in the policy too.
  judgesProbeAlone: true,
  eachProbe: (probe, _, { services }) => {
    const asked = askedPort(probe);
    if (asked === undefined) return undefined;
    const port = asked.declared ?? { name: undefined, number: asked.number, protocol: 'TCP' };
    const other = neverHttp(port, services);
    if (other === undefined) return undefined;
    // The number is right for every handler; grpc takes no name.
    const kinds = other.protocol === 'gRPC' ? ['grpc', 'tcpSocket'] : ['tcpSocket'];
    const handlers = kinds.map((kind) => `${kind}: { port: ${port.number} }`).join(' or ');
    return {
      ...located(probe, 'httpGet', 'port'),
      message: `${containerPhrase(probe.container)} gets an HTTP request on its port ${describePort(port)}, which is for ${other.protocol} by ${other.because}`,
      remedy: `write ${handlers} in place of httpGet, or ask a port that answers HTTP`,
      ...(isDeliberate(probe, asked.number) && { level: 'Audit' }),
    };
  },
});
