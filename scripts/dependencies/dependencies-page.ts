import { productionPackages } from './production-packages.ts';

const START = '<!-- dependencies: npm run generate:dependencies -->\n';
const END = '<!-- end of table -->\n';

/** docs/trust.md with the table of direct dependencies renewed. */
export function pageWithDependencies(page: string): string {
  const [before = '', rest = ''] = page.split(START);
  const [, ...after] = rest.split(END);
  if (after.length === 0) throw new Error(`docs/trust.md has no place for the table: ${START}${END}`);
  return `${before}${START}\n${dependencies()}\n${END}${after.join(END)}`;
}

function dependencies(): string {
  const packages = productionPackages();
  const direct = packages.filter(({ isDirect }) => isDirect);
  const licenses = Map.groupBy(packages, ({ license }) => license);
  const counts = [...licenses]
    .map(([license, all]) => [license, all.length] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `${packages.length} packages are installed for production, ${direct.length} of them because package.json names them. Licences: ${counts.map(([license, count]) => `${license} (${count})`).join(', ')}. The SBOM of a release and package-lock.json list all. [Why each](../ARCHITECTURE.md#production-dependencies).

| package | version | licence |
|---|---|---|
${direct.map(({ name, version, license }) => `| \`${name}\` | ${version} | ${license} |`).join('\n')}
`;
}
