import { formatPath } from '../../base/json/field-path.ts';
import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { checkUrl, fullMessage } from '../../engine/checks/violation.ts';
import { namespaceOf } from '../input/manifest.ts';
import { POLICY_API_VERSION } from '../../engine/policy/object-names.ts';
import { LEVEL_OF_ACTION, type Level } from '../output/level.ts';
import type { PlacedViolation } from '../check/report.ts';

/** A result by the specification of KRM functions. */
export interface FunctionResult {
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly resourceRef?: JsonObject;
  readonly field?: { readonly path: string };
  readonly file?: JsonObject;
  readonly tags?: JsonObject;
}

const SEVERITY: Readonly<Record<Level, FunctionResult['severity']>> = {
  error: 'error',
  warning: 'warning',
  note: 'info',
};

/**
 * Returns a violation as a result.
 *
 * @param items the items of the ResourceList
 */
export function violationResult(violation: PlacedViolation, items: readonly unknown[]): FunctionResult {
  const { check, action, path, object, kind, namespace, name } = violation;
  const position = object?.path[0] === 'items' ? object.path[1] : undefined;
  const item = typeof position === 'number' ? items[position] : undefined;
  const apiVersion = isJsonObject(item) ? stringMember(item, 'apiVersion') : POLICY_API_VERSION;
  // A reference names the item as the item is, and not the namespace that stands in for a missing one.
  const given = isJsonObject(item) ? namespaceOf(item) : namespace === '' ? undefined : namespace;
  const file = isJsonObject(item) ? fileOf(item) : undefined;
  return {
    message: `${fullMessage(violation)} (${check})`,
    severity: SEVERITY[LEVEL_OF_ACTION[action]],
    resourceRef: {
      ...(apiVersion !== undefined && { apiVersion }),
      kind,
      ...(given !== undefined && { namespace: given }),
      name,
    },
    field: { path: formatPath(path) },
    ...(file !== undefined && { file }),
    tags: { check, url: checkUrl(check) },
  };
}

/** A line about no single field. */
export function lineResult(message: string): FunctionResult {
  return { message, severity: 'info' };
}

/** The names under which orchestrators write where an object comes from, the newer first. */
const PREFIXES = ['internal.config.kubernetes.io', 'config.kubernetes.io'];

function fileOf(item: JsonObject): JsonObject | undefined {
  const annotations = objectMember(objectMember(item, 'metadata') ?? {}, 'annotations') ?? {};
  const written = (name: string): unknown =>
    PREFIXES.map((prefix) => member(annotations, `${prefix}/${name}`)).find((value) => typeof value === 'string');
  const [path, index] = [written('path'), Number(written('index'))];
  if (typeof path !== 'string') return undefined;
  return { path, ...(Number.isInteger(index) && { index }) };
}
