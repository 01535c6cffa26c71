/**
 * JSON as the API server writes it (Go, encoding/json with EscapeHTML): five characters take six bytes, so a text of
 * the request may be six times as long in the review.
 */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
