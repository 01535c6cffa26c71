/**
 * The syntax of an HTTP header's name, as the API server's message quotes it (apimachinery, util/validation,
 * IsHTTPHeaderName).
 */
export const HEADER_NAME_PATTERN = '[-A-Za-z0-9]+';

const HEADER_NAME = new RegExp(`^${HEADER_NAME_PATTERN}$`);

/** True for the name of an HTTP header. */
export function isHeaderName(text: string): boolean {
  return HEADER_NAME.test(text);
}
