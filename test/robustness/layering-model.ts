/**
 * What docs/policies.md and section 2 of the design say about layers, as slowly and plainly as it can be said: documents as they are written, and for
 * each single value a walk from the highest layer down to the first that speaks. Written from those pages and not from src/engine/policy; nothing of
 * src is imported.
 */

type Json = Record<string, unknown>;

/** A world: documents tier by tier (files, then the cluster's own), and the labels of namespaces. */
export interface World {
  readonly tiers: readonly (readonly Json[])[];
  readonly namespaceLabels: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Where a value comes from, and the value. */
export interface Said {
  readonly value: unknown;
  readonly source: string;
}

export interface ModelledProbe {
  /** The handler's kind and its fields. */
  readonly handler:
    { readonly kind: string; readonly fields: Json; readonly source: string; readonly isAimed: boolean } | undefined;
  readonly integers: Json;
  readonly removedBy: string | undefined;
}

export const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const INTEGERS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
  'terminationGracePeriodSeconds',
];
const HANDLERS = ['httpGet', 'tcpSocket', 'grpc', 'exec'];
const ACTIONS = ['Off', 'Audit', 'Warn', 'Deny'];

const get = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Json)[key] : undefined;
const at = (value: unknown, ...path: string[]): unknown => path.reduce(get, value);

export function sourceOf(document: Json): string {
  const namespace = at(document, 'metadata', 'namespace');
  const parts = [document['kind'], ...(namespace === undefined ? [] : [namespace]), at(document, 'metadata', 'name')];
  return parts.join('/');
}

/** A Kubernetes label selector; absent selects everything. */
export function isSelected(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (selector === undefined || selector === null) return true;
  for (const [key, value] of Object.entries((get(selector, 'matchLabels') ?? {}) as Json))
    if (labels[key] !== value) return false;
  for (const expression of (get(selector, 'matchExpressions') ?? []) as Json[]) {
    const own = labels[String(expression['key'])];
    const values = (expression['values'] ?? []) as string[];
    if (expression['operator'] === 'In' && !(own !== undefined && values.includes(own))) return false;
    if (expression['operator'] === 'NotIn' && own !== undefined && values.includes(own)) return false;
    if (expression['operator'] === 'Exists' && own === undefined) return false;
    if (expression['operator'] === 'DoesNotExist' && own !== undefined) return false;
  }
  return true;
}

/** The documents that count for a workload, lowest layer first. */
export function layersFor(world: World, namespace: string, podLabels: Readonly<Record<string, string>>): Json[] {
  const layers: Json[] = [];
  for (const tier of world.tiers) {
    const cluster = tier.filter((document) => document['kind'] === 'ClusterProbePolicy');
    const labels = { ...world.namespaceLabels[namespace], 'kubernetes.io/metadata.name': namespace };
    const selected = cluster.filter((document) => isSelected(at(document, 'spec', 'namespaceSelector'), labels));
    const priorities = [...new Set(selected.map(priorityOf))].sort((a, b) => a - b);
    for (const priority of priorities)
      layers.push(...byName(selected.filter((document) => priorityOf(document) === priority)));
    const own = tier.filter(
      (document) => document['kind'] === 'ProbePolicy' && at(document, 'metadata', 'namespace') === namespace,
    );
    const hasSelector = (document: Json): boolean => (at(document, 'spec', 'workloadSelector') ?? null) !== null;
    layers.push(...byName(own.filter((document) => !hasSelector(document))), ...byName(own.filter(hasSelector)));
  }
  return layers.filter((document) => isSelected(at(document, 'spec', 'workloadSelector'), podLabels));
}

const priorityOf = (document: Json): number => (at(document, 'spec', 'priority') ?? 0) as number;

function byName(documents: readonly Json[]): Json[] {
  const rest = [...documents];
  const sorted: Json[] = [];
  while (rest.length > 0) {
    const names = rest.map((document) => String(at(document, 'metadata', 'name')));
    let first = 0;
    names.forEach((name, index) => {
      if (name < (names[first] ?? '')) first = index;
    });
    sorted.push(...rest.splice(first, 1));
  }
  return sorted;
}

/** Whether workloads may override by annotation: the highest layer that says decides. */
export function mayAnnotate(layers: readonly Json[]): 'Allow' | 'Ignore' {
  for (const layer of layers.toReversed()) {
    const said = at(layer, 'spec', 'annotations');
    if (said === 'Allow' || said === 'Ignore') return said;
  }
  return 'Allow';
}

/** Of the highest layer that says anything, null included, the value; nothing when that is null. */
function highest(layers: readonly Json[], ...path: string[]): Said | undefined {
  for (const layer of layers.toReversed()) {
    const value = at(layer, 'spec', ...path);
    if (value === undefined) continue;
    return value === null ? undefined : { value, source: sourceOf(layer) };
  }
  return undefined;
}

