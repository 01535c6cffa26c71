import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';

/**
 * The rooms of src/, lowest first. A room may import the rooms listed for it and nothing else of ours. test/architecture.test.ts
 * compares this table with the one in ARCHITECTURE.md and with the folders of src/.
 */
export const rooms = {
  text: [],
  json: ['text'],
  'command-line': ['text'],
  files: [],
  probes: ['json', 'text'],
  workload: ['probes', 'json', 'text'],
  policy: ['workload', 'probes', 'json', 'text'],
  yaml: ['json', 'text'],
  facts: ['policy', 'workload', 'probes', 'json', 'text'],
  checks: ['facts', 'policy', 'workload', 'probes', 'json', 'text'],
  defaulting: ['facts', 'policy', 'workload', 'probes', 'json', 'text'],
  verdict: ['checks', 'defaulting', 'facts', 'policy', 'workload', 'probes', 'json', 'text'],
  timeline: ['verdict', 'defaulting', 'facts', 'policy', 'workload', 'probes', 'json', 'text'],
  drawing: ['timeline', 'verdict', 'defaulting', 'checks', 'facts', 'policy', 'workload', 'probes', 'json', 'text'],
  report: [
    'drawing',
    'timeline',
    'verdict',
    'defaulting',
    'checks',
    'facts',
    'policy',
    'workload',
    'probes',
    'json',
    'text',
  ],
  'what-if': ['verdict', 'checks', 'defaulting', 'facts', 'policy', 'workload', 'probes', 'json', 'text'],
  snapshots: ['verdict', 'defaulting', 'checks', 'facts', 'policy', 'workload', 'probes', 'json', 'text'],
  admission: ['verdict', 'checks', 'defaulting', 'facts', 'policy', 'workload', 'probes', 'json', 'text'],
  kubernetes: ['files', 'json', 'text'],
  sources: ['kubernetes', 'yaml', 'facts', 'files', 'policy', 'workload', 'probes', 'json', 'text'],
  certificates: ['kubernetes', 'files', 'json', 'text'],
  manifests: ['sources', 'yaml', 'kubernetes', 'facts', 'files', 'policy', 'workload', 'probes', 'json', 'text'],
  running: [
    'sources',
    'kubernetes',
    'yaml',
    'files',
    'verdict',
    'checks',
    'defaulting',
    'facts',
    'policy',
    'workload',
    'probes',
    'json',
    'text',
  ],
  observing: [
    'running',
    'report',
    'drawing',
    'timeline',
    'sources',
    'kubernetes',
    'yaml',
    'files',
    'verdict',
    'checks',
    'defaulting',
    'facts',
    'policy',
    'workload',
    'probes',
    'json',
    'text',
  ],
  impact: [
    'admission',
    'sources',
    'kubernetes',
    'what-if',
    'verdict',
    'checks',
    'defaulting',
    'yaml',
    'facts',
    'files',
    'policy',
    'workload',
    'probes',
    'json',
    'text',
  ],
  server: ['admission', 'verdict', 'defaulting', 'checks', 'facts', 'policy', 'workload', 'probes', 'json', 'text'],
};
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
/** The composition roots, and what only they may import. */
export const edges = ['main.ts', 'api', 'cli', 'playground', 'serve', 'observe', 'version.ts'];
/** Files beside the rooms that every room may import. They import nothing of ours. */
export const shared = ['steps.ts'];

const directionZones = Object.entries(rooms).map(([room, allowed]) => ({
  target: `./src/${room}`,
  from: [...Object.keys(rooms).filter((other) => other !== room && !allowed.includes(other)), ...edges].map(
    (other) => `./src/${other}`,
  ),
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
              from: [...Object.keys(rooms), ...edges].map((other) => `./src/${other}`),
              message: 'Every room may import this file, so it imports nothing of ours.',
            },
            {
              target: ['./src/serve', './src/observe', './src/version.ts'],
              from: ['./src/cli', './src/playground', './src/main.ts'],
              message: 'main imports cli, cli imports serve and observe; never the other way.',
            },
            {
              target: './src/cli',
              from: ['./src/playground', './src/main.ts'],
              message: 'The playground imports cli; never the other way.',
            },
            {
              target: './src/serve',
              from: './src/observe',
              message: 'What both processes need is in src/running.',
            },
            {
              target: './src/observe',
              from: './src/serve',
              message: 'What both processes need is in src/running.',
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
    rules: {
      'max-lines': ['error', { max: 350, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: false, skipComments: false, IIFEs: true }],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      // Prettier breaks code; what remains are comments, and literals that cannot be broken.
      'max-len': [
        'error',
        { code: 120, ignoreUrls: true, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true },
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
