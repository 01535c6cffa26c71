import { misplacedProbes } from '../../engine/checks/lib/misplaced-probes.ts';
import { unknownProbeFields } from '../../engine/checks/lib/unknown-fields.ts';
import { isJsonObject, member, objectMember } from '../../base/json/json-value.ts';
import { PROBE_TYPE } from '../../engine/probe/api-schema.ts';
import { PROBE_KINDS } from '../../engine/probe/probe.ts';
import { podTemplatesOf } from '../../engine/workload/kinds.ts';
import { bare, declaredPart, scalar } from './bare.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';

/**
 * Adds misspelt and misplaced fields of probes to the part of a workload, because check reports them. Their values are
 * kept only where they are numbers or probes. A manifest has such fields; an object of a cluster rarely does.
 */
export function placeStrayFields(part: Record<string, unknown>, object: JsonObject, kind: WorkloadKind): void {
  for (const placed of podTemplatesOf(object, kind)) {
    const podSpec = objectMember(placed.template, 'spec') ?? {};
    const strays = [...unknownProbeFields(podSpec, [...placed.path, 'spec']), ...misplacedProbes(object, kind, placed)];
    for (const { path } of strays) place(part, object, path);
  }
}

/** Copies the value at the path, with empty parts on the way. A list whose elements have moved gets no value. */
function place(part: Record<string, unknown>, object: JsonObject, path: FieldPath): void {
  let target: unknown = part;
  let source: unknown = object;
  for (const [at, step] of path.entries()) {
    const below = memberAt(source, step);
    if (!isContainer(target) || (Array.isArray(source) && (target as unknown[]).length !== source.length)) return;
    const own = target as Record<string | number, unknown>;
    if (at === path.length - 1) define(own, step, strayValue(path, below));
    else if (!isContainer(memberAt(target, step))) define(own, step, emptyContainer(below));
    target = memberAt(target, step);
    source = below;
  }
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function memberAt(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return (value as unknown[])[Number(step)];
  return isJsonObject(value) ? member(value, String(step)) : undefined;
}

/** A key such as __proto__ becomes an own member. */
function define(owner: Record<string | number, unknown>, step: string | number, value: unknown): void {
  Object.defineProperty(owner, step, { value, enumerable: true, configurable: true, writable: true });
}

function emptyContainer(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[]).map(bare) : {};
}

/** Fields of a container that a wrong indentation puts into a probe. Their values are the application's. */
const OF_CONTAINER: ReadonlySet<unknown> = new Set(['args', 'env', 'envFrom', 'image', 'volumeMounts']);

/** Texts are kept inside a probe only: a probe leaves as a whole. */
function strayValue(path: FieldPath, value: unknown): unknown {
  if (isJsonObject(value)) return declaredPart(value, PROBE_TYPE);
  if (typeof value === 'number') return value;
  const key = path.at(-1);
  const isInProbe = path.slice(0, -1).some((step) => (PROBE_KINDS as readonly unknown[]).includes(step));
  if (!isInProbe || OF_CONTAINER.has(key)) return bare(value);
  return key === 'command' && Array.isArray(value) ? (value as unknown[]).map(scalar) : scalar(value);
}
