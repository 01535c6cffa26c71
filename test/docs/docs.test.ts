import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagesWithFlags } from '../../scripts/flags/flag-pages.ts';
import { COMMAND_DEFINITIONS } from '../../src/cli/command-table.ts';
import { REASON_CODES } from '../../src/engine/defaulting/injection.ts';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { Metrics } from '../../src/webhook/http/metrics.ts';
import { READY_MADE_KINDS } from '../../src/engine/workload/kinds.ts';

const doc = (name: string): string => readFileSync(join('docs', name), 'utf8');

/** First cells of a page's tables: what stands in backquotes at the start of a row. */
const rows = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(/^\| `([^`]+)`/gm)].map(([, cell = '']) => cell).filter((cell) => pattern.test(cell));

describe('the docs', () => {
  it('list the commands and their flags as the table of commands has them', () => {
    for (const [page, text] of pagesWithFlags(doc)) expect(doc(page), `${page}: npm run generate:flags`).toBe(text);
  });

  it('list every metric with its labels, and no other', async () => {
    const { registry, certificateWrites } = new Metrics({
      policies: () => ({ loaded: 0, problems: 0, lastSync: undefined }),
      certificates: () => ({
        leafNotAfter: undefined,
        bundleSynced: { mutating: true, validating: true },
      }),
      statusesSetAside: () => ({ failed: 0 }),
      leader: () => false,
      now: () => 0,
      build: { version: '', commit: '' },
    });
    certificateWrites.inc({ step: '', result: '' });
    const metrics = (await registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith('probewright_'));
    expect(rows(doc('observability.md'), /^probewright_/).sort()).toEqual(metrics.map(({ name }) => name).sort());
    for (const { name, values } of metrics) {
      const line =
        doc('observability.md')
          .split('\n')
          .find((candidate) => candidate.startsWith(`| \`${name}\``)) ?? '';
      for (const label of Object.keys(values[0]?.labels ?? {}).filter((key) => key !== 'le'))
        expect(line).toContain(`\`${label}\``);
    }
  });

  it('explain every reason why a probe was not injected, and no other', () =>
    expect(rows(doc('defaulting.md'), /^[a-z-]+$/).sort()).toEqual([...REASON_CODES].sort()));

  it('list every check with its default action and parameters, and no other', () => {
    const listed = [...doc('checks.md').matchAll(/^\| `([a-z-]+)` \| (\w+) \| (.*) \|$/gm)].map(
      ([, id, action, parameters = '']) => [id, action, parameters.match(/\w+/g) ?? []],
    );
    expect(listed).toEqual(
      Object.entries(CHECK_CATALOGUE).map(([id, { action, parameters }]) => [id, action, Object.keys(parameters)]),
    );
  });

  it('have a section for every check, in the order of the catalogue, and no other that looks like one', () => {
    const sections = [...doc('checks.md').matchAll(/^#+ ([a-z-]+)$/gm)].map(([heading]) => heading);
    expect(sections).toEqual(Object.keys(CHECK_CATALOGUE).map((id) => `## ${id}`));
  });

  it('list every custom kind that is known from the start, and where its Pod templates are', () => {
    const listed = [...doc('checks.md').matchAll(/^\| `([a-z0-9.-]+)` \| `([A-Z]\w+)` \| (.*) \| (yes|no) \|$/gm)];
    expect(listed.map(([, group, kind, paths, ends]) => [group, kind, paths, ends])).toEqual(
      READY_MADE_KINDS.map(({ group, kind, templatePaths, runsToCompletion }) => [
        group,
        kind,
        templatePaths.map((path) => `\`${path.join('.')}\``).join(', '),
        runsToCompletion ? 'yes' : 'no',
      ]),
    );
  });

  it('name every annotation', () =>
    expect(rows(doc('policies.md'), /^probewright\.dev\//)).toEqual(
      ['startup-endpoint', 'liveness-endpoint', 'readiness-endpoint', 'startup-seconds', 'containers', 'skip'].map(
        (name) => `probewright.dev/${name}`,
      ),
    ));

  it('have a page for every command', () => {
    const pages = [...pagesWithFlags(doc).values()].join('');
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
          heading
            .toLowerCase()
            .replace(/[^\w\- ]/g, '')
            .replaceAll(' ', '-'),
        );
        expect(headings, `${page}: ${target}`).toContain(anchor);
      }
    }
  });
});
