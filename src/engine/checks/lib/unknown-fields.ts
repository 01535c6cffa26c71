import { FieldPlace, valueAt, type FieldEdit, type FieldPath } from '../../../base/json/field-path.ts';
import {
  isJsonObject,
  isPresent,
  listMember,
  member,
  objectMember,
  stringMember,
  type JsonObject,
} from '../../../base/json/json-value.ts';
import { suggestion } from '../../../base/text/suggestion.ts';
import { CONTAINER_LISTS } from '../../probe/api-defaults.ts';
import { HANDLER_TYPES, HEADER_FIELDS, PROBE_FIELDS } from '../../probe/api-schema.ts';
import { HANDLER_KINDS, PROBE_KINDS, type HandlerKind, type ProbeKind } from '../../probe/probe.ts';
import { BUILT_IN_KINDS, type PlacedTemplate, type WorkloadKind } from '../../workload/kinds.ts';

/** A field that the API server drops, with its container. */
export interface StrayField extends Stray {
  readonly container: string;
  readonly path: FieldPath;
  readonly message: string;
}

interface Stray {
  readonly remedy?: string;
  readonly edits?: readonly FieldEdit[];
}

interface Home {
  readonly spec: JsonObject;
  readonly path: FieldPath;
}

/**
 * Finds misspelt and misplaced probe fields in containers of a manifest. For most clients the API server drops unknown
 * fields without an error, before a webhook gets the object: a `livenessprobe` has no effect.
 * @param podSpecPath the path of the Pod spec in the object
 */
export function unknownProbeFields(podSpec: JsonObject, podSpecPath: FieldPath): StrayField[] {
  return homesIn(podSpec, podSpecPath).flatMap(unknownIn);
}

function homesIn(podSpec: JsonObject, podSpecPath: FieldPath): Home[] {
  return CONTAINER_LISTS.flatMap((list) =>
    listMember(podSpec, list).flatMap((spec, index) =>
      isJsonObject(spec) ? [{ spec, path: [...podSpecPath, list, index] }] : [],
    ),
  );
}

/** Fields of a container that people write into a probe by a wrong indentation. */
const CONTAINER_FIELDS: ReadonlySet<string> = new Set([
  ...['args', 'env', 'envFrom', 'image', 'imagePullPolicy', 'lifecycle', 'ports', 'resources', 'securityContext'],
  ...['volumeMounts', ...PROBE_KINDS],
]);

function unknownIn(home: Home): StrayField[] {
  const { spec, path } = home;
  const found: StrayField[] = [];
  const report = (at: FieldPath, stray: Stray): void => {
    found.push(strayField(home, [...path, ...at], stray));
  };
  for (const key of Object.keys(spec)) {
    if (PROBE_KINDS.some((kind) => kind === key)) continue;
    if (PROBE_FIELDS.includes(key)) report([key], intoProbe(home, key));
    // A container has many other fields. Report only keys that are similar to a probe's name.
    else if (/prob|live|ready|readi|startup/i.test(key) && suggestion(key, PROBE_KINDS) !== undefined)
      report([key], renamed(home, [key], PROBE_KINDS));
  }
  for (const kind of PROBE_KINDS) {
    const probe = objectMember(spec, kind) ?? {};
    for (const key of Object.keys(probe))
      if (!PROBE_FIELDS.includes(key)) report([kind, key], inProbe(home, kind, key));
    for (const handler of HANDLER_KINDS) {
      const fields = objectMember(probe, handler) ?? {};
      const known = [...HANDLER_TYPES[handler].fields.keys()];
      for (const key of Object.keys(fields))
        if (!known.includes(key)) report([kind, handler, key], inHandler(home, [kind, handler, key], known));
      for (const [index, header] of listMember(fields, 'httpHeaders').entries())
        for (const key of isJsonObject(header) ? Object.keys(header) : []) {
          const at = [kind, handler, 'httpHeaders', index, key];
          if (!HEADER_FIELDS.includes(key)) report(at, renamed(home, at, HEADER_FIELDS));
        }
    }
  }
  return found;
}

