import { FieldPlace, type FieldPath } from '../../../base/json/field-path.ts';
import { isJsonObject, member, objectMember, stringMember, isPresent } from '../../../base/json/json-value.ts';
import { CONTAINER_LISTS } from '../../probe/api-defaults.ts';
import { PROBE_KINDS } from '../../probe/probe.ts';
import { BUILT_IN_KINDS, type PlacedTemplate, type WorkloadKind } from '../../workload/kinds.ts';
import { strayField, type Stray, type StrayField } from './unknown-fields.ts';
import type { JsonObject } from '../../../base/json/json-value.ts';

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
