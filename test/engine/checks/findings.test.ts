import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHECK_CATALOGUE, CHECKS } from '../../../src/engine/checks/catalogue.ts';
import { formatPath, withEdits } from '../../../src/base/json/field-path.ts';
import { cases } from '../../support/cases.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { findings, podWith } from './workload.ts';
import { manifestOf, type WorkloadCase } from '../../support/workload-cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const FOLDER = 'test/fixtures/findings';

/** A workload, the objects of its cluster that are facts, and parameters of the check. */
interface Case extends WorkloadCase {
  readonly cluster?: readonly JsonObject[];
  readonly parameters?: JsonObject;
}

/** The checks with each trait (CheckTraits), and those that need all of a command, in the order of the catalogue. */
const TRAITS = cases('checks', 'traits') as Readonly<Record<string, string>>;

/** What a check finds, with edits by path; nothing is undefined. */
function found(id: string, given: Case): JsonObject {
  const manifest = manifestOf(given);
  const finds = findings(id, manifest, given.parameters, given.cluster).map((finding) => {
    const { edits, ...others } = finding;
    if (edits === undefined) return others;
    const left = findings(id, withEdits(manifest, edits), given.parameters, given.cluster);
    expect(left, 'the finding is gone after its edits').not.toContainEqual(finding);
    return { ...others, edits: Object.fromEntries(edits.map(({ path, value }) => [formatPath(path), value])) };
  });
  return { finds: finds.length > 0 ? finds : undefined };
}

const ids = readdirSync(FOLDER)
  .map((name) => name.replace(/\.yaml$/, ''))
  .sort();

it('has cases of every check, and of nothing else', () => expect(ids).toEqual(Object.keys(CHECK_CATALOGUE).sort()));

it.each(ids)('has two workloads or more in which %s finds something, and two in which it finds nothing', (id) => {
  const text = readFileSync(`${FOLDER}/${id}.yaml`, 'utf8');
  const known = Object.values(parse(text, { maxAliasCount: -1 }) as Record<string, JsonObject[]>).flat();
  const finding = known.filter(({ finds }) => finds !== undefined);
  expect(finding.length).toBeGreaterThanOrEqual(2);
  expect(known.length - finding.length).toBeGreaterThanOrEqual(2);
});

describe.each(ids)('%s', (id) => describeCases(`${FOLDER}/${id}.yaml`, ['finds'], (given) => found(id, given)));

describe('the checks', () => {
  const isUnread = (id: string): boolean => {
    const exec = { command: ['sh', '-c', `pg_isready ${'x'.repeat(5000)}`] };
    return findings(id, podWith({ livenessProbe: { exec } })).some((finding) => finding.isUnread);
  };

  it.each(Object.entries(TRAITS))('with the trait %s are those on record', (trait, expected) => {
    const having = CHECKS.filter((check) =>
      trait === 'readsCommand' ? isUnread(check.id) : check[trait as 'cannotWork'] === true,
    );
    expect(having.map(({ id }) => id).join(' ')).toBe(expected);
  });
});
