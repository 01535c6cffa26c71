import { visible } from './visible.ts';

/** JSON text of a value, safe to show in a terminal or a CI log: hidden characters and log commands are escaped, the value is the same. */
export function jsonText(value: unknown, replacer?: (key: string, value: unknown) => unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, replacer, indent));
}

/** JSON text with the same value that is safe to show. Line breaks between its tokens stay. */
export function visibleJson(json: string): string {
  return json.split('\n').map(visible).join('\n');
}
