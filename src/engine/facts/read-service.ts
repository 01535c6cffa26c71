import {
  isJsonObject,
  listMember,
  member,
  objectMember,
  stringMember,
  type JsonObject,
} from '../../base/json/json-value.ts';
import { textAt } from '../../base/json/field-path.ts';
import { DEFAULT_PROTOCOL } from '../probe/api-defaults.ts';
import { isPortName, isPortNumber } from '../probe/handler-values.ts';
import { meaningOfText, saysProtocol } from '../port/words.ts';
import { HEADLESS_MARK, IPV6_MARK, ServiceDigest, UNREADY_MARK } from './services.ts';

const NAME = /^[a-z0-9][a-z0-9.-]*$/;
const LABEL_KEY = /^[A-Za-z0-9][\w./-]*$/;
const LABEL_VALUE = /^[\w.-]*$/;
const PROTOCOL = /^[A-Z]{1,10}$/;
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
  const mark = isForUnready ? UNREADY_MARK : member(spec, 'clusterIP') === 'None' ? HEADLESS_MARK : '';
  const families = listMember(spec, 'ipFamilies');
  // A manifest may give the address alone.
  const isIpv6Only =
    families.length > 0
      ? families.every((family) => family === 'IPv6')
      : stringMember(spec, 'clusterIP')?.includes(':') === true &&
        stringMember(spec, 'ipFamilyPolicy') !== 'RequireDualStack';
  const digest = [mark + (isIpv6Only ? IPV6_MARK : '') + name, selector.join(','), ports.join(',')].join(' ');
  return new ServiceDigest(digest);
}

/** Reads a Service as readService, and one that this leaves out as its name alone. Undefined without a name. */
export function readServiceOrName(service: JsonObject): ServiceDigest | undefined {
  const name = textAt(service, 'metadata', 'name');
  const isService = (member(service, 'apiVersion') ?? 'v1') === 'v1' && name !== undefined && NAME.test(name);
  return readService(service) ?? (isService ? new ServiceDigest(name) : undefined);
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
  return [...new Set(texts)].filter((text) => text !== target && SAYS.test(text) && saysProtocol(meaningOfText(text)));
}
