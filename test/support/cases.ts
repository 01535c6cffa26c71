import { readFileSync } from 'node:fs';

/** The rows of a table of test/fixtures/cases, by file and name. The caller says what a row is. */
export function cases(file: string, table: string): unknown {
  const tables = JSON.parse(readFileSync(`test/fixtures/cases/${file}.json`, 'utf8')) as Record<string, unknown>;
  if (!(table in tables)) throw new Error(`no table "${table}" in test/fixtures/cases/${file}.json`);
  return tables[table];
}
