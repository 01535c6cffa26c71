import { valueAt, type FieldPath } from '../../base/json/field-path.ts';
import { isJsonObject, member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { utf8Length } from '../../base/text/utf8.ts';
import { CONTAINER_LISTS } from '../probe/api-defaults.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../probe/probe.ts';
import type { PlacedTemplate } from './kinds.ts';

/** No node runs as many containers in one Pod: a node has at most 110 Pods by default. */
export const MAX_CONTAINERS = 300;
/** Of one object. Policies are selected and merged for each template, and a JobSet has a few. */
const MAX_TEMPLATES = 100;
/** Of all templates together. Each element takes time. */
export const MAX_ELEMENTS = 5000;

/** Of the body of a review. The API server passes on an object of at most 3 MiB, and escapes make it longer. */
export const MOST_BYTES = 7 * 1024 * 1024;
/** Of the body of a review. The largest checked object has about 30,000. V8 needs at most 210 bytes for each. */
export const MOST_MEMBERS = 300_000;
/** A template has about 20 levels. An API server passes on 10,000, for which a recursive function has no stack. */
export const MOST_LEVELS = 500;

/** The problem of a review that is too large to be read. `most`: `7 MiB`, `300000 members of objects and lists`. */
function unreadText(most: string): string {
  return `the request has more than ${most}, and is not looked at; make the object smaller`;
}

export const TOO_LONG = unreadText(`${MOST_BYTES / 1024 / 1024} MiB, in which each "<", ">" and "&" takes six bytes`);
export const TOO_MANY_MEMBERS = unreadText(`${MOST_MEMBERS} members of objects and lists`);
export const TOO_DEEP = unreadText(`${MOST_LEVELS} levels of objects and lists`);

/** Levels of a review around its object: the body and `request`. */
const OUTER_LEVELS = 2;

/**
 * Why even the review of an object's creation cannot be read; undefined if it can. What an API server fills in, such as
 * `managedFields`, may be missing in the object, so an object just below a limit has no problem here.
 */
export function reviewProblem(object: JsonObject): string | undefined {
  let [levels, members, characters] = [OUTER_LEVELS, 0, 0];
  for (let parts: readonly object[] = [object]; parts.length > 0;) {
    levels += 1;
    // Counted by the signs of JSON: a member of an object has a colon, and a comma or the brace before it.
    for (const part of parts) members += Math.max(1, sizeOf(part) * (Array.isArray(part) ? 1 : 2));
    if (levels > MOST_LEVELS) return TOO_DEEP;
    if (members > MOST_MEMBERS) return TOO_MANY_MEMBERS;
    const values = parts.flatMap((part) => [...(Array.isArray(part) ? [] : Object.keys(part)), ...valuesOf(part)]);
    for (const value of values) if (typeof value === 'string') characters += value.length;
    // In YAML, aliases repeat a text that is too long for one string.
    if (characters > MOST_BYTES) return TOO_LONG;
    parts = values.filter((value) => typeof value === 'object' && value !== null);
  }
  const text = JSON.stringify(object);
  // No character takes more than six bytes.
  if (text.length * 6 <= MOST_BYTES) return undefined;
  // Go writes each of these characters as an escape of six bytes (encoding/json, HTMLEscape).
  const bytes = utf8Length(text.replace(/[<>&\u2028\u2029]/g, '\\u0000'));
  return bytes > MOST_BYTES ? TOO_LONG : undefined;
}

function valuesOf(part: object): readonly unknown[] {
  return Object.values(part);
}

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
