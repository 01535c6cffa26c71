import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EXCEPTION_SETTINGS, EXCEPTION_SPEC } from '../../src/engine/policy/exception-schema.ts';
import { POLICY_SPEC } from '../../src/engine/policy/schema.ts';

/** The fields in the first column of the tables of a page, from a heading on, without what is below the field. */
function listed(page: string, heading: string): string[] {
  const [, section = ''] = readFileSync(`docs/${page}`, 'utf8').split(`\n${heading}\n`);
  const rows = section.split(/^##/m)[0]?.matchAll(/^\| `([a-zA-Z]+)/gm) ?? [];
  return [...new Set([...rows].map(([, field = '']) => field))].sort();
}

it('the pages list each field of policies and exceptions, and no other', () => {
  expect(listed('policies.md', '## Fields')).toEqual(Object.keys(POLICY_SPEC.fields).sort());
  expect(listed('exceptions.md', '## Write an exception')).toEqual(Object.keys(EXCEPTION_SPEC.fields).sort());
  expect(listed('exceptions.md', '### What policies allow')).toEqual(Object.keys(EXCEPTION_SETTINGS.fields).sort());
});
