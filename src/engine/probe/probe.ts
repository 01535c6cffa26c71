import { isJsonObject, member, type JsonObject } from '../../base/json/json-value.ts';

/** The three probes of a container, in the order in which the API server validates and reports them. */
export const PROBE_KINDS = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
export type ProbeKind = (typeof PROBE_KINDS)[number];

/** The four handlers, in the order in which the API server looks at them (validation.go, validateHandler). */
export const HANDLER_KINDS = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;
export type HandlerKind = (typeof HANDLER_KINDS)[number];

/** The six integers of a probe, in the order of core/v1 Probe. */
export const PROBE_INTEGERS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
  'terminationGracePeriodSeconds',
] as const;
export type ProbeInteger = (typeof PROBE_INTEGERS)[number];

/** A probe as written into a container: core/v1 Probe with exactly one handler, and integers only where given. */
export type ProbeJson = JsonObject;

/** The fields of a handler whose values have the types of core/v1: a policy's, or those of a probe that can work. */
export interface HandlerFields extends JsonObject {
  readonly path?: string;
  readonly port?: number | string;
  readonly host?: string;
  readonly scheme?: string;
  readonly httpHeaders?: readonly unknown[];
}

/** The kinds of handler that a probe names. A valid probe names exactly one. */
export function handlerKindsOf(probe: JsonObject): HandlerKind[] {
  return HANDLER_KINDS.filter((kind) => isJsonObject(member(probe, kind)));
}
