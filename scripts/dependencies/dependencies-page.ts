import { productionPackages } from './production-packages.ts';

/** docs/dependencies.md, whole. */
export function dependenciesPage(): string {
  const packages = productionPackages();
  const direct = packages.filter(({ isDirect }) => isDirect);
  const licenses = Map.groupBy(packages, ({ license }) => license);
  const counts = [...licenses]
    .map(([license, all]) => [license, all.length] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `# Dependencies

Written by \`npm run generate:dependencies\` from package-lock.json; a test fails when it is out of date. Why each direct dependency is there says
[ARCHITECTURE.md](../ARCHITECTURE.md#production-dependencies).

${packages.length} packages are installed for production, ${direct.length} of them because package.json names them. The bundle that the image has holds only what is
used of them, with their licences in \`*.LEGAL.txt\` beside it.

| licence | packages |
|---|---|
${counts.map(([license, count]) => `| ${license} | ${count} |`).join('\n')}

| package | version | licence | direct |
|---|---|---|---|
${packages.map(({ name, version, license, isDirect }) => `| \`${name}\` | ${version} | ${license} | ${isDirect ? 'yes' : ''} |`).join('\n')}
`;
}
