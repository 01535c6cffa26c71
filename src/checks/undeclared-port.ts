import { member } from '../json/json-value.ts';
import { isPortNumber } from '../probes/port-number.ts';
import { describePorts, isTcp } from '../workload/ports.ts';
import { eachProbe } from './each-probe.ts';
import { containerPhrase, listed } from './wording.ts';
import { defineCheck } from './check.ts';
import type { CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: `<probe>.httpGet.port`, `<probe>.tcpSocket.port`, `<probe>.grpc.port` when they are numbers;
 * `ports[*].containerPort`.
 *
 * Rule: the number is among the container's TCP ports. An undeclared port is often a typo, but a probe of an undeclared
 * port works. The action is therefore Audit (kube-linter#1197 found stricter actions noisy). A probe with its own host
 * is skipped, because it asks another address.
 */
export const undeclaredPort = defineCheck({
  id: 'undeclared-port',
  summary: 'The probe asks a port number that its container does not declare.',
  action: 'Audit',
  run: (_workload, container) => eachProbe(container, (probe) => violationOf(container, probe)),
});

function violationOf(container: CheckedContainer, probe: CheckedProbe): Finding | undefined {
  const port = member(probe.handler, 'port');
  if (probe.handlerKind === 'exec' || !isPortNumber(port)) return undefined;
  const declared = container.ports?.filter(isTcp);
  const asksElsewhere = (member(probe.handler, 'host') ?? '') !== '';
  if (declared === undefined || asksElsewhere) return undefined;
  if (declared.some(({ number }) => number === port)) return undefined;
  const known = declared.length === 0 ? 'no TCP port' : `only ${listed(describePorts(declared))}, not ${port}`;
  return {
    probe: probe.kind,
    path: probe.place.path(probe.handlerKind, 'port'),
    message:
      `${containerPhrase(container)} declares ${known}; ` +
      `add containerPort: ${port} to its ports${declared.length === 0 ? '' : ', or ask a port that it declares'}`,
  };
}
