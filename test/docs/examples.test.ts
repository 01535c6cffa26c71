import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { formatViolation } from '../../src/engine/checks/violation.ts';
import { checkTexts } from '../support/check-texts.ts';
import { IMPLIED_CHECKS, isAside } from '../engine/checks/implied-checks.ts';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import type { PlacedViolation } from '../../src/cli/check/report.ts';

const page = readFileSync('docs/checks.md', 'utf8');

/** What a section shows, each as the text of its fenced block. */
interface Section {
  readonly bad: string;
  readonly good: string;
  readonly message: string;
  /** Absent when the check has nothing to set. */
  readonly policy: string | undefined;
}

function sectionOf(id: string): Section {
  const text = page.split(/^(?=## )/m).find((section) => section.startsWith(`## ${id}\n`)) ?? '';
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', block = '']) => ({
    language,
    block,
  }));
  const only = (language: string, start: string): string | undefined => {
    const found = blocks.filter((candidate) => candidate.language === language && candidate.block.startsWith(start));
    expect(found.length, `${id}: blocks that start with "${start}"`).toBeLessThan(2);
    return found[0]?.block;
  };
  const change = only('diff', '') ?? '';
  return {
    bad: sideOf(change, '-'),
    good: sideOf(change, '+'),
    message: only('text', 'spec.') ?? '',
    policy: only('yaml', 'checks:\n'),
  };
}

/** One side of a diff: its own lines, and those of both. */
const sideOf = (diff: string, sign: string): string =>
  diff
    .split('\n')
    .filter((line) => line.startsWith(sign) || line.startsWith(' '))
    .map((line) => `${line.slice(1)}\n`)
    .join('');

/** An example is a Deployment's list of containers, its Pod spec, or whole objects. */
function manifestOf(example: string): string {
  const shown = parseAllDocuments(example)[0]?.toJS() as readonly unknown[] | Readonly<Record<string, unknown>>;
  if ('kind' in shown) return example;
  const [, ...others] = example.split(/^(?=---$)/m);
  const manifest = stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: Array.isArray(shown) ? { containers: shown } : shown },
    },
  });
  return [manifest, ...others].join('');
}

function violations(example: string, policy?: string): readonly PlacedViolation[] {
  const document = `apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: docs }\nspec:\n${indented(policy ?? '')}`;
  const {
    violations: found,
    summary,
    problems,
  } = checkTexts(
    [{ file: 'example.yaml', text: manifestOf(example) }],
    policy === undefined ? [] : [{ file: 'policy.yaml', text: document }],
  );
  expect(problems).toEqual([]);
  expect(summary.workloads).toBe(1);
  return found;
}

const indented = (text: string): string => text.replace(/^/gm, '  ');
const ids = (found: readonly PlacedViolation[]): string[] => found.map(({ check }) => check);

describe.each(Object.entries(CHECK_CATALOGUE))('docs/checks.md, section %s', (id, { action, parameters }) => {
  const { bad, good, message, policy } = sectionOf(id);

  it('has a bad example that violates this check once, and says what the program says', () => {
    const found = violations(bad, policy).filter(({ check }) => !isAside(check, id));
    expect(ids(found).sort()).toEqual([id, ...(IMPLIED_CHECKS[id] ?? [])].sort());
    expect(found.filter(({ check }) => check === id).map((violation) => `${formatViolation(violation)}\n`)).toEqual([
      message,
    ]);
  });

  it('has a good example that violates nothing', () =>
    expect(ids(violations(good, policy)).filter((check) => !isAside(check, id))).toEqual([]));

  it('says in at most 150 words what happens and what to write', () => {
    const text = page.split(/^(?=## )/m).find((section) => section.startsWith(`## ${id}\n`)) ?? '';
    expect(text.replace(/^```[\s\S]*?^```$/gm, '').match(/\S+/g)?.length).toBeLessThanOrEqual(150);
  });

  it('shows a policy that names every parameter, and switches on what is off', () => {
    const names = Object.keys(parameters);
    if (names.length > 0) for (const name of names) expect(policy).toContain(name);
    if (action === 'Off') expect(policy).toContain('action: Warn');
    else expect(violations(bad)).toEqual(violations(bad, policy)); // the values shown are the defaults
  });
});
