import { member } from '../json/json-value.ts';
import { isPortNumber } from '../probes/port-number.ts';
import { describePorts, isTcp } from '../workload/ports.ts';
import { eachProbe } from './each-probe.ts';
import { onlyPlausiblePort, portValue } from './plausible-port.ts';
import { containerPhrase, firstListed } from './wording.ts';
import { defineCheck } from './check.ts';
import type { ContainerPort } from '../workload/ports.ts';
import type { CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: `<probe>.httpGet.port`, `<probe>.tcpSocket.port`, `<probe>.grpc.port` when they are numbers;
 * `ports[*].containerPort`.
 *
 * Rule: the number is among the container's TCP ports. A probe of an undeclared port works, so the finding is a note
 * (kube-linter#1197 found stricter actions noisy). For liveness and readiness of a container that declares other ports,
 * the number is often a typo, so the action is Warn. Exception: all probes of the container agree on one port, and the
 * container declares port 80 or 443. Charts write it like this for a separate health port. A probe with its own host is
 * skipped, because it asks another address.
 *
 * There are no edits. The declared port may not answer this probe. A new declared port can change which probes policies
 * add to the container.
 */
export const undeclaredPort = defineCheck({
  id: 'undeclared-port',
  summary: 'The probe asks a port number that its container does not declare.',
  action: 'Audit',
  run: (_workload, container) => eachProbe(container, (probe) => violationOf(container, probe)),
});

function violationOf(container: CheckedContainer, probe: CheckedProbe): Finding | undefined {
  const port = undeclaredNumber(container, probe);
  if (port === undefined) return undefined;
  const declared = container.ports?.filter(isTcp) ?? [];
  const isLikelyTypo =
    declared.length > 0 && probe.kind !== 'startupProbe' && !isSeparateHealthPort(container, port, declared);
  const known =
    declared.length === 0 ? 'no TCP port' : `only ${firstListed(describePorts(declared), 'and', declared.length)}`;
  return {
    probe: probe.kind,
    path: probe.place.path(probe.handlerKind, 'port'),
    message: `the ${probe.kind} asks port ${port}, but ${containerPhrase(container)} declares ${known}`,
    remedy: `${declaredPort(probe, declared)}add containerPort: ${port} to its ports`,
    ...(isLikelyTypo && { level: 'Warn' }),
  };
}

/** Returns the port number that a probe asks, if the container does not declare the number for TCP. */
function undeclaredNumber({ ports }: CheckedContainer, { handlerKind, handler }: CheckedProbe): number | undefined {
  const port = handlerKind === 'exec' ? undefined : member(handler, 'port');
  if (!isPortNumber(port) || ports === undefined) return undefined;
  const asksElsewhere = (member(handler, 'host') ?? '') !== '';
  return asksElsewhere || ports.some((other) => other.number === port && isTcp(other)) ? undefined : port;
}

/** True when every probe with a port asks this port, and the declared port 80 or 443 serves the users. */
function isSeparateHealthPort({ probes }: CheckedContainer, port: number, declared: readonly ContainerPort[]): boolean {
  return (
    declared.some(({ number }) => number === 80 || number === 443) &&
    probes.every(({ handlerKind, handler }) => handlerKind === 'exec' || member(handler, 'port') === port)
  );
}

/** Advises a declared port first, because a wrong number is the more frequent mistake. */
function declaredPort(probe: CheckedProbe, declared: readonly ContainerPort[]): string {
  if (declared.length === 0) return '';
  const only = onlyPlausiblePort(probe, declared);
  return `${only === undefined ? 'ask a port that the container declares' : `write port: ${portValue(probe, only)}`}, or `;
}
