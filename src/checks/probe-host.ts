import { member } from '../probes/json.ts';
import { eachProbe } from './each-probe.ts';
import { the } from './wording.ts';
import { quote } from '../text/quote.ts';
import type { Check, CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: `<probe>.httpGet.host`, `<probe>.tcpSocket.host`; `hostNetwork` of the Pod.
 *
 * Rule: leave the host out; the Pod's IP is the default. The kubelet connects from the node, so 127.0.0.1 is the node
 * itself, and it does not resolve Services' names (Kubernetes documentation, "HTTP probes"). PodSecurity baseline
 * refuses any host since 1.34. Under hostNetwork the node is the Pod, and a loopback address is how a probe reaches a
 * server that listens there only (static Pods of the control plane): not a violation.
 */
export const probeHost: Check = {
  id: 'probe-host',
  run: (workload, container) => eachProbe(container, (probe) => judge(workload, container, probe)),
};

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

function judge(workload: CheckedWorkload, container: CheckedContainer, probe: CheckedProbe): Finding | undefined {
  if (probe.handlerKind !== 'httpGet' && probe.handlerKind !== 'tcpSocket') return undefined;
  const host = member(probe.handler, 'host');
  if (typeof host !== 'string' || host === '') return undefined;
  const isLoopback = LOOPBACK.test(host);
  if (isLoopback && member(workload.podSpec, 'hostNetwork') === true) return undefined;
  const meaning = isLoopback
    ? `asks the node, not the Pod: to the kubelet ${quote(host)} is the node`
    : `asks ${quote(host)} instead of the Pod's IP, and the kubelet resolves no Service names`;
  return {
    probe: probe.kind,
    path: `${probe.handlerPath}.host`,
    message: `${the(container)} ${meaning}; leave host out${isLoopback ? '' : virtualHost(probe, host)}`,
  };
}

function virtualHost({ handlerKind }: CheckedProbe, host: string): string {
  return handlerKind === 'httpGet'
    ? `, and for a virtual host write httpHeaders: [{ name: Host, value: ${quote(host)} }]`
    : '';
}
