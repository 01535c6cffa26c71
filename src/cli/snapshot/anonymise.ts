import { profileName, STARTUP_PROFILE_KIND } from '../../engine/facts/startup-profile.ts';
import { isJsonObject, member, objectMember, stringMember } from '../../base/json/json-value.ts';
import { CONTAINER_LISTS } from '../../engine/probe/api-defaults.ts';
import { POLICY_KINDS } from '../../engine/policy/probe-policy.ts';
import { anonymousAnnotations } from './anonymous-annotations.ts';
import { anonymousContainer, anonymousProbe } from './anonymous-container.ts';
import { Pseudonyms } from './pseudonyms.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { HashOf } from './pseudonyms.ts';

/** Returns an item of a kind that this room does not know, with pseudonyms. Undefined for other items. */
export type AnonymousItem = (item: JsonObject, names: Pseudonyms) => JsonObject | undefined;

/**
 * Returns items of a snapshot with pseudonyms in place of names. The verdicts stay the same, except for the names.
 *
 * @param special is asked first for each item
 */
export function anonymise(
  items: readonly JsonObject[],
  hashOf: HashOf,
  special: AnonymousItem = () => undefined,
): readonly JsonObject[] {
  const policies = items.filter(isPolicy);
  const pseudonyms = new Pseudonyms(hashOf, items.flatMap(namesIn), policies.map(nameOf));
  return items.map((item) => special(item, pseudonyms) ?? new Anonymiser(pseudonyms).item(item));
}

function isPolicy(item: JsonObject): boolean {
  return (POLICY_KINDS as readonly unknown[]).includes(member(item, 'kind'));
}

function nameOf(item: JsonObject): string {
  return stringMember(objectMember(item, 'metadata') ?? {}, 'name') ?? '';
}

/** Names of the object, of its namespace and of its containers. */
function namesIn(item: JsonObject): string[] {
  const names: string[] = [];
  const open: unknown[] = [item];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) for (const element of value as unknown[]) open.push(element ?? '');
    if (!isJsonObject(value)) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'name' || key === 'namespace' || key === 'generateName') names.push(String(inner));
      else if (!NOT_NAMES.has(key)) open.push(inner ?? '');
    }
  }
  return names.filter((name) => name !== '');
}

/** Members whose own members have other kinds of names: ports, environment, headers. */
const NOT_NAMES: ReadonlySet<string> = new Set(['ports', 'env', 'httpHeaders', 'labels', 'annotations']);

/** Keys below which texts are names of containers. */
const LISTS_OF_CONTAINERS: ReadonlySet<string> = new Set<string>(CONTAINER_LISTS);

/** Parameters of checks that are lists of paths. */
const PATHS: ReadonlySet<string> = new Set(['paths', 'additionalPaths']);
const FREE_TEXTS: ReadonlySet<string> = new Set(['owner', 'reason', 'ticket']);

class Anonymiser {
  readonly #pseudonyms: Pseudonyms;

  constructor(pseudonyms: Pseudonyms) {
    this.#pseudonyms = pseudonyms;
  }

  item(item: JsonObject): JsonObject {
    const kind = stringMember(item, 'kind') ?? '';
    const changed = this.#object(item);
    const metadata = objectMember(changed, 'metadata') ?? {};
    if (isPolicy(item)) return { ...changed, metadata: { ...metadata, name: this.#pseudonyms.policy(nameOf(item)) } };
    if (kind !== STARTUP_PROFILE_KIND) return changed;
    const workload = objectMember(objectMember(changed, 'status') ?? {}, 'workload') ?? {};
    const name = profileName(stringMember(workload, 'kind') ?? '', stringMember(workload, 'name') ?? '');
    return { ...changed, metadata: { ...metadata, name } };
  }

  #object(object: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, this.#member(key, value)]));
  }

  /** Every text that may be a name is found by the name of its field. */
  #member(key: string, value: unknown): unknown {
    const names = this.#pseudonyms;
    if (typeof value === 'string') {
      if (key === 'name' || key === 'namespace' || key === 'generateName') return names.name(value);
      if (key === 'port' || key === 'targetPort') return names.port(value);
      if (key === 'appProtocol') return names.portOfService(value);
      return FREE_TEXTS.has(key) ? `anonymous ${names.name(value)}` : value;
    }
    if (Array.isArray(value)) return this.#list(key, value);
    if (!isJsonObject(value)) return value;
    if (key === 'labels' || key === 'matchLabels' || (key === 'selector' && !('matchLabels' in value)))
      return labels(value, names);
    if (key === 'annotations') return anonymousAnnotations(value, names);
    if (key === 'kubernetesProbeEndpoints') return texts(value, names);
    if (key === 'probes')
      return Object.fromEntries(Object.entries(value).map(([kind, probe]) => [kind, anonymousProbe(probe, names)]));
    return this.#object(value);
  }

  #list(key: string, list: readonly unknown[]): unknown {
    const names = this.#pseudonyms;
    if (key === 'matchExpressions') return list.map((each) => (isJsonObject(each) ? expression(each, names) : each));
    return list.map((element) => {
      if (typeof element === 'string') {
        if (LISTS_OF_CONTAINERS.has(key)) return names.container(element);
        return PATHS.has(key) ? names.text(element) : element;
      }
      if (!isJsonObject(element)) return element;
      if (LISTS_OF_CONTAINERS.has(key)) return anonymousContainer(element, names);
      const port = key === 'ports' ? stringMember(element, 'name') : undefined;
      return { ...this.#object(element), ...(port !== undefined && { name: names.portOfService(port) }) };
    });
  }
}

function labels(map: JsonObject, names: Pseudonyms): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [
      names.labelKey(key),
      typeof value === 'string' ? names.labelValue(key, value) : value,
    ]),
  );
}

function texts(map: JsonObject, names: Pseudonyms): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [key, typeof value === 'string' ? names.text(value) : value]),
  );
}

function expression(requirement: JsonObject, names: Pseudonyms): JsonObject {
  const key = stringMember(requirement, 'key') ?? '';
  const values = member(requirement, 'values');
  return {
    ...requirement,
    key: names.labelKey(key),
    ...(Array.isArray(values) && {
      values: (values as unknown[]).map((value) => (typeof value === 'string' ? names.labelValue(key, value) : value)),
    }),
  };
}
