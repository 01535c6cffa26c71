import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedPages } from '../../scripts/reference/generated-pages.ts';
import { COMMAND_DEFINITIONS } from '../../src/cli/command-table.ts';
import { REASON_CODES } from '../../src/engine/defaulting/not-injected.ts';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { anchorOf } from '../support/markdown.ts';

const doc = (name: string): string => readFileSync(join('docs', name), 'utf8');

/** First cells of a page's tables: what stands in backquotes at the start of a row. */
const rows = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(/^\| `([^`]+)`/gm)].map(([, cell = '']) => cell).filter((cell) => pattern.test(cell));

describe('the docs', () => {
  it('have the tables of commands, flags, checks, fields, limits, metrics, alerts, causes and kinds as the code has them', () => {
    for (const [page, text] of generatedPages(doc)) expect(doc(page), `${page}: npm run generate:reference`).toBe(text);
  });

  it('explain every reason why a probe was not injected, and no other', () =>
    expect(rows(doc('defaulting.md'), /^[a-z-]+$/).sort()).toEqual([...REASON_CODES].sort()));

  it('have a section for every check, in the order of the catalogue, and no other that looks like one', () => {
    const sections = [...doc('checks.md').matchAll(/^#+ ([a-z-]+)$/gm)].map(([heading]) => heading);
    expect(sections).toEqual(Object.keys(CHECK_CATALOGUE).map((id) => `## ${id}`));
  });

  it('name every annotation', () =>
    expect(rows(doc('policies.md'), /^probewright\.dev\//)).toEqual(
      ['startup-endpoint', 'liveness-endpoint', 'readiness-endpoint', 'startup-seconds', 'containers', 'skip'].map(
        (name) => `probewright.dev/${name}`,
      ),
    ));

  it('have a page for every command', () => {
    const pages = [...generatedPages(doc).values()].join('');
    for (const { name, flags } of COMMAND_DEFINITIONS) {
      expect(pages).toContain(`| \`${name}`);
      if (Object.keys(flags).length > 0) expect(pages).toContain(`<!-- flags of ${name}: `);
    }
  });

  it('have no dead links to files or headings', () => {
    const pages = [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
      'bench/README.md',
      'bench/ROBUSTNESS.md',
      'scripts/release/README.md',
      ...readdirSync('docs')
        .filter((name) => name.endsWith('.md'))
        .map((name) => `docs/${name}`),
    ];
    for (const page of pages) {
      for (const [, target = ''] of readFileSync(page, 'utf8').matchAll(/\]\(([^)]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : join(page, '..', path);
        expect(existsSync(file), `${page}: ${target}`).toBe(true);
        if (anchor === undefined) continue;
        const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
          anchorOf(heading),
        );
        expect(headings, `${page}: ${target}`).toContain(anchor);
      }
    }
  });
});
