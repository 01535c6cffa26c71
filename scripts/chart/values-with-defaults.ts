import { entriesBelow, type ValueEntry } from './values-file.ts';

/**
 * The file that lists the values that must not be missing, a dotted path a line. A value is missing when it was set to
 * null, or when `--reuse-values` brought the values of an older chart. Values whose schema allows null are not listed.
 */
export function valuesWithDefaultsFile(entries: readonly ValueEntry[]): string {
  const required = entries.filter((entry) => entriesBelow(entries, entry.path).length === 0 && !isNullable(entry));
  return `${required.map(({ path }) => path.join('.')).join('\n')}\n`;
}

function isNullable({ schema }: ValueEntry): boolean {
  return Array.isArray(schema['type']) && schema['type'].includes('null');
}
