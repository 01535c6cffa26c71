import { FieldPlace, valueAt, type FieldPath } from '../../../base/json/field-path.ts';
import {
  isJsonObject,
  listMember,
  objectMember,
  stringMember,
  type JsonObject,
} from '../../../base/json/json-value.ts';
import { suggestion } from '../../../base/text/suggestion.ts';
import { CONTAINER_LISTS } from '../../probe/api-defaults.ts';
import { HANDLER_TYPES, PROBE_TYPE } from '../../probe/api-schema.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../../probe/probe.ts';
import { BUILT_IN_KINDS, type PlacedTemplate, type WorkloadKind } from '../../workload/kinds.ts';
import type { Finding } from '../check.ts';

/** A field that the API server drops, with its container. */
export interface StrayField extends Pick<Finding, 'path' | 'message' | 'remedy' | 'edits'> {
  readonly container: string;
}

/** A container with its place, and its name in a remedy: `containers[0]`. */
interface Home {
  readonly spec: JsonObject;
  readonly path: FieldPath;
  readonly name: string;
}

/** Fields that belong together. */
interface Owner {
  readonly fields: readonly string[];
  /** Where they belong in a container. Undefined when nobody knows. */
  readonly at?: FieldPath;
  /** The same in a remedy: `up to livenessProbe`. */
  readonly way: string;
}

/** Fields of a container that people write into a probe by a wrong indentation. */
const CONTAINER_FIELDS: readonly string[] = [
  ...['args', 'env', 'envFrom', 'image', 'imagePullPolicy', 'lifecycle', 'ports', 'resources', 'securityContext'],
  ...['volumeMounts', ...PROBE_KINDS],
];

const PROBE_FIELDS: readonly string[] = [...PROBE_TYPE.fields.keys()];
const HEADER_FIELDS = ['name', 'value'];
const HANDLERS = HANDLER_KINDS.map((kind) => ({ kind, fields: [...HANDLER_TYPES[kind].fields.keys()] }));
const OF_HANDLERS = HANDLERS.flatMap(({ fields }) => fields);

/** The owners of a handler's field in a probe without a handler. Several handlers have some of the fields. */
const UNWRITTEN_HANDLERS: readonly Owner[] = [
  { fields: OF_HANDLERS.filter((field, at) => OF_HANDLERS.indexOf(field) !== at), way: 'into the handler' },
  ...HANDLERS.map(({ kind, fields }) => ({ fields, way: `into ${kind}` })),
];

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
      isJsonObject(spec) ? { spec, path: [...podSpecPath, list, index], name: `${list}[${index}]` } : [],
    ),
  );
}

function unknownIn(home: Home): StrayField[] {
  const container = { fields: CONTAINER_FIELDS, at: [], way: `up to ${home.name}` };
  const probes = PROBE_KINDS.filter((kind) => objectMember(home.spec, kind) !== undefined);
  const onlyProbe = probes.map((kind) => ({ fields: PROBE_FIELDS, at: [kind], way: `into ${kind}` }));
  const anyProbe = { fields: PROBE_FIELDS, way: 'into the probe that it is for' };
  // A container has many other fields. Report only keys that are similar to a probe's name.
  const isSuspect = (key: string): boolean =>
    PROBE_FIELDS.includes(key) ||
    (/prob|live|ready|readi|startup/i.test(key) && suggestion(key, PROBE_KINDS) !== undefined);
  const beside = unknownAt(home, [], PROBE_KINDS, probes.length === 1 ? onlyProbe : [anyProbe], isSuspect);
  const inside = probes.flatMap((kind) => {
    const probe = { fields: PROBE_FIELDS, at: [kind], way: `up to ${kind}` };
    const handlers = HANDLERS.flatMap(({ kind: handlerKind, fields }) => {
      const at = [kind, handlerKind];
      const handler = valueAt(home.spec, at);
      return isJsonObject(handler) ? { handler, fields, at, way: `into ${handlerKind}` } : [];
    });
    const inHandlers = handlers.flatMap(({ handler, fields, at }) => [
      ...unknownAt(home, at, fields, [probe, container]),
      ...listMember(handler, 'httpHeaders').flatMap((_, index) =>
        unknownAt(home, [...at, 'httpHeaders', index], HEADER_FIELDS, []),
      ),
    ]);
    const owners = [container, ...(handlers.length > 0 ? handlers : UNWRITTEN_HANDLERS)];
    return [...unknownAt(home, [kind], PROBE_FIELDS, owners), ...inHandlers];
  });
  return [...beside, ...inside];
}

