import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';

/**
 * The rooms of src/, lowest first, as ARCHITECTURE.md draws them. A room may import the rooms listed for it and nothing else
 * of ours.
 */
const rooms = {
  text: [],
  files: [],
  probes: ['text'],
  workload: ['probes', 'text'],
  policy: ['workload', 'probes', 'text'],
  checks: ['policy', 'workload', 'probes', 'text'],
  defaulting: ['policy', 'workload', 'probes', 'text'],
  verdict: ['checks', 'defaulting', 'policy', 'workload', 'probes', 'text'],
  admission: ['verdict', 'checks', 'defaulting', 'policy', 'workload', 'probes', 'text'],
  kubernetes: ['files', 'text'],
  sources: ['kubernetes', 'files', 'policy', 'workload', 'probes', 'text'],
  certificates: ['kubernetes', 'files', 'text'],
  server: ['admission', 'verdict', 'defaulting', 'checks', 'policy', 'workload', 'probes', 'text'],
};
const pureRooms = ['text', 'probes', 'workload', 'policy', 'checks', 'defaulting', 'verdict', 'admission'];
const edges = ['main.ts', 'cli', 'serve.ts', 'config.ts', 'flags.ts', 'log.ts', 'version.ts'];

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
              target: ['./src/serve.ts', './src/config.ts', './src/flags.ts', './src/log.ts', './src/version.ts'],
              from: ['./src/cli', './src/main.ts'],
              message: 'main imports cli, cli imports serve; never the other way.',
            },
          ],
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
              regex: '^node:(?!util$)|^pino$|^fastify$|^prom-client$|^@kubernetes/|^yaml$',
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
    files: ['**/*.js', '**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