function intoProbe(home: Home, key: string): Stray {
  const [only, ...others] = PROBE_KINDS.filter((kind) => objectMember(home.spec, kind) !== undefined);
  if (only === undefined || others.length > 0) return { remedy: 'move it into the probe that it is for' };
  return moved(home, [key], [only, key], `move it into ${only}`);
}

function inProbe(home: Home, kind: ProbeKind, key: string): Stray {
  if (CONTAINER_FIELDS.has(key)) return moved(home, [kind, key], [key], `move it up to ${nameOf(home)}`);
  const owners = HANDLER_KINDS.filter((handler) => HANDLER_TYPES[handler].fields.has(key));
  const written = HANDLER_KINDS.filter((handler) => isJsonObject(valueAt(home.spec, [kind, handler])));
  const owner = owners.find((handler) => written.includes(handler));
  if (owner !== undefined) return moved(home, [kind, key], [kind, owner, key], `move it into ${owner}`);
  if (owners.length > 0 && written.length === 0)
    return { remedy: `move it into ${owners.length === 1 ? (owners[0] ?? '') : 'the handler'}` };
  return renamed(home, [kind, key], PROBE_FIELDS);
}

function inHandler(home: Home, at: readonly [ProbeKind, HandlerKind, string], known: readonly string[]): Stray {
  const [kind, , key] = at;
  if (PROBE_FIELDS.includes(key)) return moved(home, at, [kind, key], `move it up to ${kind}`);
  if (CONTAINER_FIELDS.has(key)) return moved(home, at, [key], `move it up to ${nameOf(home)}`);
  return renamed(home, at, known);
}

function renamed(home: Home, at: FieldPath, known: readonly string[]): Stray {
  const meant = suggestion(String(at.at(-1)), known);
  return meant === undefined ? {} : moved(home, at, at.with(-1, meant), `did you mean "${meant}"?`);
}

function nameOf({ path }: Home): string {
  const [list, index] = path.slice(-2);
  return `${String(list)}[${String(index)}]`;
}

function strayField(home: Home | undefined, path: FieldPath, stray: Stray): StrayField {
  const container = stringMember(home?.spec ?? {}, 'name') ?? '';
  return { container, path, message: 'unknown field, which the API server drops', ...stray };
}

/** Moves a field of a container. Nobody knows which value counts if the new place has one, so there are no edits. */
function moved({ spec, path }: Home, from: FieldPath, to: FieldPath, remedy: string): Stray {
  if (valueAt(spec, to) !== undefined) return { remedy };
  return {
    remedy,
    edits: [
      { path: [...path, ...from], value: null },
      { path: [...path, ...to], value: valueAt(spec, from) ?? null },
    ],
  };
}

/**
 * Finds probes outside of a container or too deep in one, which the API server drops for most clients: in the Pod spec,
 * in an entry of `ports`, in metadata. A custom kind may have such fields of its own outside of its Pod template.
 */
export function misplacedProbes(
  object: JsonObject,
  { group, kind }: WorkloadKind,
  { template, path }: PlacedTemplate,
): StrayField[] {
  const isBuiltIn = BUILT_IN_KINDS.some((known) => known.group === group && known.kind === kind);
  const containers = homesIn(objectMember(template, 'spec') ?? {}, [...path, 'spec']);
  const homes = new Map<object, Home>(containers.map((home) => [home.spec, home]));
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

/** @param home the container that the probe is too deep in; otherwise the only container is meant */
function misplaced(
  path: FieldPath,
  kind: string,
  probe: JsonObject,
  home: Home | undefined,
  homes: ReadonlyMap<object, Home>,
): StrayField {
  const [first, ...others] = homes.values();
  const target = home ?? (others.length === 0 ? first : undefined);
  if (target === undefined)
    return strayField(home ?? first, path, { remedy: 'move it into the container that it is for' });
  const remedy = `move it ${home === undefined ? 'into' : 'up to'} ${nameOf(target)}`;
  const edits = [
    { path, value: null },
    { path: [...target.path, kind], value: probe },
  ];
  return strayField(home ?? first, path, { remedy, ...(!isPresent(member(target.spec, kind)) && { edits }) });
}
