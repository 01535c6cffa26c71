import { objectMember, stringMember } from '../probes/json.ts';
import { ANNOTATION_PREFIX } from '../policy/annotations.ts';
import type { JsonObject } from '../probes/json.ts';

/** The label of Pods that the chart's mutating webhook is not asked about (its `objectSelector`). */
export const OPT_OUT_LABEL = `${ANNOTATION_PREFIX}webhook`;
export const OPT_OUT_VALUE = 'disabled';

/** True when Pods of this template, or this Pod, never reach the mutating webhook: the verdict must not count on probes that nobody will add. */
export function hasOptedOut(template: JsonObject): boolean {
  const metadata = objectMember(template, 'metadata');
  const labels = metadata && objectMember(metadata, 'labels');
  return labels !== undefined && stringMember(labels, OPT_OUT_LABEL) === OPT_OUT_VALUE;
}
