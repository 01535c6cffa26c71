import { DEFAULT_PROTOCOL } from '../probe/api-defaults.ts';
import type { PortHint, PortHints } from '../workload/port-protocol.ts';
import type { Labels } from '../policy/label-selector.ts';

/**
 * A Service as one text: its name, its selector, and its target ports with what the Service says about their protocol:
 * `web app=web,tier=front http,53/UDP,6500:grpc`. A `!` before the name: Pods that are not ready get traffic, too. A
 * `~`: DNS has the ready Pods themselves. One text takes a third of the memory of lists, and a cluster may have tens of
 * thousands of Services.
 */
export class ServiceDigest {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get name(): string {
    return this.text.slice(/^[!~]/.test(this.text) ? 1 : 0, this.text.indexOf(' '));
  }

  /** True for a headless Service whose name in DNS leads to ready Pods only. */
  get namesReadyPods(): boolean {
    return this.text.startsWith(HEADLESS_MARK);
  }

  get needsReadyPods(): boolean {
    return !this.text.startsWith(UNREADY_MARK);
  }

  selectsPods(labels: Labels): boolean {
    const { text } = this;
    const first = text.indexOf(' ') + 1;
    const end = text.indexOf(' ', first);
    // Asked for each Pod and Service: most are decided by their first label.
    for (let start = first, next; start < end; start = next + 1) {
      const equals = text.indexOf('=', start);
      next = text.indexOf(',', start);
      if (next < 0 || next > end) next = end;
      if (labels.get(text.slice(start, equals)) !== text.slice(equals + 1, next)) return false;
    }
    return true;
  }

  get targetPorts(): readonly TargetPort[] {
    const ports = this.text.slice(this.text.lastIndexOf(' ') + 1).split(',');
    return ports.map((each) => {
      const [target = '', ...says] = each.split(':');
      const [port = '', protocol = DEFAULT_PROTOCOL] = target.split('/');
      // Number() alone would also read names of ports such as 1e3.
      return { port: ALL_DIGITS.test(port) ? Number(port) : port, protocol, says };
    });
  }
}

/** What stands before the name: unready Pods get traffic, too; DNS has the Pods themselves. */
export const UNREADY_MARK = '!';
export const HEADLESS_MARK = '~';

/** A port of a container to which a Service sends traffic: a number, or the name of a container's port. */
export interface TargetPort {
  readonly port: number | string;
  readonly protocol: string;
  /** The name and the `appProtocol` of the Service's own port, where they tell a protocol. */
  readonly says: readonly string[];
}

const ALL_DIGITS = /^\d+$/;

/**
 * What the Services that select a Pod say about a port of its containers. Computed at the first question: most Pods get
 * none.
 *
 * @param services the Services of the Pod's namespace
 */
export function portHintsOf(services: readonly ServiceDigest[], labels: Labels): PortHints {
  let targets: ReturnType<typeof targetsOf> | undefined;
  return ({ name, number }) => {
    targets ??= targetsOf(services, labels);
    const { hints, tcp } = targets;
    const said = [...(hints.get(number) ?? []), ...((name !== undefined && hints.get(name)) || [])];
    // A server of HTTP/3 listens on UDP, too.
    const isTcp = tcp.has(number) || (name !== undefined && tcp.has(name));
    return isTcp ? said.filter(({ transport }) => transport === undefined) : said;
  };
}

/** What Services say about their target ports, and the ports that get TCP traffic. */
function targetsOf(services: readonly ServiceDigest[], labels: Labels) {
  const hints = new Map<number | string, PortHint[]>();
  const tcp = new Set<number | string>();
  for (const service of services) {
    if (!/[:/]/.test(service.text.slice(service.text.lastIndexOf(' '))) || !service.selectsPods(labels)) continue;
    for (const { port, protocol, says } of service.targetPorts) {
      const isTcp = protocol === DEFAULT_PROTOCOL;
      if (isTcp) tcp.add(port);
      const texts = isTcp ? says : [protocol.toLowerCase()];
      const said = texts.map((text) => ({ service: service.name, text, ...(!isTcp && { transport: protocol }) }));
      hints.set(port, [...(hints.get(port) ?? []), ...said].slice(0, MOST_HINTS));
    }
  }
  return { hints, tcp };
}

/** A port has a few Services. More say nothing new. */
const MOST_HINTS = 8;
