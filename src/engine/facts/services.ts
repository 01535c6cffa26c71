import { isJsonObject, listMember, member, objectMember, stringMember } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { DEFAULT_PROTOCOL } from '../probe/api-defaults.ts';
import { isPortName, isPortNumber } from '../probe/handler-values.ts';
import { protocolOfText, type PortHint, type PortHints } from '../workload/port-protocol.ts';
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
    return this.text.startsWith(HEADLESS);
  }

  get needsReadyPods(): boolean {
    return !this.text.startsWith(UNREADY);
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

const UNREADY = '!';
const HEADLESS = '~';

/** A port of a container to which a Service sends traffic: a number, or the name of a container's port. */
export interface TargetPort {
  readonly port: number | string;
  readonly protocol: string;
  /** The name and the `appProtocol` of the Service's own port, where they tell a protocol. */
  readonly says: readonly string[];
}

const NAME = /^[a-z0-9][a-z0-9.-]*$/;
const LABEL_KEY = /^[A-Za-z0-9][\w./-]*$/;
const LABEL_VALUE = /^[\w.-]*$/;
const PROTOCOL = /^[A-Z]{1,10}$/;
const ALL_DIGITS = /^\d+$/;
/** A DNS label, as names of ports are, and names of protocols. */
const SAYS = /^[a-z0-9.-]{1,63}$/;

/**
 * Reads a Service. Undefined for one that selects no Pods, sends traffic to no port, or that the API server would
 * refuse; also for one that sends traffic to unready Pods and says nothing about its ports. A digest may be as long as
 * the Service: SERVICE_LIMITS limits what a server keeps.
 */
export function readService(service: JsonObject): ServiceDigest | undefined {
  // Lists of an API server leave out the version of their items.
  if ((member(service, 'apiVersion') ?? 'v1') !== 'v1') return undefined;
  const name = stringMember(objectMember(service, 'metadata') ?? {}, 'name');
  const spec = objectMember(service, 'spec');
  if (name === undefined || !NAME.test(name) || spec === undefined) return undefined;
  // An ExternalName is an alias in DNS. Its selector has no effect.
  if (member(spec, 'type') === 'ExternalName') return undefined;
  const isForUnready = member(spec, 'publishNotReadyAddresses') === true;
  const selector = readSelector(member(spec, 'selector'));
  const ports = selector && readPorts(spec);
  if (selector === undefined || ports === undefined) return undefined;
  // Nothing else of such a Service is of use, and the budget is for the others.
  if (isForUnready && !ports.some((port) => port.includes(':'))) return undefined;
  const mark = isForUnready ? UNREADY : member(spec, 'clusterIP') === 'None' ? HEADLESS : '';
  const digest = [mark + name, selector.join(','), ports.join(',')].join(' ');
  return new ServiceDigest(digest);
}

/** Undefined for no selector and for `{}`: such a Service selects no Pods (docs, "Services without selectors"). */
function readSelector(selector: unknown): readonly string[] | undefined {
  const entries = isJsonObject(selector) ? Object.entries(selector) : [];
  const isSound = entries.every(
    ([key, value]) => typeof value === 'string' && LABEL_VALUE.test(value) && LABEL_KEY.test(key),
  );
  return entries.length === 0 || !isSound ? undefined : entries.map(([key, value]) => `${key}=${String(value)}`);
}

function readPorts(spec: JsonObject): readonly string[] | undefined {
  const entries = listMember(spec, 'ports');
  const ports = entries.flatMap((entry) => (isJsonObject(entry) ? (readPort(entry) ?? []) : []));
  return entries.length === 0 || ports.length < entries.length ? undefined : [...new Set(ports)];
}

/** The API server's default for an absent, empty or 0 targetPort is `port` (pkg/apis/core/v1/defaults.go). */
function readPort(entry: JsonObject): string | undefined {
  const number = member(entry, 'port');
  const given = member(entry, 'targetPort');
  const target = given === undefined || given === null || given === '' || given === 0 ? number : given;
  const protocol = member(entry, 'protocol') ?? '';
  const isSound = typeof target === 'string' ? isPortName(target) : isPortNumber(target);
  if (!isPortNumber(number) || !isSound) return undefined;
  if (protocol === '' || protocol === DEFAULT_PROTOCOL) return [String(target), ...saysOf(entry, target)].join(':');
  return typeof protocol === 'string' && PROTOCOL.test(protocol) ? `${String(target)}/${protocol}` : undefined;
}

/** What the Service says about the protocol of a port, unless the name of the container's port says the same. */
function saysOf(entry: JsonObject, target: unknown): readonly string[] {
  const texts = [stringMember(entry, 'name'), stringMember(entry, 'appProtocol')].map((text = '') =>
    text.slice(text.lastIndexOf('/') + 1).toLowerCase(),
  );
  return [...new Set(texts)].filter(
    (text) => text !== target && SAYS.test(text) && protocolOfText(text).speaks !== 'unknown',
  );
}

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
