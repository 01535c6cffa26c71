import { FieldPlace, type FieldEdit, type FieldPath } from '../../../base/json/field-path.ts';
import {
  isJsonObject,
  isPresent,
  member,
  objectMember,
  stringMember,
  type JsonObject,
} from '../../../base/json/json-value.ts';
import { suggestion } from '../../../base/text/suggestion.ts';
import { wordSet } from '../../probe/acting-words.ts';
import { CONTAINER_LISTS } from '../../probe/api-defaults.ts';
import { HANDLER_FIELDS, HEADER_FIELDS, PROBE_FIELDS } from '../../probe/api-schema.ts';
import { HANDLER_KINDS, PROBE_KINDS, type HandlerKind, type ProbeKind } from '../../probe/probe.ts';
import { BUILT_IN_KINDS, type PlacedTemplate, type WorkloadKind } from '../../workload/kinds.ts';

/**
 * Finds misspelt and misplaced probe fields in containers of a manifest. Names are case-sensitive, and for most clients
 * the API server drops unknown fields without an error: a `livenessprobe` has no effect. Only a manifest shows such
 * fields, because a webhook gets the object after the API server dropped them.
 * @param podSpec the Pod spec as written
 * @param podSpecPath the path of the Pod spec in the object
 */
export function unknownProbeFields(podSpec: JsonObject, podSpecPath: FieldPath): StrayField[] {
  return CONTAINER_LISTS.flatMap((list) => {
    const entries = member(podSpec, list);
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((entry: unknown, index) =>
      isJsonObject(entry) ? inContainer(entry, [...podSpecPath, list, index]) : [],
    );
  });
}

/** Fields of a probe that are no fields of a container, so they have no effect there. */
const NOT_IN_CONTAINER: ReadonlySet<string> = new Set(PROBE_FIELDS);

/** Fields of a container that people write into a probe by a wrong indentation. */
const CONTAINER_FIELDS: ReadonlySet<string> = wordSet(
  'args env envFrom image imagePullPolicy lifecycle ports resources securityContext volumeMounts',
);

function inContainer(container: JsonObject, path: FieldPath): StrayField[] {
  const name = stringMember(container, 'name') ?? '';
  const found: StrayField[] = [];
  const report = (at: FieldPath, stray: Stray): void => {
    found.push(strayField(name, [...path, ...at], stray));
  };
  for (const key of Object.keys(container)) {
    if ((PROBE_KINDS as readonly string[]).includes(key)) continue;
    if (NOT_IN_CONTAINER.has(key)) report([key], intoProbe(container, path, key));
    else {
      const meant = suggestion(key, PROBE_KINDS);
      // A container has many other fields. Report only keys that are similar to a probe's name.
      if (meant !== undefined && /prob|live|ready|readi|startup/i.test(key))
        report([key], renamed(container, path, key, meant));
    }
  }
  for (const kind of PROBE_KINDS) {
    const probe = objectMember(container, kind);
    if (probe === undefined) continue;
    for (const key of Object.keys(probe))
      if (!PROBE_FIELDS.includes(key)) report([kind, key], inProbe(container, path, kind, key));
    for (const handler of HANDLER_KINDS) {
      const fields = objectMember(probe, handler);
      if (fields === undefined) continue;
      const known = HANDLER_FIELDS.get(handler) ?? [];
      for (const key of Object.keys(fields))
        if (!known.includes(key)) report([kind, handler, key], inHandler(container, path, kind, handler, key));
      reportHeaders(fields, [...path, kind, handler], (at, stray) => {
        report([kind, handler, ...at], stray);
      });
    }
  }
  return found;
}

function intoProbe(container: JsonObject, path: FieldPath, key: string): Stray {
  const kinds = PROBE_KINDS.filter((kind) => objectMember(container, kind) !== undefined);
  const [only] = kinds;
  if (only === undefined || kinds.length > 1) return { remedy: 'move it into the probe that it is for' };
  return movedFrom(container, path, [key], [only, key], `move it into ${only}`);
}

