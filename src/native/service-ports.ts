import { DEFAULT_PROTOCOL } from '../engine/probe/api-defaults.ts';
import { meaningOfText } from '../engine/port/words.ts';
import type { ServiceDigest } from '../engine/facts/services.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';
import type { JsonObject } from '../base/json/json-value.ts';

type Target = number | string;

/** The ports of Pods to which a Service keeps the webhook from giving some probes. `*` stands for all ports. */
export interface ServicePorts extends JsonObject {
  /** The Pods that the Service selects. */
  readonly labels: Readonly<Record<string, string>>;
  /** Ports that speak another protocol than HTTP. */
  readonly other: readonly Target[];
  /** Ports that get no TCP traffic. */
  readonly noTcp: readonly Target[];
}

/** What the Services of a namespace say against probes, as far as they are known at the export. */
export function servicePortsOf(snapshot: Snapshot, namespace: string): readonly ServicePorts[] {
  return (snapshot.facts.services?.ofNamespace(namespace) ?? []).flatMap((service) => {
    if (service.isUseless) return [];
    const ports = portsOf(service);
    return ports.other.length + ports.noTcp.length === 0 ? [] : [{ labels: service.selector, ...ports }];
  });
}

function portsOf(service: ServiceDigest): Pick<ServicePorts, 'other' | 'noTcp'> {
  // A flag that listens by IPv4 is out of its reach.
  if (service.isIpv6Only) return { other: ['*'], noTcp: ['*'] };
  const { targetPorts } = service;
  const other = targetPorts.flatMap(({ port, says }): Target[] => {
    const kinds = says.map((text) => meaningOfText(text)?.kind);
    // A broker or a database has endpoints of its own at all its ports (besideProduct).
    if (kinds.includes('product')) return ['*'];
    return kinds.includes('beside') ? [port] : [];
  });
  const noTcp = targetPorts.flatMap(({ port, protocol }) => (protocol === DEFAULT_PROTOCOL ? [] : [port]));
  return { other: bounded([...other, ...noTcp]), noTcp: bounded(noTcp) };
}

/** The most ports of a Service in a parameter. Of more, all ports count. */
export const MOST_SERVICE_PORTS = 100;

function bounded(ports: readonly Target[]): readonly Target[] {
  const different = [...new Set(ports)];
  return different.length > MOST_SERVICE_PORTS ? ['*'] : different;
}
