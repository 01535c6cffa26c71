import { ANNOTATION_SOURCE, endpointAnnotation, STARTUP_SECONDS_ANNOTATION } from './annotations.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { ProbeInteger, ProbeKind } from '../probe/probe.ts';
import type { HandlerDefault } from './probe-default.ts';
import type { PolicyLayer } from './probe-policy.ts';
import type { SlowStart } from './slow-start.ts';

export interface Setting<T = unknown> {
  readonly layer: PolicyLayer;
  /** The value; undefined when the layer removes the probe, or resets the field with null. */
  readonly value: T | undefined;
  /** Where the layer says so: a path in the policy's document, or in the Pod template for annotations. */
  readonly path: FieldPath;
}

/** The setting that counts: the highest one, unless that one removes the value. */
export function effective<T>(settings: readonly Setting<T>[]): Setting<T> | undefined {
  const last = settings.at(-1);
  return last?.value === undefined ? undefined : last;
}

export function integerSettings(
  layers: readonly PolicyLayer[],
  kind: ProbeKind,
  integer: ProbeInteger,
): Setting<number>[] {
  const path = ['spec', 'probes', kind];
  return layers.flatMap((layer): Setting<number>[] => {
    const given = layer.probes[kind];
    if (given?.removed === true) return [{ layer, value: undefined, path }];
    const value = given?.integers[integer];
    return value === undefined ? [] : [{ layer, value: value ?? undefined, path: [...path, integer] }];
  });
}

/** The layers' handlers for a probe. The handler of a layer replaces the lower one whole. */
export function handlerSettings(layers: readonly PolicyLayer[], kind: ProbeKind): Setting<HandlerDefault>[] {
  const path = ['spec', 'probes', kind];
  return layers.flatMap((layer): Setting<HandlerDefault>[] => {
    const given = layer.probes[kind];
    if (given?.removed === true) return [{ layer, value: undefined, path }];
    const { handler: value } = given ?? {};
    if (value === undefined) return [];
    return layer.source === ANNOTATION_SOURCE
      ? [{ layer, value, path: ['metadata', 'annotations', endpointAnnotation(kind)] }]
      : [{ layer, value, path: [...path, value.kind] }];
  });
}

export function portSettings(layers: readonly PolicyLayer[]): Setting<number | string>[] {
  return layers.flatMap((layer) =>
    layer.port === undefined ? [] : [{ layer, value: layer.port ?? undefined, path: ['spec', 'port'] }],
  );
}

/** The layers' values for a field of `slowStart`. A layer that removes the startup probe removes lower values, too. */
export function slowStartSettings<Field extends keyof SlowStart>(
  layers: readonly PolicyLayer[],
  field: Field,
): Setting<NonNullable<SlowStart[Field]>>[] {
  return layers.flatMap((layer) => {
    const isRemoved = layer.probes.startupProbe?.removed === true;
    const value = isRemoved ? null : layer.slowStart[field];
    const path =
      layer.source === ANNOTATION_SOURCE
        ? ['metadata', 'annotations', STARTUP_SECONDS_ANNOTATION]
        : ['spec', 'slowStart', field];
    return value === undefined ? [] : [{ layer, value: value ?? undefined, path }];
  });
}
