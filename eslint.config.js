import importX from 'eslint-plugin-import-x';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';

/**
 * The rooms of src/, lowest first, in the words of the table in ARCHITECTURE.md. A room may import the rooms listed for it and nothing else of
 * ours. `and below` = and all that the room named right before it may import. test/architecture.test.ts compares the tables.
 */
const mayImport = {
  'version.ts': 'nothing of ours',
  text: 'nothing of ours',
  json: 'text',
  'command-line': 'text',
  probes: 'json, text',
  workload: 'probes and below',
  policy: 'workload and below',
  yaml: 'json, text',
  facts: 'policy and below',
  checks: 'facts and below',
  defaulting: 'facts and below',
  verdict: 'checks, defaulting and below',
  timeline: 'verdict, defaulting and below',
  drawing: 'timeline, json, text',
  report: 'drawing, timeline, checks and below',
  'what-if': 'verdict and below',
  snapshots: 'checks, defaulting and below',
  admission: 'verdict and below',
  files: 'nothing of ours',
  kubernetes: 'files, text',
  sources: 'kubernetes, files, yaml, facts and below',
  certificates: 'kubernetes and below',
  manifests: 'sources and below',
  running: 'sources, kubernetes, verdict and below',
  observing: 'running, report, timeline, sources, kubernetes, verdict and below',
  impact: 'admission, what-if, sources, kubernetes, facts and below',
  server: 'running, admission and below',
  serve: 'server, impact, running, certificates, sources, kubernetes, admission and below, version.ts',
  observe: 'observing and below, version.ts',
  cli: 'serve, observe and below, drawing, what-if, snapshots, manifests and below, command-line, version.ts',
  'main.ts': 'cli, running',
  'probewright.js': 'main.ts',
  playground: 'cli, timeline, drawing, checks, manifests and below',
  api: 'cli, what-if, checks, manifests and below',
};
const AND_BELOW = ' and below';

/** The rooms that a cell of the table names. */
function roomsIn(cell) {
  if (cell === 'nothing of ours') return [];
  return cell.split(', ').flatMap((name) => {
    if (!name.endsWith(AND_BELOW)) return [name];
    const room = name.slice(0, -AND_BELOW.length);
    return [room, ...roomsIn(mayImport[room])];
  });
}

/** The imports that each room may have. */
export const rooms = Object.fromEntries(
  Object.entries(mayImport).map(([room, cell]) => [room, [...new Set(roomsIn(cell))]]),
);
/** The pure rooms: their files also run in a browser (test/browser.test.ts). */
export const pureRooms = [
  'text',
  'json',
  'command-line',
  'probes',
  'workload',
  'policy',
  'yaml',
  'facts',
  'checks',
  'defaulting',
  'verdict',
  'timeline',
  'drawing',
  'report',
  'what-if',
  'snapshots',
  'admission',
];
/** Files beside the rooms that every room may import. They import nothing of ours. */
export const shared = ['steps.ts'];

const directionZones = Object.entries(rooms).map(([room, allowed]) => ({
  target: `./src/${room}`,
  from: Object.keys(rooms)
    .filter((other) => other !== room && !allowed.includes(other))
    .map((other) => `./src/${other}`),
  message: `src/${room} may import only: ${allowed.join(', ') || 'nothing of ours'}. Imports run one way, see ARCHITECTURE.md.`,
}));

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'certs/', 'coverage/'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [createTypeScriptImportResolver()],
      'import-x/extensions': ['.ts'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
    },
    rules: {
      eqeqeq: 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // Reporting a problem is the last thing a reader does and its undefined is the result: `return this.report(...)`.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      'import-x/no-cycle': 'error',
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: [
            ...directionZones,
            {
              target: shared.map((file) => `./src/${file}`),
              from: Object.keys(rooms).map((other) => `./src/${other}`),
              message: 'Every room may import this file, so it imports nothing of ours.',
            },
          ],
        },
      ],
    },
  },
  {
    files: [...pureRooms.map((room) => `src/${room}/**/*.ts`), ...shared.map((file) => `src/${file}`)],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^node:|^pino$|^fastify$|^prom-client$|^@kubernetes/',
              message: 'A pure room knows no clock, network, logger, file or promise: pass the value in.',
            },
          ],
        },
      ],
      'no-restricted-globals': [
        'error',
        ...['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'process', 'console', 'performance'].map((name) => ({
          name,
          message: 'A pure room knows no clock, network, logger, file or promise: pass the value in.',
        })),
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'A pure room knows no clock: pass the time in.' },
        { object: 'Math', property: 'random', message: 'A decision is a function of (review, policies).' },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'FunctionDeclaration[async=true]', message: 'A pure room knows no promises.' },
        { selector: 'ArrowFunctionExpression[async=true]', message: 'A pure room knows no promises.' },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { regexp },
    rules: {
      // Tenants choose most texts. One expression with quadratic time on a long text stops a replica.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
      'max-lines': ['error', { max: 350, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: false, skipComments: false, IIFEs: true }],
      // Prettier breaks code; what remains are comments, and literals that cannot be broken.
      'max-len': [
        'error',
        { code: 120, ignoreUrls: true, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/process/http-app.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'fastify',
              allowTypeImports: true,
              message:
                'src/process/http-app.ts makes every app, so that each has its limits and starts from the bundle.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/cluster/client/**', ...pureRooms.map((room) => `src/${room}/**`)],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          // The query of a list: `limit: '500'`, `limit: String(size)`, `continue: token`.
          "ObjectExpression > Property[key.name='limit'][value.value=/^[0-9]+$/]",
          "ObjectExpression > Property[key.name='limit'][value.callee.name='String']",
          "ObjectExpression > Property[key.name='continue']",
          'Literal[value=/PartialObjectMetadataList/]',
        ].map((selector) => ({
          selector,
          message: 'Lists go through src/cluster/client/paged-list.ts: pages that are too long are halved there.',
        })),
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
