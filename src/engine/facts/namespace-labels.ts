import { isJsonObject } from '../../base/json/json-value.ts';
import { NAMESPACE_NAME_LABEL } from '../policy/policy-set.ts';

/** The labels of a namespace. The label that repeats the namespace's name may be missing, because policies add it. */
export type LabelsOfNamespace = ReadonlyMap<string, string>;

/** Labels of each namespace, by namespace name. */
export type NamespaceLabels = ReadonlyMap<string, LabelsOfNamespace>;

const NO_LABELS: LabelsOfNamespace = new Map();

/**
 * Reads `metadata.labels` of a Namespace, without the label that repeats the name. Values that are not strings are
 * skipped.
 */
export function readNamespaceLabels(labels: unknown): LabelsOfNamespace {
  if (!isJsonObject(labels)) return NO_LABELS;
  const read = new Map<string, string>();
  for (const [key, value] of Object.entries(labels))
    if (key !== NAMESPACE_NAME_LABEL && typeof value === 'string') read.set(key, value);
  return read.size === 0 ? NO_LABELS : read;
}