export function modelledPort(layers: readonly Json[]): (Said & { readonly isAimed: boolean }) | undefined {
  const said = highest(layers, 'port');
  const giver = layers.findLast((layer) => at(layer, 'spec', 'port') !== undefined);
  return said && giver && { ...said, isAimed: isAimed(giver) };
}

/** True for a layer that names containers, or that selects some workloads. */
function isAimed(layer: Json): boolean {
  const names = at(layer, 'spec', 'containers') as readonly string[] | undefined;
  const { matchLabels = {}, matchExpressions = [] } = (at(layer, 'spec', 'workloadSelector') ?? {}) as {
    matchLabels?: object;
    matchExpressions?: readonly object[];
  };
  const isSelecting = Object.keys(matchLabels).length > 0 || matchExpressions.length > 0;
  return (names !== undefined && names[0] !== '*') || isSelecting;
}

/** `startupSeconds` or `fromInitialDelaySeconds`: what lies below a removed startup probe does not count. */
export function modelledSlowStart(layers: readonly Json[], field: string): Said | undefined {
  const removal = layers.findLastIndex((layer) => removes(layer, 'startupProbe'));
  // The removing layer itself takes only what is below it: what it says beside counts for nothing either.
  return highest(layers.slice(removal + 1), 'slowStart', field);
}

/** null, or `disabled: true`. */
function removes(layer: Json, probe: string): boolean {
  const said = at(layer, 'spec', 'probes', probe);
  return (
    said === null || get(said, 'disabled') === true || at(layer, 'spec', 'kubernetesProbeEndpoints', probe) === null
  );
}

/** A layer's own handler for a probe, whole. */
function handlerOf(layer: Json, probe: string): { kind: string; fields: Json } | undefined {
  const said = at(layer, 'spec', 'probes', probe);
  const path = at(layer, 'spec', 'kubernetesProbeEndpoints', probe);
  for (const kind of HANDLERS) {
    const fields = get(said, kind);
    if (fields === undefined || fields === null) continue;
    return {
      kind,
      fields: kind === 'httpGet' && path !== undefined ? { ...(fields as Json), path } : (fields as Json),
    };
  }
  return path === undefined ? undefined : { kind: 'httpGet', fields: { path } };
}

const describes = (layer: Json, probe: string): boolean =>
  at(layer, 'spec', 'probes', probe) !== undefined ||
  at(layer, 'spec', 'kubernetesProbeEndpoints', probe) !== undefined;

/** What all layers say of a probe: nothing below the highest removal counts, and a removal counts until a higher layer describes the probe. */
export function modelledProbe(layers: readonly Json[], probe: string): ModelledProbe {
  const removal = layers.findLastIndex((layer) => removes(layer, probe));
  const above = layers.slice(removal + 1).filter((layer) => describes(layer, probe));
  const remover = layers[removal];
  if (above.length === 0)
    return { handler: undefined, integers: {}, removedBy: remover === undefined ? undefined : sourceOf(remover) };
  const integers: Json = {};
  for (const field of INTEGERS) {
    const said = highest(above, 'probes', probe, field);
    if (said !== undefined) integers[field] = said.value;
  }
  const giver = above.findLast((layer) => handlerOf(layer, probe) !== undefined);
  const handler = giver && handlerOf(giver, probe);
  return {
    handler: handler && { ...handler, source: sourceOf(giver), isAimed: isAimed(giver) },
    integers,
    removedBy: undefined,
  };
}

/** A check's action and parameters, and what a floor binds; `builtIn` is its action when no policy speaks. */
export function modelledCheck(
  layers: readonly Json[],
  id: string,
  builtIn: string,
): { action: string; parameters: Json; floor: (Json & { readonly parameters: Json }) | undefined } {
  const actionOf = (field: string): string | undefined => {
    const said = highest(layers, 'checks', id, field)?.value;
    return said === false ? 'Off' : (said as string | undefined);
  };
  const action = actionOf('action') ?? builtIn;
  const floor = actionOf('floor') ?? 'Off';
  const parametersOf = (some: readonly Json[]): Json => {
    const parameters: Json = {};
    for (const layer of some)
      for (const [name, value] of Object.entries((at(layer, 'spec', 'checks', id) ?? {}) as Json))
        if (name !== 'action' && name !== 'floor') parameters[name] = value;
    return parameters;
  };
  const isTooLax = ACTIONS.indexOf(action) < ACTIONS.indexOf(floor);
  const last = layers.findLastIndex((layer) => at(layer, 'spec', 'checks', id, 'floor') !== undefined);
  const setter = layers[last];
  return {
    action: isTooLax ? floor : action,
    parameters: parametersOf(layers),
    floor: setter && { action: floor, source: sourceOf(setter), parameters: parametersOf(layers.slice(0, last + 1)) },
  };
}
