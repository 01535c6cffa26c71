import { DEFAULT_PROTOCOL } from '../probe/api-defaults.ts';
import type { Labels } from '../policy/label-selector.ts';

/**
 * A Service as one text: its name, its selector, and its target ports with what the Service says about their protocol:
 * `web app=web,tier=front http,53/UDP,6500:grpc`. A `!` before the name: Pods that are not ready get traffic, too. A
 * `~`: DNS has the ready Pods themselves. A `^`: traffic comes by IPv6 alone. One text takes a third of the memory of
 * lists, and a cluster may have tens of thousands of Services. The name alone: a Service that says nothing about Pods.
 */
export class ServiceDigest {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get name(): string {
    return /[^!~^ ]+/.exec(this.text)?.[0] ?? '';
  }

  /** True for a Service that says nothing about Pods. A plan needs it, because it replaces the one of its name. */
  get isUseless(): boolean {
    return !this.text.includes(' ');
  }

  /** True for a headless Service whose name in DNS leads to ready Pods only. */
  get namesReadyPods(): boolean {
    return this.text.startsWith(HEADLESS_MARK);
  }

  get needsReadyPods(): boolean {
    return !this.text.startsWith(UNREADY_MARK);
  }

  /** True for a Service that has no IPv4 address. */
  get isIpv6Only(): boolean {
    return /^[!~]?\^/.test(this.text);
  }

  selectsPods(labels: Labels): boolean {
    if (this.isUseless) return false;
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

  /** The labels of the Pods that it selects. */
  get selector(): Readonly<Record<string, string>> {
    const [, labels = ''] = this.text.split(' ');
    return Object.fromEntries(labels.split(',').map((each) => each.split('=') as [string, string]));
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

/** What stands before the name: unready Pods get traffic, too; DNS has the Pods themselves; IPv6 alone. */
export const UNREADY_MARK = '!';
export const HEADLESS_MARK = '~';
export const IPV6_MARK = '^';

/** A port of a container to which a Service sends traffic: a number, or the name of a container's port. */
export interface TargetPort {
  readonly port: number | string;
  readonly protocol: string;
  /** The name and the `appProtocol` of the Service's own port, where they tell a protocol. */
  readonly says: readonly string[];
}

const ALL_DIGITS = /^\d+$/;

/** What a Service says about a port of its Pods: the name of the Service's own port, or its `appProtocol`. */
export interface ServiceWord {
  readonly service: string;
  readonly text: string;
  /** UDP or SCTP, where no Service sends TCP traffic to the port. */
  readonly transport?: string;
}

/** The Services that select a Pod, and what they say about its ports. Found at the first question, once. */
export interface ServicesOfPod {
  readonly selecting: () => readonly ServiceDigest[];
  readonly say: (port: { readonly name: string | undefined; readonly number: number }) => readonly ServiceWord[];
}

/** Of a Pod that no known Service selects. */
export const NO_SERVICES: ServicesOfPod = { selecting: () => [], say: () => [] };

/** @param services the Services of the Pod's namespace */
export function servicesOfPod(services: readonly ServiceDigest[], labels: Labels): ServicesOfPod {
  if (services.length === 0) return NO_SERVICES;
  let selecting: readonly ServiceDigest[] | undefined;
  let targets: ReturnType<typeof targetsOf> | undefined;
  const found = (): readonly ServiceDigest[] => (selecting ??= services.filter((one) => one.selectsPods(labels)));
  return {
    selecting: found,
    say: ({ name, number }) => {
      const { words, tcp } = (targets ??= targetsOf(found()));
      const said = [...(words.get(number) ?? []), ...((name !== undefined && words.get(name)) || [])];
      // A server of HTTP/3 listens on UDP, too.
      const isTcp = tcp.has(number) || (name !== undefined && tcp.has(name));
      return isTcp ? said.filter(({ transport }) => transport === undefined) : said;
    },
  };
}

/** What Services say about their target ports, and the ports that get TCP traffic. */
function targetsOf(services: readonly ServiceDigest[]) {
  const words = new Map<number | string, ServiceWord[]>();
  const tcp = new Set<number | string>();
  for (const service of services) {
    if (!/[:/]/.test(service.text.slice(service.text.lastIndexOf(' ')))) continue;
    for (const { port, protocol, says } of service.targetPorts) {
      const isTcp = protocol === DEFAULT_PROTOCOL;
      if (isTcp) tcp.add(port);
      const texts = isTcp ? says : [protocol.toLowerCase()];
      const said = texts.map((text) => ({ service: service.name, text, ...(!isTcp && { transport: protocol }) }));
      words.set(port, [...(words.get(port) ?? []), ...said].slice(0, MOST_WORDS));
    }
  }
  return { words, tcp };
}

/** A port has a few Services. More say nothing new. */
const MOST_WORDS = 8;
