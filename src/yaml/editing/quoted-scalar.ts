import { jsonText, visibleJson } from '../../text/json-text.ts';

/**
 * Quotes a text so that JSON and YAML read the same value. Control characters are escaped because kubectl rejects them.
 * Hidden characters are escaped so that reviewers see them. Characters above U+FFFF stay unescaped, because JSON and
 * YAML have no common escape for them.
 */
export function yamlQuoted(text: string): string {
  return withoutPairs(jsonText(text));
}

/** Does the same as yamlQuoted for a JSON text. */
export function yamlFromJson(json: string): string {
  return withoutPairs(visibleJson(json));
}

function withoutPairs(json: string): string {
  return json.replace(
    /\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|.)/gs,
    (escape, high: string | undefined, low: string | undefined) =>
      high === undefined || low === undefined ? escape : String.fromCharCode(parseInt(high, 16), parseInt(low, 16)),
  );
}
