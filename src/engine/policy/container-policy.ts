import { stringMember } from '../../base/json/json-value.ts';
import { matchesImage } from './image-pattern.ts';
import { PROBE_INTEGERS, type ProbeInteger, type ProbeKind } from '../probe/probe.ts';
import { effective, handlerSettings, integerSettings, portSettings, slowStartSettings } from './layer-settings.ts';
import type { Setting } from './layer-settings.ts';
import { withLearnedLayer } from './slow-start.ts';
import type { LearnedSettings } from '../probe/startup-budget.ts';
import type { Container } from '../workload/containers.ts';
import type { HandlerDefault } from './probe-default.ts';
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
  return {
    layers,
    port: aimed(effective(portSettings(layers))),
    probes: {
      livenessProbe: mergedProbe(layers, 'livenessProbe'),
      readinessProbe: mergedProbe(layers, 'readinessProbe'),
      startupProbe: mergedProbe(layers, 'startupProbe'),
    },
    startupSeconds: sourced(effective(slowStartSettings(layers, 'startupSeconds'))),
    fromInitialDelaySeconds: sourced(effective(slowStartSettings(layers, 'fromInitialDelaySeconds'))),
    learned: mergedLearned(layers),
  };
}

function mergedProbe(layers: readonly PolicyLayer[], kind: ProbeKind): EffectiveDefault {
  const highest = layers.findLast(({ probes }) => probes[kind] !== undefined);
  const integers: Partial<Record<ProbeInteger, number>> = {};
  for (const field of PROBE_INTEGERS) {
    const value = effective(integerSettings(layers, kind, field))?.value;
    if (value !== undefined) integers[field] = value;
  }
  return {
    handler: aimed(effective(handlerSettings(layers, kind))),
    integers,
    removedBy: highest?.probes[kind]?.removed === true ? highest.source : undefined,
  };
}

function mergedLearned(layers: readonly PolicyLayer[]): Sourced<LearnedSettings> | undefined {
  let merged: Sourced<LearnedSettings> | undefined;
  for (const { layer, value } of slowStartSettings(layers, 'learned'))
    merged = value && { value: withLearnedLayer(merged?.value, value), source: layer.source };
  return merged;
}

function sourced<T>(setting: Setting<T> | undefined): Sourced<T> | undefined {
  return setting?.value === undefined ? undefined : { value: setting.value, source: setting.layer.source };
}

function aimed<T>(setting: Setting<T> | undefined): Aimed<T> | undefined {
  const found = sourced(setting);
  return setting && found && { ...found, isAimed: isAimed(setting.layer) };
}

/**
 * True for a layer that speaks about this container: it names containers or images, selects workloads, or is the
 * workload's annotations (issue 30, A). `containers: ["*"]` speaks about no container in particular.
 */
function isAimed({ kind, containers, images, workloadSelector = [] }: PolicyLayer): boolean {
  return kind === undefined || images !== undefined || typeof containers !== 'string' || workloadSelector.length > 0;
}

/** Finds the layers that apply to a container, and merges them. */
export class ContainerLayers {
  /** The layers that ask for probes, lowest first. A policy that only sets checks is none of them. */
  readonly layers: readonly PolicyLayer[];
  readonly #merge: (layers: readonly PolicyLayer[]) => ContainerPolicy;

  /** @param merge does the same as mergeLayers, and may remember the answers */
  constructor(layers: readonly PolicyLayer[], merge = mergeLayers) {
    this.layers = layers.filter(asksForProbes);
    this.#merge = merge;
  }

  with(layer: PolicyLayer | undefined): ContainerLayers {
    return layer === undefined ? this : new ContainerLayers([...this.layers, layer]);
  }

  /**
   * The merged policy of the layers that apply to a container; undefined when no layer does. Only layers that name them
   * apply to sidecars, init and mesh containers; a layer with images names the sidecars that have them.
   *
   * @param isMain called only when a layer has `containers: main`
   */
  policyFor(container: Container, isMain: (container: Container) => boolean): ContainerPolicy | undefined {
    const speaking = this.layers.filter(({ containers, images }) => {
      if (images !== undefined && !matchesImage(images, stringMember(container.spec, 'image') ?? '')) return false;
      if (containers === 'all')
        return container.role === 'application' || (images !== undefined && container.role === 'sidecar');
      return containers === 'main' ? isMain(container) : containers.includes(container.name);
    });
    return speaking.length === 0 ? undefined : this.#merge(speaking);
  }
}

function asksForProbes({ probes, slowStart, port }: PolicyLayer): boolean {
  return port !== undefined || Object.keys(probes).length > 0 || Object.keys(slowStart).length > 0;
}
