/**
 * Upper bounds on what a policy may hold. They exist for the custom resources: an API server estimates the cost of a CRD's CEL rules
 * from them before it takes the CRD, and refuses rules over unbounded lists and texts. Files are held to the same bounds, so that a
 * policy means the same wherever it lives.
 */
export const MAX_CONTAINERS = 64;
export const MAX_CONTAINER_NAME_LENGTH = 253;
export const MAX_MATCH_LABELS = 64;
export const MAX_MATCH_EXPRESSIONS = 64;
export const MAX_PATH_LENGTH = 4096;
/** Linux takes no longer word: MAX_ARG_STRLEN. */
export const MAX_COMMAND_WORD_LENGTH = 131_072;

/** The length of a text as JSON schemas count it: in code points. */
export function textLength(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