/** An unknown field of a probe: of its handler, of its container, or misspelt. */
function inProbe(container: JsonObject, path: FieldPath, kind: ProbeKind, key: string): Stray {
  if ((PROBE_KINDS as readonly string[]).includes(key) || CONTAINER_FIELDS.has(key))
    return movedFrom(container, path, [kind, key], [key], `move it up to ${containerWord(path)}`);
  const owners = HANDLER_KINDS.filter((handler) => HANDLER_FIELDS.get(handler)?.includes(key) === true);
  if (owners.length > 0) {
    const probe = objectMember(container, kind) ?? {};
    const written = owners.find((handler) => objectMember(probe, handler) !== undefined);
    if (written !== undefined)
      return movedFrom(container, path, [kind, key], [kind, written, key], `move it into ${written}`);
    const hasOther = HANDLER_KINDS.some((handler) => objectMember(probe, handler) !== undefined);
    if (!hasOther) return { remedy: `move it into ${owners.length === 1 ? (owners[0] ?? '') : 'the handler'}` };
  }
  return renamed(container, [...path], key, suggestion(key, PROBE_FIELDS), [kind]);
}

/** An unknown field of a handler: of its probe, of its container, or misspelt. */
function inHandler(container: JsonObject, path: FieldPath, kind: ProbeKind, handler: HandlerKind, key: string): Stray {
  if (PROBE_FIELDS.includes(key))
    return movedFrom(container, path, [kind, handler, key], [kind, key], `move it up to ${kind}`);
  if ((PROBE_KINDS as readonly string[]).includes(key) || CONTAINER_FIELDS.has(key))
    return movedFrom(container, path, [kind, handler, key], [key], `move it up to ${containerWord(path)}`);
  return renamed(container, path, key, suggestion(key, HANDLER_FIELDS.get(handler) ?? []), [kind, handler]);
}

function reportHeaders(handler: JsonObject, path: FieldPath, report: (at: FieldPath, stray: Stray) => void): void {
  const headers = member(handler, 'httpHeaders');
  if (!Array.isArray(headers)) return;
  for (const [index, header] of (headers as unknown[]).entries()) {
    if (!isJsonObject(header)) continue;
    for (const key of Object.keys(header)) {
      if (HEADER_FIELDS.includes(key)) continue;
      const meant = suggestion(key, HEADER_FIELDS);
      report(['httpHeaders', index, key], renamed(header, [...path, 'httpHeaders', index], key, meant));
    }
  }
}

function renamed(
  owner: JsonObject,
  path: FieldPath,
  key: string,
  meant: string | undefined,
  below: readonly string[] = [],
): Stray {
  if (meant === undefined) return {};
  const remedy = `did you mean "${meant}"?`;
  // A field that is written in both spellings has two values, and nobody knows which one counts.
  if (fieldBelow(owner, [...below, meant]) !== undefined) return { remedy };
  return movedFrom(owner, path, [...below, key], [...below, meant], remedy);
}

function containerWord(path: FieldPath): string {
  const [list, index] = path.slice(-2);
  return `${String(list)}[${String(index)}]`;
}

/** A field that the API server drops, with its container. */
export interface StrayField extends Stray {
  readonly container: string;
  readonly path: FieldPath;
  readonly message: string;
}

/** The advice for such a field. */
interface Stray {
  readonly remedy?: string;
  readonly edits?: readonly FieldEdit[];
}

/** Makes the finding about a field that no API version knows at its place. */
function strayField(container: string, path: FieldPath, stray: Stray): StrayField {
  return { container, path, message: 'unknown field, which the API server drops', ...stray };
}

/**
 * Advises to move a field. There are no edits if a value is written at the new place already, because then nobody knows
 * which value counts.
 * @param owner the object that holds both places
 * @param path the path of the owner in the document
 */
function movedFrom(
  owner: JsonObject,
  path: FieldPath,
  from: readonly string[],
  to: readonly string[],
  remedy: string,
): Stray {
  if (fieldBelow(owner, to) !== undefined) return { remedy };
  return {
    remedy,
    edits: [
      { path: [...path, ...from], value: null },
      { path: [...path, ...to], value: fieldBelow(owner, from) ?? null },
    ],
  };
}

