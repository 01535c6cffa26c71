/**
 * Position of the first control character of an HTTP header value, or -1. A tab is allowed; anything else of the sort is accepted by the API server and
 * makes the kubelet's request, and so the probe, fail every time (golang.org/x/net/http/httpguts, ValidHeaderFieldValue).
 */
export function firstControlCharacter(value: string): number {
  return value.search(/[\u0000-\u0008\u000a-\u001f\u007f]/);
}
