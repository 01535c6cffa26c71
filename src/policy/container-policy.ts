import { PROBE_KINDS } from '../probes/probe.ts';
import type { ProbeInteger, ProbeKind } from '../probes/probe.ts';
import type { HandlerDefault } from './probe-default.ts';
import type { PolicyLayer } from './probe-policy.ts';

/** A value and the layer that it comes from. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** What all layers together say about one probe of one container. */
export interface EffectiveDefault {
  readonly handler?: Sourced<HandlerDefault>;
  readonly integers: Readonly<Partial<Record<ProbeInteger, number>>>;
  /** The layer whose null forbids this probe here. */
  readonly removedBy?: string;
}

/** What all layers together say about one container. */
export interface ContainerPolicy {
  readonly port?: Sourced<number | string>;
  readonly probes: Readonly<Record<ProbeKind, EffectiveDefault>>;
  readonly startupSeconds?: Sourced<number>;
  readonly fromInitialDelaySeconds?: Sourced<number>;
}

interface Draft {
  handler?: Sourced<HandlerDefault>;
  integers: Partial<Record<ProbeInteger, number>>;
  removedBy?: string;
}

interface PolicyDraft {
  port?: Sourced<number | string>;
  probes: Record<ProbeKind, Draft>;
  startupSeconds?: Sourced<number>;
  fromInitialDelaySeconds?: Sourced<number>;
}

/**
 * Folds the layers that speak for a container, lowest first, into one policy. Truth table for a probe, lower then higher layer:
 *
 * | lower    | higher            | result                                             |
 * |----------|-------------------|----------------------------------------------------|
 * | handler  | no handler        | the lower handler                                  |
 * | handler  | handler           | the higher handler, whole: nothing of the lower is kept |
 * | integers | integers          | field by field, the higher wins                    |
 * | anything | null              | removed: no default, and for startup no slow start of a lower layer |
 * | null     | handler, integers | what the higher layer says                         |
 */
export function mergeLayers(layers: Iterable<PolicyLayer>): ContainerPolicy {
  const merged: PolicyDraft = {
    probes: { livenessProbe: { integers: {} }, readinessProbe: { integers: {} }, startupProbe: { integers: {} } },
  };
  for (const layer of layers) addLayer(merged, layer);
  return merged;
}

function addLayer(merged: PolicyDraft, layer: PolicyLayer): void {
  const { source } = layer;
  if (layer.port === null) delete merged.port;
  else if (layer.port !== undefined) merged.port = { value: layer.port, source };
  for (const field of ['startupSeconds', 'fromInitialDelaySeconds'] as const) {
    const value = layer.slowStart[field];
    if (value === null) delete merged[field];
    else if (value !== undefined) merged[field] = { value, source };
  }
  for (const kind of PROBE_KINDS) addProbe(merged, layer, kind);
}

function addProbe(merged: PolicyDraft, layer: PolicyLayer, kind: ProbeKind): void {
  const given = layer.probes[kind];
  if (given === undefined) return;
  if (given.removed) {
    merged.probes[kind] = { integers: {}, removedBy: layer.source };
    if (kind === 'startupProbe') {
      delete merged.startupSeconds;
      delete merged.fromInitialDelaySeconds;
    }
    return;
  }
  const draft = merged.probes[kind];
  delete draft.removedBy;
  if (given.handler !== undefined) draft.handler = { value: given.handler, source: layer.source };
  for (const [field, value] of Object.entries(given.integers) as [ProbeInteger, number | null][]) {
    if (value === null) Reflect.deleteProperty(draft.integers, field);
    else draft.integers[field] = value;
  }
}
