import { validProbe } from '../../engine/checks/valid-probe.ts';
import { isJsonObject, member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { CONTAINER_LISTS } from '../../engine/probe/api-defaults.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../../engine/probe/probe.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { PlacedTemplate } from '../../engine/workload/kinds.ts';

/** The object is too large to check: an error of the client. */
export class ObjectTooLarge extends RangeError {}

export function violationOfUnseen(message: string, action: Violation['action']): Violation {
  return { check: validProbe.id, action, container: '', path: ['spec'], message, reason: 'FieldValueTooMany' };
}

/** No node runs as many containers in one Pod: a node has at most 110 Pods by default. */
const MAX_CONTAINERS = 300;
/** Of all templates together. Each element takes time. */
const MAX_ELEMENTS = 5000;

/** Why Pod templates are too large to check; undefined if they are within the limits. */
export function sizeProblem(templates: readonly PlacedTemplate[]): string | undefined {
  let containers = 0;
  let elements = 0;
  for (const { template } of templates) {
    const spec = objectMember(template, 'spec') ?? {};
    for (const list of CONTAINER_LISTS) {
      const entries = member(spec, list);
      if (!Array.isArray(entries)) continue;
      containers += entries.length;
      if (containers > MAX_CONTAINERS) return tooMany(containers, 'containers', MAX_CONTAINERS);
      for (const entry of entries) if (isJsonObject(entry)) elements += elementsOf(entry);
    }
    elements += membersOf(objectMember(objectMember(template, 'metadata') ?? {}, 'annotations'));
  }
  if (elements <= MAX_ELEMENTS) return undefined;
  const what =
    'annotations, ports, restart rules, members of probes, headers, environment variables, arguments and words of commands';
  return tooMany(elements, what, MAX_ELEMENTS);
}

function tooMany(count: number, what: string, most: number): string {
  return `the object has ${count} ${what}: more than ${most} are not looked at`;
}

/** The lists of a container whose entries count. */
const COUNTED_LISTS = ['ports', 'restartPolicyRules', 'command', 'args', 'env'] as const;

function elementsOf(container: JsonObject): number {
  let count = 0;
  for (const list of COUNTED_LISTS) count += lengthOf(container, list);
  for (const kind of PROBE_KINDS) {
    const probe = objectMember(container, kind);
    count += elementsOfHandlers(probe) + membersOf(probe);
  }
  const lifecycle = objectMember(container, 'lifecycle') ?? {};
  for (const hook of ['postStart', 'preStop']) count += elementsOfHandlers(objectMember(lifecycle, hook));
  return count;
}

function elementsOfHandlers(owner: JsonObject = {}): number {
  let count = 0;
  for (const kind of HANDLER_KINDS) {
    const handler = objectMember(owner, kind);
    if (handler !== undefined)
      count += membersOf(handler) + lengthOf(handler, 'httpHeaders') + lengthOf(handler, 'command');
  }
  return count;
}

function membersOf(object: JsonObject | undefined): number {
  return object === undefined ? 0 : Object.keys(object).length;
}

function lengthOf(object: JsonObject, field: string): number {
  const list = member(object, field);
  return Array.isArray(list) ? list.length : 0;
}
