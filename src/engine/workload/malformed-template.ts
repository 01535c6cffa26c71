import type { FieldPath } from '../../base/json/field-path.ts';
import { isJsonObject, isPresent, member } from '../../base/json/json-value.ts';
import { CONTAINER_LISTS } from '../probe/api-defaults.ts';
import type { WorkloadKind } from './kinds.ts';

/** A value that hides containers, because it has another type of JSON than the API server accepts there. */
export interface MalformedValue {
  readonly path: FieldPath;
  /** `must be a list, not a text` */
  readonly message: string;
}

/** The first value on the way to an object's containers that the API server cannot decode. Absent values are none. */
export function malformedTemplate(object: unknown, { templatePaths }: WorkloadKind): MalformedValue | undefined {
  const ways = templatePaths.flatMap((steps) => CONTAINER_LISTS.map((list) => [...steps, 'spec', list, '*']));
  for (const way of ways) {
    const found = malformedOn(object, way, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

function malformedOn(value: unknown, way: readonly string[], path: FieldPath): MalformedValue | undefined {
  if (!isPresent(value)) return undefined;
  const [step, ...rest] = way;
  if (step === '*') {
    if (!Array.isArray(value)) return { path, message: `must be a list, not ${typeName(value)}` };
    for (const [index, entry] of (value as readonly unknown[]).entries()) {
      const found = malformedOn(entry, rest, [...path, index]);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isJsonObject(value)) return { path, message: `must be an object, not ${typeName(value)}` };
  return step === undefined ? undefined : malformedOn(member(value, step), rest, [...path, step]);
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? 'a text' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
