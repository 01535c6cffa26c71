import { jsonText, visibleJson } from './json-text.ts';

/**
 * A text in double quotes that JSON and YAML read alike. kubectl reads no raw control characters, and what is hidden is escaped for
 * reviewers. Characters beyond U+FFFF stay, as the two have no escape for them in common.
 */
export function yamlQuoted(text: string): string {
  return withoutPairs(jsonText(text));
}

/** The same of JSON text. */
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
