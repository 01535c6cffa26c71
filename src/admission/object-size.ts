import { isJsonObject, member, objectMember } from '../probes/json.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../probes/probe.ts';
import { CONTAINER_LISTS } from '../probes/api-defaults.ts';
import type { JsonObject } from '../probes/json.ts';
import type { PlacedTemplate } from '../workload/kinds.ts';

/**
 * No node runs as many containers as this in one Pod, but an object of 3 MiB has room for a quarter of a million, and what there is to say
 * about each would not fit into our memory.
 */
const MAX_CONTAINERS = 5000;
/** Ports, headers, words of commands, restart rules, members of probes and annotations of all templates together: each takes time. */
const MAX_ELEMENTS = 50_000;

/** An object that is too large to be looked at: the caller's fault. */
export class ObjectTooLarge extends RangeError {}

/** A text that is shorter has not so many elements: each takes two characters at least. */
const LEAST_TEXT_OF_MANY_ELEMENTS = 2 * MAX_ELEMENTS;

/**
 * Throws ObjectTooLarge for an object whose Pod templates have more of anything, together, than can be looked at.
 *
 * @param textLength characters of the JSON that they were parsed from
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
      'annotations, ports, restart rules, members of probes, headers and words of commands',
      MAX_ELEMENTS,
    );
}

function tooLarge(count: number, what: string, most: number): ObjectTooLarge {
  return new ObjectTooLarge(`the object has ${count} ${what}: more than ${most} are not looked at`);
}

function elementsOf(container: JsonObject): number {
  let count = lengthOf(container, 'ports') + lengthOf(container, 'restartPolicyRules');
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
