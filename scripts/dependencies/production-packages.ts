import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package that the program has in it, as package-lock.json knows it. */
export interface ProductionPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Named in package.json; the others come with those. */
  readonly isDirect: boolean;
  readonly resolved: string | undefined;
  readonly integrity: string | undefined;
}

interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '../..');
const json = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** The dependencies of package.json, without those for development. */
export function directDependencies(): Readonly<Record<string, string>> {
  return (json('package.json') as { dependencies: Record<string, string> }).dependencies;
}

/** package-lock.json, by path in the tree: '' is ours. */
export function lockedPackages(): Readonly<Record<string, LockEntry>> {
  return (json('package-lock.json') as { packages: Record<string, LockEntry> }).packages;
}

/** Every package that is installed with `npm ci --omit=dev`, in alphabetical order. */
export function productionPackages(): ProductionPackage[] {
  const direct = directDependencies();
  return Object.entries(lockedPackages())
    .filter(([path, entry]) => path.startsWith('node_modules/') && entry.dev !== true && entry.devOptional !== true)
    .map(([path, entry]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const { version = '', resolved, integrity } = entry;
      const isDirect = path === `node_modules/${name}` && Object.hasOwn(direct, name);
      return { name, version, license: entry.license ?? installedLicense(path), isDirect, resolved, integrity };
    })
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1));
}

/** The lock has it for most; what it does not have is in the package itself. */
function installedLicense(path: string): string {
  const { license } = json(join(path, 'package.json')) as { license?: string };
  return license ?? 'none given';
}
