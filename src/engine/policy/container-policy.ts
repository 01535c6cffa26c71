import { member } from '../../base/json/json-value.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import { PROBE_INTEGERS, type ProbeInteger, type ProbeKind } from '../probe/probe.ts';
import { DEFAULT_LEARNED, type LearnedSettings } from '../time/learned-start.ts';
import { ANNOTATION_SOURCE, endpointAnnotation, STARTUP_SECONDS_ANNOTATION } from './annotations.ts';
import { imagePath, matchesPath } from './image-pattern.ts';
import type { Container } from '../workload/pod.ts';
import type { HandlerDefault, PolicyLayer, ProbeDefault, SlowStart } from './probe-policy.ts';

/** A value, and the layer that gives it. */
export interface Given<T> {
  readonly layer: PolicyLayer;
  readonly value: T;
}

/** What a layer says of a value: undefined when the layer removes the probe, or resets the field with null. */
export interface Setting<T = unknown> extends Given<T | undefined> {
  /** Where the layer says so: a path in the policy's document, or in the Pod template for annotations. */
  readonly path: FieldPath;
}

interface MergedProbe {
  readonly handler: Given<HandlerDefault> | undefined;
  readonly integers: Readonly<Partial<Record<ProbeInteger, number>>>;
  readonly removedBy: string | undefined;
}

export interface ContainerPolicy {
  /** The layers that were merged, lowest first. They answer which layer set a field, when somebody asks. */
  readonly layers: readonly PolicyLayer[];
  readonly port: Given<number | string> | undefined;
  readonly probes: Readonly<Record<ProbeKind, MergedProbe>>;
  readonly startupSeconds: Given<number> | undefined;
  readonly fromInitialDelaySeconds: Given<number> | undefined;
  /** How a budget follows from learned start times, and the highest layer that asks for one. */
  readonly learned: Given<LearnedSettings> | undefined;
}

/**
 * Merges the layers that apply to a container, lowest first, into one policy. Truth table for a probe, lower then
 * higher layer:
 *
 * | lower    | higher            | result                                             |
 * |----------|-------------------|----------------------------------------------------|
 * | handler  | no handler        | the lower handler                                  |
 * | handler  | handler           | the higher handler; nothing of the lower handler stays |
 * | integers | integers          | field by field, the higher wins                    |
 * | anything | null              | removed: no default, and for startup no slow start of a lower layer |
 * | null     | handler, integers | the handler and integers of the higher layer       |
 */
export function mergeLayers(layers: readonly PolicyLayer[]): ContainerPolicy {
  const learned = slowStartSettings(layers, 'learned');
  const sinceRemoval = learned.slice(learned.findLastIndex(({ value }) => value === undefined) + 1);
  const asking = effective(learned);
  return {
    layers,
    port: effective(portSettings(layers)),
    probes: {
      livenessProbe: mergedProbe(layers, 'livenessProbe'),
      readinessProbe: mergedProbe(layers, 'readinessProbe'),
      startupProbe: mergedProbe(layers, 'startupProbe'),
    },
    startupSeconds: effective(slowStartSettings(layers, 'startupSeconds')),
    fromInitialDelaySeconds: effective(slowStartSettings(layers, 'fromInitialDelaySeconds')),
    // The numbers of higher layers win one by one.
    learned: asking && {
      ...asking,
      value: sinceRemoval.reduce((all, { value }) => ({ ...all, ...value }), DEFAULT_LEARNED),
    },
  };
}

function mergedProbe(layers: readonly PolicyLayer[], kind: ProbeKind): MergedProbe {
  let handler: Given<HandlerDefault> | undefined;
  let integers: ProbeDefault['integers'] = {};
  let removedBy: string | undefined;
  for (const layer of layers) {
    const given = layer.probes[kind];
    if (given === undefined) continue;
    const isRemoved = given.removed === true;
    if (isRemoved || given.handler !== undefined) handler = given.handler && { layer, value: given.handler };
    integers = isRemoved ? {} : { ...integers, ...given.integers };
    removedBy = isRemoved ? layer.source : undefined;
  }
  const set = Object.entries(integers).filter(([, value]) => value !== null);
  return { handler, integers: Object.fromEntries(set), removedBy };
}

/** The setting that counts: the highest one, unless that one removes the value. */
export function effective<T>(settings: readonly Setting<T>[]): (Setting<T> & Given<T>) | undefined {
  const last = settings.at(-1);
  return last?.value === undefined ? undefined : (last as Setting<T> & Given<T>);
}

/** @param read what a layer says, with its path; undefined when it says nothing, null when it removes the value */
function settingsOf<T>(
  layers: readonly PolicyLayer[],
  read: (layer: PolicyLayer) => readonly [value: T, path: FieldPath] | undefined,
): Setting<NonNullable<T>>[] {
  return layers.flatMap((layer) => {
    const [value, path = []] = read(layer) ?? [];
    return value === undefined ? [] : [{ layer, value: value ?? undefined, path }];
  });
}

