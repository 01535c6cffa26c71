import { member } from '../probes/json.ts';
import { describePorts } from '../workload/ports.ts';
import { eachProbe } from './each-probe.ts';
import { isPortNumber } from './declared-ports.ts';
import { listed, the } from './wording.ts';
import type { Check, CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: `<probe>.httpGet.port`, `<probe>.tcpSocket.port`, `<probe>.grpc.port` when they are numbers;
 * `ports[*].containerPort`.
 *
 * Rule: the number is among the container's TCP ports. A probe of an undeclared one works as well, so this is a note
 * and no more: it is often a typo (kube-linter#1197 found it noisy as anything else). A probe with a host of its own
 * asks elsewhere.
 */
export const undeclaredPort: Check = {
  id: 'undeclared-port',
  run: (_workload, container) => eachProbe(container, (probe) => judge(container, probe)),
};

function judge(container: CheckedContainer, probe: CheckedProbe): Finding | undefined {
  const port = member(probe.handler, 'port');
  if (probe.handlerKind === 'exec' || !isPortNumber(port)) return undefined;
  const declared = container.ports?.filter(({ protocol }) => protocol === 'TCP');
  const asksElsewhere = (member(probe.handler, 'host') ?? '') !== '';
  if (declared === undefined || asksElsewhere) return undefined;
  if (declared.some(({ number }) => number === port)) return undefined;
  const known = declared.length === 0 ? 'no TCP port' : `only ${listed(describePorts(declared))}, not ${port}`;
  return {
    probe: probe.kind,
    path: `${probe.handlerPath}.port`,
    message:
      `${the(container)} declares ${known}; ` +
      `add containerPort: ${port} to its ports${declared.length === 0 ? '' : ', or ask a port that it declares'}`,
  };
}
