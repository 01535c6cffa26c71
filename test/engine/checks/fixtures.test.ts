import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { CHECK_CATALOGUE, CHECKS } from '../../../src/engine/checks/catalogue.ts';
import { parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { IMPLIED_CHECKS, isAside } from './implied-checks.ts';
import { findings } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const FIXTURES = new URL('../../fixtures/checks/', import.meta.url);

/** A workload. The objects of its cluster that are facts may follow in the file. */
interface Fixture {
  readonly manifest: JsonObject;
  readonly others: readonly JsonObject[];
  readonly parameters: JsonObject;
}

function fixture(path: string): Fixture {
  const text = readFileSync(new URL(path, FIXTURES), 'utf8');
  const parameters = /^# parameters: (.*)\n/.exec(text)?.[1];
  const [manifest = {}, ...others] = parseAllDocuments(text).map((document) => document.toJS() as JsonObject);
  return { manifest, others, parameters: parameters === undefined ? {} : (parse(parameters) as JsonObject) };
}

/** The names in a folder; none without the folder, so that the tests name the folder that is missing. */
function entries(path: string): string[] {
  const folder = new URL(path, FIXTURES);
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** The checks that are on by default and find something, and the one that the fixture is for. */
function violated(id: string, { manifest, others, parameters }: Fixture): string[] {
  return CHECKS.filter((check) => check.id === id || CHECK_CATALOGUE[check.id]?.action !== 'Off')
    .filter((check) => !isAside(check.id, id))
    .filter((check) => findings(check.id, manifest, check.id === id ? parameters : {}, others).length > 0)
    .map((check) => check.id);
}

it('has folders of checks only, and one for each check whose probe cannot work', () => {
  expect(entries('.').filter((id) => !(id in CHECK_CATALOGUE))).toEqual([]);
  expect(entries('.')).toEqual(
    expect.arrayContaining(CHECKS.filter(({ cannotWork }) => cannotWork).map(({ id }) => id)),
  );
});

describe.each(entries('.'))('%s', (id) => {
  it('has at least two manifests that pass and two that fail, and nothing else', () => {
    expect(entries(`${id}/`)).toEqual(['fail', 'pass']);
    for (const side of ['fail', 'pass']) {
      expect(entries(`${id}/${side}/`).length, side).toBeGreaterThanOrEqual(2);
      expect(entries(`${id}/${side}/`).filter((name) => !/^[\w-]+\.yaml$/.test(name))).toEqual([]);
    }
  });

  it.each(entries(`${id}/pass/`))('passes %s', (name) => {
    const { manifest, others, parameters } = fixture(`${id}/pass/${name}`);
    expect(findings(id, manifest, parameters, others)).toEqual([]);
  });

  it.each(entries(`${id}/fail/`))('fails %s, and no other check does', (name) => {
    const read = fixture(`${id}/fail/${name}`);
    const order = Object.keys(CHECK_CATALOGUE);
    const expected = [id, ...(IMPLIED_CHECKS[id] ?? [])].sort((a, b) => order.indexOf(a) - order.indexOf(b));
    expect(violated(id, read)).toEqual(expected);
  });

  it('has parameters that a policy could set', () => {
    for (const side of ['fail', 'pass']) {
      for (const name of entries(`${id}/${side}/`)) {
        const { parameters } = fixture(`${id}/${side}/${name}`);
        expect(() =>
          parsedPolicy(policyDocument({ checks: { [id]: { action: 'Warn', ...parameters } } })),
        ).not.toThrow();
      }
    }
  });
});
