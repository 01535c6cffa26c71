import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { checkTexts } from '../../support/check-texts.ts';

/**
 * Incidents from public threads: `bad.yaml` has the fault, `repaired.yaml` has the repair of the thread. The manifests are
 * re-created from the facts of the thread. Issue 16, section 7, asks for at least 40.
 */
const INCIDENTS = new URL('../../fixtures/incidents/', import.meta.url);

const NAMES = readdirSync(INCIDENTS).sort();

/** A repository's thread, or another public page. */
const SOURCE = /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(issues|pull)\/[1-9]\d*$/;

/** What happened, in at most 25 words. */
const SENTENCE = /^[A-Z]\S*( \S+){2,24}\.$/;

interface Incident {
  readonly text: string;
  /** The first line, without `# `. */
  readonly story: string | undefined;
  readonly source: string | undefined;
  readonly check: string | undefined;
}

function incident(name: string, side: 'bad' | 'repaired'): Incident {
  const text = readFileSync(new URL(`${name}/${side}.yaml`, INCIDENTS), 'utf8');
  const [story, source, check] = [/^# (.*)\n/, /^# source: (.*)$/m, /^# check: (.*)$/m].map(
    (pattern) => pattern.exec(text)?.[1],
  );
  return { text, story, source, check };
}

interface Findings {
  readonly objects: number;
  readonly workloads: number;
  /** The checks with an error or a warning. */
  readonly loud: readonly string[];
  /** Their messages, for a failed test. */
  readonly messages: readonly string[];
  readonly problems: readonly unknown[];
}

/** What `check` prints without policies: errors and warnings, and the notes of a check that reports notes by default. */
function findings(file: string, text: string, noted?: string): Findings {
  const { violations, summary, warnings, problems } = checkTexts([{ file, text }], []);
  const isNote = noted !== undefined && CHECK_CATALOGUE[noted]?.action === 'Audit';
  const loud = violations.filter(({ action, check }) => action !== 'Audit' || (isNote && check === noted));
  return {
    objects: summary.objects,
    workloads: summary.workloads,
    loud: [...new Set(loud.map(({ check }) => check))],
    messages: loud.map(({ check, message }) => `${check}: ${message}`),
    problems: [...warnings, ...problems],
  };
}

it('has at least 40 incidents, and no thread twice', () => {
  expect(NAMES.length).toBeGreaterThanOrEqual(40);
  const sources = NAMES.map((name) => incident(name, 'bad').source);
  expect(new Set(sources).size).toBe(NAMES.length);
});

it('has incidents for at least 15 checks', () =>
  expect(new Set(NAMES.map((name) => incident(name, 'bad').check)).size).toBeGreaterThanOrEqual(15));

describe.each(NAMES)('%s', (name) => {
  const bad = incident(name, 'bad');
  const repaired = incident(name, 'repaired');

  it('says what happened, names its thread, and is a bad and a repaired manifest', () => {
    expect(readdirSync(new URL(`${name}/`, INCIDENTS)).sort()).toEqual(['bad.yaml', 'repaired.yaml']);
    for (const { story } of [bad, repaired]) expect(story).toMatch(SENTENCE);
    expect(bad.source).toMatch(SOURCE);
    expect(repaired.source).toBe(bad.source);
    expect(Object.keys(CHECK_CATALOGUE)).toContain(bad.check);
    expect(repaired.check).toBeUndefined();
  });

  it('is found by the check that names its cause', () => {
    const found = findings(`${name}/bad.yaml`, bad.text, bad.check);
    expect(found, found.messages.join('\n')).toMatchObject({ objects: 1, workloads: 1, problems: [] });
    expect(found.loud, found.messages.join('\n')).toContain(bad.check);
  });

  it('is neither an error nor a warning after the repair', () => {
    const found = findings(`${name}/repaired.yaml`, repaired.text);
    expect(found).toEqual({ objects: 1, workloads: 1, loud: [], messages: [], problems: [] });
  });
});
