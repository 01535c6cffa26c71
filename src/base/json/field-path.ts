import { jsonText } from '../text/json-text.ts';

/** A step into a document: a key or an index. */
export type PathStep = string | number;

/** The path of a value from the top of a document. */
export type FieldPath = readonly PathStep[];

/** Formats a path as people write it: `spec.containers[0]`, `metadata.annotations["a/b"]`. */
export function formatPath(path: FieldPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${jsonText(step)}]`;
  }
  return text;
}