/**
 * The layers' values for a field of a probe; with an empty path for its handler, as `{ httpGet: { path: '/live' } }`.
 * The handler of a layer replaces the lower one whole: a layer with another handler has that handler as its value.
 */
export function probeSettings(layers: readonly PolicyLayer[], kind: ProbeKind, field: FieldPath): Setting[] {
  const [step, part] = field;
  const integer = PROBE_INTEGERS.find((one) => one === step);
  return settingsOf<unknown>(layers, ({ probes, source }) => {
    const given = probes[kind];
    if (given?.removed === true) return [null, handlerPath(kind, given)];
    if (integer !== undefined) return [given?.integers[integer], ['spec', 'probes', kind, integer]];
    const handler = given?.handler;
    if (handler === undefined) return undefined;
    const isPart = handler.kind === step && part !== undefined;
    const path =
      source === ANNOTATION_SOURCE
        ? ['metadata', 'annotations', endpointAnnotation(kind)]
        : handlerPath(kind, given, isPart ? [part] : []);
    // A field that the handler lacks has no value.
    if (isPart) return [member(handler.fields, String(part)) ?? null, path];
    return [handler.kind === step ? handler.fields : { [handler.kind]: handler.fields }, path];
  });
}

/** Where a policy writes a handler, or the part of the handler; also a null in its place. */
export function handlerPath(kind: ProbeKind, given: Partial<ProbeDefault> = {}, part: FieldPath = []): FieldPath {
  const { handler, short } = given;
  const isShort = short === 'handler' || (short === 'path' && part[0] === 'path');
  if (isShort) return ['spec', 'kubernetesProbeEndpoints', kind];
  return ['spec', 'probes', kind, ...(handler === undefined ? [] : [handler.kind, ...part])];
}

export function portSettings(layers: readonly PolicyLayer[]): Setting<number | string>[] {
  return settingsOf(layers, ({ port }) => [port, ['spec', 'port']]);
}

/** The layers' values for a field of `slowStart`. A layer that removes the startup probe removes lower values, too. */
export function slowStartSettings<Field extends keyof SlowStart>(
  layers: readonly PolicyLayer[],
  field: Field,
): Setting<NonNullable<SlowStart[Field]>>[] {
  return settingsOf(layers, ({ probes, slowStart, source }) => [
    probes.startupProbe?.removed === true ? null : slowStart[field],
    source === ANNOTATION_SOURCE
      ? ['metadata', 'annotations', STARTUP_SECONDS_ANNOTATION]
      : ['spec', 'slowStart', field],
  ]);
}

/**
 * True for a layer that speaks about this container: it names containers or images, selects workloads, or is the
 * workload's annotations (issue 30, A). `containers: ["*"]` speaks about no container in particular.
 */
export function isAimed({ kind, containers, images, workloadSelector = [] }: PolicyLayer): boolean {
  return kind === undefined || images !== undefined || typeof containers !== 'string' || workloadSelector.length > 0;
}

/** The layers that ask for probes. A policy that only sets checks is none of them. */
export function layersWithProbes<Layer extends PolicyLayer>(layers: readonly Layer[]): readonly Layer[] {
  return layers.filter(
    ({ probes, slowStart, port }) =>
      port !== undefined || Object.keys(probes).length > 0 || Object.keys(slowStart).length > 0,
  );
}

/**
 * Tells which of these layers apply to a container. Only layers that name them apply to sidecars, init and mesh
 * containers; a layer with images names the sidecars that have them. Patterns are prepared once for a Pod.
 */
export function applyingTo<Layer extends PolicyLayer>(
  layers: readonly Layer[],
): (container: Container, isMain: boolean) => readonly Layer[] {
  const prepared = layers.map((layer) => [layer, layer.images?.map((pattern) => pattern.split('/'))] as const);
  const hasImages = layers.some(({ images }) => images !== undefined);
  return ({ name, role, image }, isMain) => {
    const path = hasImages ? imagePath(image).split('/') : [];
    const isNamed = ({ containers, images }: Layer): boolean => {
      if (containers === 'all') return role === 'application' || (images !== undefined && role === 'sidecar');
      return containers === 'main' ? isMain : containers.includes(name);
    };
    return prepared
      .filter(([layer, images]) => isNamed(layer) && (images === undefined || matchesPath(images, path)))
      .map(([layer]) => layer);
  };
}

/** Computes once for each list of layers: many containers and templates of an object have the same layers. */
export function oncePerLayers<Layer, Merged>(
  merge: (layers: readonly Layer[]) => Merged,
): (layers: readonly Layer[]) => Merged {
  const known: (readonly [readonly Layer[], Merged])[] = [];
  return (layers) => {
    let found = known.find(([each]) => each.length === layers.length && each.every((one, at) => one === layers[at]));
    if (found === undefined) known.push((found = [layers, merge(layers)]));
    return found[1];
  };
}
