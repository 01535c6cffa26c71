import { isJsonObject, member, objectMember } from '../../base/json/json-value.ts';
import { PROFILE_BOUNDS } from './startup-profile.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Problem } from '../policy/problems.ts';

const REFERENCE_FIELDS = ['apiVersion', 'kind', 'name'];
const SAMPLE_FIELDS = ['at', 'id', 'node'];

/**
 * The first list or text of a StartupProfile that exceeds its bound; undefined if all are within their bounds. A tenant
 * may write such a profile only where the CRD has no bounds, so the profile has no effect as a whole.
 */
export function profileProblem(document: JsonObject): Problem | undefined {
  const status = objectMember(document, 'status');
  if (status === undefined) return undefined;
  return (
    longText(objectMember(status, 'workload'), REFERENCE_FIELDS, PROFILE_BOUNDS.reference, ['status', 'workload']) ??
    firstOf(
      member(status, 'containers'),
      PROFILE_BOUNDS.containers,
      'containers',
      ['status', 'containers'],
      ofContainer,
    )
  );
}

function ofContainer(container: unknown, path: FieldPath): Problem | undefined {
  if (!isJsonObject(container)) return undefined;
  return (
    longText(container, ['name'], PROFILE_BOUNDS.name, path) ??
    longText(container, ['image'], PROFILE_BOUNDS.image, path) ??
    longText(container, ['censoredAt'], PROFILE_BOUNDS.text, path) ??
    firstOf(member(container, 'samples'), PROFILE_BOUNDS.samples, 'starts', [...path, 'samples'], ofSample) ??
    firstOf(member(container, 'censoredIds'), PROFILE_BOUNDS.killedIds, 'starts', [...path, 'censoredIds'], ofId)
  );
}

function ofSample(sample: unknown, path: FieldPath): Problem | undefined {
  return isJsonObject(sample) ? longText(sample, SAMPLE_FIELDS, PROFILE_BOUNDS.text, path) : undefined;
}

function ofId(id: unknown, path: FieldPath): Problem | undefined {
  return lengthProblem(id, PROFILE_BOUNDS.text, path);
}

/** The problem of a list that is too long, or of its first element that has a problem. */
function firstOf(
  list: unknown,
  most: number,
  unit: string,
  path: FieldPath,
  problemOf: (element: unknown, path: FieldPath) => Problem | undefined,
): Problem | undefined {
  if (!Array.isArray(list)) return undefined;
  if (list.length > most) return { path, message: `must have at most ${most} ${unit}, not ${list.length}` };
  for (const [index, element] of (list as readonly unknown[]).entries()) {
    const problem = problemOf(element, [...path, index]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The problem of the first of these members that is too long a text. */
function longText(
  object: JsonObject | undefined,
  fields: readonly string[],
  most: number,
  path: FieldPath,
): Problem | undefined {
  for (const field of fields) {
    const problem = object && lengthProblem(member(object, field), most, [...path, field]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function lengthProblem(text: unknown, most: number, path: FieldPath): Problem | undefined {
  if (typeof text !== 'string' || text.length <= most) return undefined;
  return { path, message: `must have at most ${most} characters, not ${text.length}` };
}
