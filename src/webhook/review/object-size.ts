import { isJsonObject, member, objectMember } from '../../base/json/json-value.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../../engine/probe/probe.ts';
import { CONTAINER_LISTS } from '../../engine/probe/api-defaults.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { PlacedTemplate } from '../../engine/workload/kinds.ts';

/** No node runs as many containers in one Pod: a node has at most 110 Pods by default. */
const MAX_CONTAINERS = 300;
/**
 * The limit on ports, restart rules, command words, arguments, environment variables, members of probes and of
 * handlers, headers and annotations of all templates together. Each element takes time.
 */
const MAX_ELEMENTS = 5000;

/** The object is too large to check: an error of the client. */
export class ObjectTooLarge extends RangeError {}

/** Throws ObjectTooLarge if the Pod templates together have more containers or elements than the limits allow. */
export function refuseTooLarge(templates: readonly PlacedTemplate[]): void {
  let containers = 0;
  let elements = 0;
  for (const { template } of templates) {
    const spec = objectMember(template, 'spec') ?? {};
    for (const list of CONTAINER_LISTS) {
      const entries = member(spec, list);
      if (!Array.isArray(entries)) continue;
      containers += entries.length;
      if (containers > MAX_CONTAINERS) throw tooLarge(containers, 'containers', MAX_CONTAINERS);
      for (const entry of entries) if (isJsonObject(entry)) elements += elementsOf(entry);
    }
    elements += annotationsOf(template);
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
