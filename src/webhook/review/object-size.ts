import { isJsonObject, member, objectMember } from '../../base/json/json-value.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../../engine/probe/probe.ts';
import { CONTAINER_LISTS } from '../../engine/probe/api-defaults.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { PlacedTemplate } from '../../engine/workload/kinds.ts';

/**
 * No node runs as many containers in one Pod. An object of 3 MiB has room for 250,000 containers, and the messages
 * about all of them would not fit into memory.
 */
const MAX_CONTAINERS = 5000;
/**
 * The limit on ports, headers, command words, arguments, environment variables, restart rules, probe members and
 * annotations of all templates together.
 * Each element takes time.
 */
const MAX_ELEMENTS = 50_000;

/** The object is too large to check: an error of the client. */
export class ObjectTooLarge extends RangeError {}

/** A shorter text cannot have that many elements, because each element takes at least two characters. */
const LEAST_TEXT_OF_MANY_ELEMENTS = 2 * MAX_ELEMENTS;

/**
 * Throws ObjectTooLarge if the Pod templates together have more containers or elements than the limits allow.
 *
 * @param textLength characters of the JSON from which the templates were parsed
 */
export function refuseTooLarge(templates: readonly PlacedTemplate[], textLength: number): void {
  let containers = 0;
  let elements = 0;
  for (const { template } of templates) {
    const spec = objectMember(template, 'spec') ?? {};
    for (const list of CONTAINER_LISTS) {
      const entries = member(spec, list);
      if (!Array.isArray(entries)) continue;
      containers += entries.length;
      if (containers > MAX_CONTAINERS) throw tooLarge(containers, 'containers', MAX_CONTAINERS);
      if (textLength < LEAST_TEXT_OF_MANY_ELEMENTS) continue;
      for (const entry of entries) if (isJsonObject(entry)) elements += elementsOf(entry);
    }
    if (textLength >= LEAST_TEXT_OF_MANY_ELEMENTS) elements += annotationsOf(template);
  }
  if (elements > MAX_ELEMENTS)
    throw tooLarge(
      elements,
      'annotations, ports, restart rules, members of probes, headers, environment variables, arguments and words of commands',
      MAX_ELEMENTS,
    );
}

function tooLarge(count: number, what: string, most: number): ObjectTooLarge {
  return new ObjectTooLarge(`the object has ${count} ${what}: more than ${most} are not looked at`);
}

/** The lists of a container whose entries count. */
const COUNTED_LISTS = ['ports', 'restartPolicyRules', 'command', 'args', 'env'] as const;

function elementsOf(container: JsonObject): number {
  let count = 0;
  for (const list of COUNTED_LISTS) count += lengthOf(container, list);
  for (const kind of PROBE_KINDS) {
    const probe = objectMember(container, kind);
    count += elementsOfHandlers(probe) + (probe === undefined ? 0 : Object.keys(probe).length);
  }
  const lifecycle = objectMember(container, 'lifecycle');
  if (lifecycle !== undefined)
    for (const hook of ['postStart', 'preStop']) count += elementsOfHandlers(objectMember(lifecycle, hook));
  return count;
}

function annotationsOf(template: JsonObject): number {
  const annotations = objectMember(objectMember(template, 'metadata') ?? {}, 'annotations');
  return annotations === undefined ? 0 : Object.keys(annotations).length;
}

function elementsOfHandlers(owner: JsonObject | undefined): number {
  if (owner === undefined) return 0;
  let count = 0;
  for (const kind of HANDLER_KINDS) {
    const handler = objectMember(owner, kind);
    if (handler !== undefined)
      count += Object.keys(handler).length + lengthOf(handler, 'httpHeaders') + lengthOf(handler, 'command');
  }
  return count;
}

function lengthOf(object: JsonObject, field: string): number {
  const list = member(object, field);
  return Array.isArray(list) ? list.length : 0;
}
