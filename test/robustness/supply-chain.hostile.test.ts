import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { pageWithDependencies } from '../../scripts/dependencies/dependencies-page.ts';
import {
  directDependencies,
  lockedPackages,
  productionPackages,
} from '../../scripts/dependencies/production-packages.ts';
import { report } from './figures.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Licences that ask for no more than to be named. */
const PERMISSIVE =
  /^(MIT|ISC|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|0BSD|BlueOak-1\.0\.0|Unlicense|PSF-2\.0|CC0-1\.0|\(MIT OR [\w.-]+\))$/;

it('package-lock.json resolves every production dependency to a registry, with a checksum', () => {
  const locked = lockedPackages();
  const packages = productionPackages();
  expect((locked[''] as { dependencies?: unknown }).dependencies).toEqual(directDependencies());
  for (const { name, resolved, integrity } of packages) {
    // Without an address it comes from the registry that npm is set to, and is held to the checksum all the same.
    expect(resolved ?? 'https://registry.npmjs.org/', name).toMatch(/^https:\/\/registry\.npmjs\.org\//);
    expect(integrity, name).toMatch(/^sha512-/);
  }
  // What a package asks for is there, as near to it as Node looks.
  for (const [path, { dependencies = {}, dev, devOptional }] of Object.entries(locked)) {
    if (dev === true || devOptional === true) continue;
    for (const name of path === '' ? Object.keys(directDependencies()) : Object.keys(dependencies)) {
      let at = path;
      while (at !== '' && locked[`${at}/node_modules/${name}`] === undefined)
        at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')));
      expect(
        locked[at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`],
        `${name}, for ${path}`,
      ).toBeDefined();
    }
  }
  report(
    'Supply chain',
    'package-lock.json',
    `${packages.length} production packages, all from a registry and with sha512`,
  );
});

it('every direct production dependency, and no other, is justified in ARCHITECTURE.md', () => {
  const section = read('ARCHITECTURE.md').split('## Production dependencies')[1] ?? '';
  const rows = [...section.matchAll(/^\| (`.+`) \| (.+) \|$/gm)];
  const justified = rows.flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(justified.toSorted()).toEqual(Object.keys(directDependencies()).toSorted());
  for (const [, names, why = ''] of rows) expect(why.length, names).toBeGreaterThan(8);
  report('Supply chain', 'direct production dependencies', `${justified.length}, each justified in ARCHITECTURE.md`);
});

it('no production package has an install script of its own, and every licence is a permissive one', () => {
  const packages = productionPackages();
  const scripts = Object.entries(lockedPackages()).filter(
    ([path, entry]) =>
      path !== '' &&
      (entry as { hasInstallScript?: boolean }).hasInstallScript === true &&
      entry.dev !== true &&
      entry.devOptional !== true,
  );
  expect(scripts.map(([path]) => path)).toEqual([]);
  for (const { name, license } of packages) expect(license, name).toMatch(PERMISSIVE);
  report(
    'Supply chain',
    'licences and install scripts',
    `${[...new Set(packages.map(({ license }) => license))].sort().join(', ')}; no install script`,
  );
});

it('docs/trust.md lists them as they are: npm run generate:dependencies', () => {
  expect(read('docs/trust.md')).toBe(pageWithDependencies(read('docs/trust.md')));
});

it('npm audit knows of no vulnerability in them', async ({ skip }) => {
  const audit = await promisify(execFile)('npm', ['audit', '--omit=dev', '--json'], {
    cwd: root,
    timeout: 60_000,
  }).catch((error: unknown) => error as { stdout?: string });
  const result = JSON.parse(audit.stdout === undefined || audit.stdout === '' ? '{}' : audit.stdout) as {
    metadata?: { vulnerabilities?: { total: number } };
    message?: string;
  };
  const total = result.metadata?.vulnerabilities?.total;
  if (total === undefined) {
    // Whose registry it was is nobody's business: the line is printed, and goes into bench/ROBUSTNESS.md.
    const message = (result.message ?? 'no answer').replaceAll(/(?: - )?(?:[A-Z]+ )?https?:\/\/\S+/g, '');
    const reason = `skipped: the registry does not answer audits (${message})`;
    report('Supply chain', 'npm audit --omit=dev', reason);
    skip(reason);
    return;
  }
  report('Supply chain', 'npm audit --omit=dev', `${total} vulnerabilities`);
  expect(total).toBe(0);
}, 90_000);
