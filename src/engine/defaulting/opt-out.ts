import { objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { ANNOTATION_PREFIX } from '../policy/annotations.ts';

/** The label of Pods that the chart's mutating webhook skips by its `objectSelector`. */
export const OPT_OUT_LABEL = `${ANNOTATION_PREFIX}webhook`;
export const OPT_OUT_VALUE = 'disabled';

/** True when the Pods never reach the mutating webhook, so that the verdict must not count on probes from it. */
export function hasOptedOut(template: JsonObject): boolean {
  const metadata = objectMember(template, 'metadata');
  const labels = metadata && objectMember(metadata, 'labels');
  return labels !== undefined && stringMember(labels, OPT_OUT_LABEL) === OPT_OUT_VALUE;
}
