import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'charts/probewright/README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

it.each(PAGES)('%s says of every block in which language it is', (page) => {
  const opening = [...readFileSync(page, 'utf8').matchAll(/^ *```(.*)\n[\s\S]*?^ *```$/gm)].map(
    ([, name = '']) => name,
  );
  expect(opening.filter((language) => language.trim() === '')).toEqual([]);
});

describe.each(PAGES.filter((page) => page.startsWith('docs/')))('%s', (page) =>
  it('marks every shell block: run by the end-to-end tests, run and to fail, or run by hand', () => {
    const fences = [...readFileSync(page, 'utf8').matchAll(/^ *```((?:sh|bash|shell)\b.*)$/gm)].map(
      ([, info = '']) => info,
    );
    expect(fences.filter((info) => !['sh e2e', 'sh e2e fails', 'sh by-hand'].includes(info))).toEqual([]);
  }),
);
