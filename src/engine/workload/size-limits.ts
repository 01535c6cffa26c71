import { valueAt, type FieldPath } from '../../base/json/field-path.ts';
import { isJsonObject, member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { CONTAINER_LISTS } from '../probe/api-defaults.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../probe/probe.ts';
import type { PlacedTemplate } from './kinds.ts';

/** No node runs as many containers in one Pod: a node has at most 110 Pods by default. */
const MAX_CONTAINERS = 300;
/** Of one object. Policies are selected and merged for each template, and a JobSet has a few. */
const MAX_TEMPLATES = 100;
/** Of all templates together. Each element takes time. */
const MAX_ELEMENTS = 5000;

/** Why Pod templates are too large to check; undefined if they are within the limits. */
export function sizeProblem(templates: readonly PlacedTemplate[]): string | undefined {
  if (templates.length > MAX_TEMPLATES) return tooMany(templates.length, 'Pod templates', MAX_TEMPLATES);
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
    elements += sizeOf(member(objectMember(template, 'metadata') ?? {}, 'annotations'));
  }
  if (elements <= MAX_ELEMENTS) return undefined;
  const what =
    'annotations, ports, restart rules, members of probes, headers, environment variables, arguments and words of commands';
  return tooMany(elements, what, MAX_ELEMENTS);
}

function tooMany(count: number, what: string, most: number): string {
  return `the object has ${count} ${what}: more than ${most} are not looked at`;
}

const OWNERS = [...PROBE_KINDS.map((kind) => [kind]), ['lifecycle', 'postStart'], ['lifecycle', 'preStop']];

/** The lists and objects of a container whose elements and members are counted. */
const COUNTED: readonly FieldPath[] = [
  ...['ports', 'restartPolicyRules', 'command', 'args', 'env', ...PROBE_KINDS].map((field) => [field]),
  ...OWNERS.flatMap((owner) => HANDLER_KINDS.map((kind) => [...owner, kind])).flatMap((handler) => [
    handler,
    [...handler, 'httpHeaders'],
    [...handler, 'command'],
  ]),
];

function elementsOf(container: JsonObject): number {
  return COUNTED.reduce((count, path) => count + sizeOf(valueAt(container, path)), 0);
}

/** Of a list or an object: its elements or members. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}
