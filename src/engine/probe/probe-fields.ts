import { HANDLER_TYPES, HTTP_HEADER_TYPE, PROBE_TYPE } from './api-schema.ts';
import { HANDLER_KINDS } from './probe.ts';
import type { HandlerKind } from './probe.ts';

/** The fields of a core/v1 Probe. */
export const PROBE_FIELDS: readonly string[] = [...PROBE_TYPE.fields.keys()];

/** The fields of each handler of a probe. */
export const HANDLER_FIELDS: ReadonlyMap<HandlerKind, readonly string[]> = new Map(
  HANDLER_KINDS.map((kind) => [kind, [...HANDLER_TYPES[kind].fields.keys()]]),
);

/** The fields of a header of an httpGet handler. */
export const HEADER_FIELDS: readonly string[] = [...HTTP_HEADER_TYPE.fields.keys()];
