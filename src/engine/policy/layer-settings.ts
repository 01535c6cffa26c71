import { ANNOTATION_SOURCE, endpointAnnotation, STARTUP_SECONDS_ANNOTATION } from './annotations.ts';
import { member } from '../../base/json/json-value.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import { PROBE_INTEGERS, type ProbeKind } from '../probe/probe.ts';
import type { ProbeDefault } from './probe-default.ts';
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
