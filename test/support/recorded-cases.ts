import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/**
 * Tests the cases of a YAML file. The file has sentences; a sentence has cases; a case has what is given and what comes out.
 * UPDATE_CASES=1 writes what comes out now. Review the diff.
 *
 * @param members the members of a case that come out; absent ones stand for undefined
 * @param run from what is given to these members
 */
export function describeCases(
  path: string,
  members: readonly string[],
  run: (given: JsonObject) => JsonObject | Promise<JsonObject>,
): void {
  const document = parseDocument(readFileSync(path, 'utf8'));
  if (document.errors[0] !== undefined) throw new Error(`${path}: ${document.errors[0].message}`);
  const sentences = document.toJS({ maxAliasCount: -1 }) as Record<string, readonly JsonObject[]>;
  const update = process.env['UPDATE_CASES'] !== undefined;

  it.each(Object.entries(sentences))('%s', async (sentence, cases) => {
    for (const [index, given] of cases.entries()) {
      // What is undefined is left out, as in the file.
      const result = JSON.parse(JSON.stringify(await run(given))) as JsonObject;
      const expected = Object.fromEntries(Object.entries(given).filter(([member]) => members.includes(member)));
      if (!update) expect(result, JSON.stringify(given)).toEqual(expected);
      for (const member of update ? members : []) {
        if (JSON.stringify(result[member]) === JSON.stringify(expected[member])) continue;
        if (result[member] === undefined) document.deleteIn([sentence, index, member]);
        else document.setIn([sentence, index, member], document.createNode(result[member]));
      }
    }
  });

  afterAll(() => {
    if (update) writeFileSync(path, document.toString({ lineWidth: 0, singleQuote: true }));
  });
}
