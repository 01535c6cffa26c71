import { PROBE_INTEGERS, PROBE_KINDS } from '../probe/probe.ts';
import { withLearnedLayer } from './slow-start.ts';
import type { LearnedSettings } from '../probe/learned-budget.ts';
import type { ProbeInteger, ProbeKind } from '../probe/probe.ts';
import type { HandlerDefault } from './probe-default.ts';
import type { PolicyLayer } from './probe-policy.ts';

/** A value and the layer that it comes from. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** A value that says what to ask. A layer that is aimed at the container knows better than the author's probes. */
export interface Aimed<T> extends Sourced<T> {
  readonly isAimed: boolean;
}

/** The merged policy for one probe of one container. */
export interface EffectiveDefault {
  readonly handler: Aimed<HandlerDefault> | undefined;
  readonly integers: Readonly<Partial<Record<ProbeInteger, number | undefined>>>;
  /** The layer whose null removes this probe. */
  readonly removedBy: string | undefined;
}

/** The merged policy for one container. */
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

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Draft = Omit<Writable<ContainerPolicy>, 'probes'> & { probes: Record<ProbeKind, EffectiveDefault> };

const UNSAID: EffectiveDefault = { handler: undefined, integers: {}, removedBy: undefined };

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
  const merged: Draft = {
    layers,
    port: undefined,
    probes: { livenessProbe: UNSAID, readinessProbe: UNSAID, startupProbe: UNSAID },
    startupSeconds: undefined,
    fromInitialDelaySeconds: undefined,
    learned: undefined,
  };
  for (const layer of layers) {
    if (layer.port !== undefined)
      merged.port =
        layer.port === null ? undefined : { value: layer.port, source: layer.source, isAimed: isAimed(layer) };
    merged.startupSeconds = override(merged.startupSeconds, layer.slowStart.startupSeconds, layer.source);
    merged.fromInitialDelaySeconds = override(
      merged.fromInitialDelaySeconds,
      layer.slowStart.fromInitialDelaySeconds,
      layer.source,
    );
    const { learned } = layer.slowStart;
    if (learned === null) merged.learned = undefined;
    else if (learned !== undefined)
      merged.learned = { value: withLearnedLayer(merged.learned?.value, learned), source: layer.source };
    for (const kind of PROBE_KINDS) addProbe(merged, layer, kind);
  }
  return merged;
}

/** The higher layer's value. Null removes the lower layer's value. */
function override<T>(
  lower: Sourced<T> | undefined,
  higher: T | null | undefined,
  source: string,
): Sourced<T> | undefined {
  if (higher === undefined) return lower;
  return higher === null ? undefined : { value: higher, source };
}

/**
 * True for a layer that speaks about this container: it names containers or selects workloads, or is the workload's
 * annotations (issue 30, A). `containers: ["*"]` speaks about no container in particular.
 */
function isAimed({ kind, containers, workloadSelector = [] }: PolicyLayer): boolean {
  return kind === undefined || typeof containers !== 'string' || workloadSelector.length > 0;
}

function addProbe(merged: Draft, layer: PolicyLayer, kind: ProbeKind): void {
  const { probes, source } = layer;
  const given = probes[kind];
  if (given === undefined) return;
  if (given.removed) {
    merged.probes[kind] = { ...UNSAID, removedBy: source };
    if (kind === 'startupProbe') {
      merged.startupSeconds = merged.fromInitialDelaySeconds = undefined;
      merged.learned = undefined;
    }
    return;
  }
  const lower = merged.probes[kind];
  const integers: Partial<Record<ProbeInteger, number | undefined>> = { ...lower.integers };
  for (const field of PROBE_INTEGERS)
    if (given.integers[field] !== undefined) integers[field] = given.integers[field] ?? undefined;
  const handler =
    given.handler === undefined ? lower.handler : { value: given.handler, source, isAimed: isAimed(layer) };
  merged.probes[kind] = { handler, integers, removedBy: undefined };
}
