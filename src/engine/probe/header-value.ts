/**
 * Position of the first control character of an HTTP header value, or -1. A tab is allowed. The API server accepts
 * every other control character, and the kubelet's request then fails every time (golang.org/x/net/http/httpguts,
 * ValidHeaderFieldValue).
 */
export function firstControlCharacter(value: string): number {
  return value.search(/[\u0000-\u0008\u000a-\u001f\u007f]/);
}