/** The unknown fields at a place in a container. Each belongs to the first owner that has it, or is misspelt. */
function unknownAt(
  home: Home,
  at: FieldPath,
  known: readonly string[],
  owners: readonly Owner[],
  isSuspect: (key: string) => boolean = () => true,
): StrayField[] {
  const value = valueAt(home.spec, at);
  return Object.entries(isJsonObject(value) ? value : {})
    .filter(([key]) => !known.includes(key) && isSuspect(key))
    .map(([key, stray]) => {
      const path = [...home.path, ...at, key];
      const owner = owners.find(({ fields }) => fields.includes(key));
      if (owner !== undefined) return moved(home, path, stray, `move it ${owner.way}`, owner.at && [...owner.at, key]);
      const meant = suggestion(key, known);
      if (meant !== undefined) return moved(home, path, stray, `did you mean "${meant}"?`, [...at, meant]);
      return moved(home, path, stray);
    });
}

/**
 * A field that belongs elsewhere in a container. There are no edits if the new place has a value, because nobody knows
 * which one counts.
 * @param to the new place in the container
 */
function moved(home: Home | undefined, path: FieldPath, value: unknown, remedy?: string, to?: FieldPath): StrayField {
  const isFree = home !== undefined && to !== undefined && valueAt(home.spec, to) === undefined;
  return {
    container: stringMember(home?.spec ?? {}, 'name') ?? '',
    path,
    message: 'unknown field, which the API server drops',
    ...(remedy !== undefined && { remedy }),
    ...(isFree && {
      edits: [
        { path, value: null },
        { path: [...home.path, ...to], value: value ?? null },
      ],
    }),
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
  const homes = homesIn(objectMember(template, 'spec') ?? {}, [...path, 'spec']);
  const byContainer = new Map<object, Home>(homes.map((home) => [home.spec, home]));
  const found: StrayField[] = [];
  // An explicit stack, because a document may be nested deeper than the call stack.
  const open: { value: object; at: FieldPlace | FieldPath; home?: Home | undefined }[] = [
    isBuiltIn ? { value: object, at: [] } : { value: template, at: path },
  ];
  // A value with several aliases is searched once.
  const seen = new Set<object>();
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, at } = place;
    if (seen.has(value)) continue;
    seen.add(value);
    const home = byContainer.get(value) ?? place.home;
    for (const [key, child] of Object.entries(value) as [string, unknown][]) {
      if (typeof child !== 'object' || child === null) continue;
      const below = new FieldPlace(at, Array.isArray(value) ? Number(key) : key);
      const isProbe = isJsonObject(child) && PROBE_KINDS.some((one) => one === key);
      if (!isProbe) open.push({ value: child, at: below, home });
      // The inside of a container's own probe is the subject of unknownProbeFields.
      else if (home?.spec !== value) found.push(misplaced(below.path(), key, child, home, [...byContainer.values()]));
    }
  }
  return found;
}

/** @param home the container that the probe is too deep in; otherwise the only container is meant */
function misplaced(
  path: FieldPath,
  kind: string,
  probe: JsonObject,
  home: Home | undefined,
  [first, ...others]: readonly Home[],
): StrayField {
  const target = home ?? (others.length === 0 ? first : undefined);
  if (target === undefined) return moved(first, path, probe, 'move it into the container that it is for');
  return moved(target, path, probe, `move it ${home === undefined ? 'into' : 'up to'} ${target.name}`, [kind]);
}
