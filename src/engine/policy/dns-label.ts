/**
 * A DNS-1123 label without its limit of 63 characters: what the API server requires of a container's name
 * (apimachinery IsDNS1123Label). CRDs use the pattern, too.
 */
export const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

const WHOLE = new RegExp(`^${DNS_LABEL}$`);

/** True for lower-case letters, digits and dashes, with a letter or digit at both ends. */
export function isDnsLabel(text: string): boolean {
  return WHOLE.test(text);
}
