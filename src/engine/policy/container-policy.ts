import { stringMember } from '../../base/json/json-value.ts';
import { matchesImage } from './image-pattern.ts';
import type { ProbeInteger, ProbeKind } from '../probe/probe.ts';
import { withLearnedLayer } from './slow-start.ts';
import type { LearnedSettings } from '../probe/startup-budget.ts';
import type { Container } from '../workload/containers.ts';
import type { HandlerDefault, ProbeDefault } from './probe-default.ts';
import type { PolicyLayer } from './probe-policy.ts';

export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** A value that says what to ask. A layer that is aimed at the container knows better than the author's probes. */
export interface Aimed<T> extends Sourced<T> {
  readonly isAimed: boolean;
}

export interface EffectiveDefault {
  readonly handler: Aimed<HandlerDefault> | undefined;
  readonly integers: Readonly<Partial<Record<ProbeInteger, number>>>;
  readonly removedBy: string | undefined;
}

export interface ContainerPolicy {
  /** The layers that were merged, lowest first. They answer which layer set a field, when somebody asks. */
  readonly layers: readonly PolicyLayer[];
  readonly port: Aimed<number | string> | undefined;
  readonly probes: Readonly<Record<ProbeKind, EffectiveDefault>>;
  readonly startupSeconds: Sourced<number> | undefined;
  readonly fromInitialDelaySeconds: Sourced<number> | undefined;
  /** How a budget follows from learned start times, and the highest layer that asks for one. */
  readonly learned: Sourced<LearnedSettings> | undefined;
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
  const port = layers.findLast((layer) => layer.port !== undefined);
  return {
    layers,
    port: port && aimed(port, port.port),
    probes: {
      livenessProbe: mergedProbe(layers, 'livenessProbe'),
      readinessProbe: mergedProbe(layers, 'readinessProbe'),
      startupProbe: mergedProbe(layers, 'startupProbe'),
    },
    ...mergedSlowStart(layers),
  };
}

function mergedProbe(layers: readonly PolicyLayer[], kind: ProbeKind): EffectiveDefault {
  let handler: Aimed<HandlerDefault> | undefined;
  let integers: ProbeDefault['integers'] = {};
  let removedBy: string | undefined;
  for (const layer of layers) {
    const given = layer.probes[kind];
    if (given === undefined) continue;
    const isRemoved = given.removed === true;
    handler = isRemoved ? undefined : (aimed(layer, given.handler) ?? handler);
    integers = isRemoved ? {} : { ...integers, ...given.integers };
    removedBy = isRemoved ? layer.source : undefined;
  }
  const set = Object.entries(integers).filter(([, value]) => value !== null);
  return { handler, integers: Object.fromEntries(set), removedBy };
}

type MergedSlowStart = Pick<ContainerPolicy, 'startupSeconds' | 'fromInitialDelaySeconds' | 'learned'>;

/** A layer that removes the startup probe removes the slow start of lower layers, too. */
function mergedSlowStart(layers: readonly PolicyLayer[]): MergedSlowStart {
  const none: MergedSlowStart = { startupSeconds: undefined, fromInitialDelaySeconds: undefined, learned: undefined };
  return layers.reduce((lower, { probes, slowStart, source }) => {
    if (probes.startupProbe?.removed === true) return none;
    const over = <T>(below: Sourced<T> | undefined, given: T | null | undefined): Sourced<T> | undefined =>
      given === undefined ? below : sourced(source, given);
    const learned = slowStart.learned && withLearnedLayer(lower.learned?.value, slowStart.learned);
    return {
      startupSeconds: over(lower.startupSeconds, slowStart.startupSeconds),
      fromInitialDelaySeconds: over(lower.fromInitialDelaySeconds, slowStart.fromInitialDelaySeconds),
      learned: over(lower.learned, learned),
    };
  }, none);
}

function sourced<T>(source: string, value: T | null): Sourced<T> | undefined {
  return value === null ? undefined : { value, source };
}

function aimed<T>(layer: PolicyLayer, value: T | null | undefined): Aimed<T> | undefined {
  const { source } = layer;
  return value === undefined || value === null ? undefined : { value, source, isAimed: isAimed(layer) };
}

/**
 * True for a layer that speaks about this container: it names containers or images, selects workloads, or is the
 * workload's annotations (issue 30, A). `containers: ["*"]` speaks about no container in particular.
 */
function isAimed({ kind, containers, images, workloadSelector = [] }: PolicyLayer): boolean {
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
 * True when a layer applies to a container. Only layers that name them apply to sidecars, init and mesh containers; a
 * layer with images names the sidecars that have them.
 *
 * @param isMain called only when the layer has `containers: main`
 */
export function appliesTo({ containers, images }: PolicyLayer, container: Container, isMain: () => boolean): boolean {
  if (images !== undefined && !matchesImage(images, stringMember(container.spec, 'image') ?? '')) return false;
  if (containers === 'all')
    return container.role === 'application' || (images !== undefined && container.role === 'sidecar');
  return containers === 'main' ? isMain() : containers.includes(container.name);
}