/** Returns the value at a path of own members. Undefined when a member is missing. */
function fieldBelow(owner: JsonObject, path: readonly string[]): unknown {
  let value: unknown = owner;
  for (const step of path) {
    if (!isJsonObject(value)) return undefined;
    value = member(value, step);
  }
  return value;
}

interface Home {
  readonly spec: JsonObject;
  readonly path: FieldPath;
}

/**
 * Finds probes that are written outside of a container or too deep in a container: in the Pod spec, in an entry of
 * `ports` or `env`, in the spec of the workload, in metadata. For most clients the API server drops such probes without
 * an error. The whole object of a built-in kind is searched. A custom kind may have fields of its own with these names,
 * so only its Pod template is searched.
 */
export function misplacedProbes(
  object: JsonObject,
  { group, kind }: WorkloadKind,
  { template, path }: PlacedTemplate,
): StrayField[] {
  const isBuiltIn = BUILT_IN_KINDS.some((known) => known.group === group && known.kind === kind);
  const homes = containersIn(template, path);
  const found: StrayField[] = [];
  // An explicit stack, because a document may be nested deeper than the call stack.
  const open: Place[] = [isBuiltIn ? { value: object, at: [] } : { value: template, at: path }];
  // A value with several aliases is searched once.
  const seen = new Set<unknown>();
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (seen.has(place.value)) continue;
    seen.add(place.value);
    searchMembers(place, homes, open, found);
  }
  return found;
}

interface Place {
  readonly value: object;
  readonly at: FieldPlace | FieldPath;
  readonly home?: Home;
}

function searchMembers(place: Place, homes: ReadonlyMap<object, Home>, open: Place[], found: StrayField[]): void {
  const { value, at } = place;
  const home = homes.get(value) ?? place.home;
  const isContainer = home?.spec === value;
  const inner: Iterable<[number | string, unknown]> = Array.isArray(value)
    ? (value as unknown[]).entries()
    : Object.entries(value as JsonObject);
  for (const [step, child] of inner) {
    if (typeof child !== 'object' || child === null) continue;
    const isProbe = isJsonObject(child) && (PROBE_KINDS as readonly unknown[]).includes(step);
    const below = new FieldPlace(at, step);
    if (!isProbe) open.push({ value: child, at: below, ...(home && { home }) });
    // The inside of a container's own probe is the subject of unknown-fields.ts.
    else if (!isContainer) found.push(misplaced(below.path(), String(step), child, home, homes));
  }
}

function misplaced(
  path: FieldPath,
  kind: string,
  probe: JsonObject,
  home: Home | undefined,
  homes: ReadonlyMap<object, Home>,
): StrayField {
  const [first, ...others] = homes.values();
  const target = home ?? (others.length === 0 ? first : undefined);
  const name = stringMember((home ?? first)?.spec ?? {}, 'name') ?? '';
  return strayField(name, path, adviceFor(path, kind, probe, target, home !== undefined));
}

function adviceFor(
  path: FieldPath,
  kind: string,
  probe: JsonObject,
  target: Home | undefined,
  isInside: boolean,
): Stray {
  if (target === undefined) return { remedy: 'move it into the container that it is for' };
  const [list, index] = target.path.slice(-2);
  const remedy = `move it ${isInside ? 'up to' : 'into'} ${String(list)}[${String(index)}]`;
  if (isPresent(member(target.spec, kind))) return { remedy };
  return {
    remedy,
    edits: [
      { path, value: null },
      { path: [...target.path, kind], value: probe },
    ],
  };
}

function containersIn(template: JsonObject, path: FieldPath): ReadonlyMap<object, Home> {
  const homes = new Map<object, Home>();
  const podSpec = objectMember(template, 'spec') ?? {};
  for (const list of CONTAINER_LISTS) {
    const entries = member(podSpec, list);
    if (!Array.isArray(entries)) continue;
    for (const [index, spec] of (entries as unknown[]).entries())
      if (isJsonObject(spec)) homes.set(spec, { spec, path: [...path, 'spec', list, index] });
  }
  return homes;
}
