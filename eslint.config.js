import importX from 'eslint-plugin-import-x';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';

/**
 * The rooms of src/, lowest first, in the words of the table in ARCHITECTURE.md. A room may import the rooms listed for it, and nothing else of
 * ours. `and below` = and all that this room may import. test/architecture.test.ts compares the tables, and finds cycles.
 */
const mayImport = {
  base: 'nothing of ours',
  yaml: 'base',
  engine: 'base',
  explain: 'engine and below',
  native: 'engine and below',
  cluster: 'engine, yaml and below',
  process: 'cluster and below',
  webhook: 'process and below',
  observer: 'process, explain, native and below',
  cli: 'webhook, observer, native and below',
  package: 'cli and below',
  'main.ts': 'cli and below',
  'probewright.js': 'base, main.ts',
};

/** The rooms that a cell of the table names. */
function roomsIn(cell) {
  if (cell === 'nothing of ours') return [];
  const named = cell.replace(' and below', '').split(', ');
  return cell.endsWith(' and below') ? named.flatMap((room) => [room, ...roomsIn(mayImport[room])]) : named;
}

/** The imports that each room may have. */
export const rooms = Object.fromEntries(
  Object.entries(mayImport).map(([room, cell]) => [room, [...new Set(roomsIn(cell))]]),
);
/** The pure folders: their files also run in a browser (test/browser.test.ts). */
export const pureRooms = [
  'base/text',
  'base/json',
  'yaml',
  'engine',
  'explain',
  'native',
  'webhook/review',
  'cli/flags',
  'cli/snapshot/items',
];

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
          zones: directionZones,
        },
      ],
    },
  },
  {
    files: pureRooms.map((room) => `src/${room}/**/*.ts`),
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
