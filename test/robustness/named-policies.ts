import { PATTERN_TRAPS, type NamedText } from './named-reviews.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const keys = (count: number, prefix: string, value: unknown = ''): JsonObject =>
  Object.fromEntries(times(count, (index) => [`${prefix}${index}`, value]));

const policy = (spec: unknown, metadata: unknown = { name: 'hostile' }): string =>
  JSON.stringify({ apiVersion: 'probewright.dev/v1alpha1', kind: 'ClusterProbePolicy', metadata, spec });

const MARK = 'MARK';
const withRaw = (text: string, raw: string): string => text.replaceAll(`"${MARK}"`, raw);

/** A policy that takes a text in every place that takes one. */
const everywhere = (text: unknown): string =>
  policy(
    {
      workloadSelector: {
        matchLabels: { app: text, [String(text)]: text },
        matchExpressions: [
          { key: text, operator: text, values: [text] },
          { key: 'a', operator: 'In', values: [text] },
        ],
      },
      namespaceSelector: { matchLabels: { [`${String(text)}/x`]: text, [`x/${String(text)}`]: text } },
      priority: text,
      annotations: text,
      containers: [text],
      port: text,
      kubernetesProbeEndpoints: { startupProbe: text, livenessProbe: `/${String(text)}`, [String(text)]: text },
      probes: {
        livenessProbe: {
          httpGet: { path: text, port: text, host: text, scheme: text, httpHeaders: [{ name: text, value: text }] },
          periodSeconds: text,
        },
        readinessProbe: { exec: { command: [text] }, [String(text)]: text },
        startupProbe: { tcpSocket: { host: text, port: text } },
      },
      slowStart: { startupSeconds: text, [String(text)]: text },
      checks: {
        [String(text)]: { action: text },
        'exec-forbidden': { action: 'Deny', names: [text], probes: [text] },
        'dependency-liveness': { action: text, paths: [text], additionalPaths: [text] },
        'probe-handler': { allowed: [text] },
        'required-liveness': { containers: text },
        'probe-bounds': { livenessProbe: { [String(text)]: { minimum: text } } },
      },
      [String(text)]: text,
    },
    { name: text, namespace: text },
  );

const deep = '['.repeat(10_000) + ']'.repeat(10_000);
const deepObject = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;

/** Policy documents as JSON, which is YAML as well. */
export const NAMED_POLICIES: readonly NamedText[] = [
  { name: 'nesting of 10,000 levels for a policy', text: () => deep },
  { name: 'nesting of 10,000 lists wherever a value is wanted', text: () => withRaw(everywhere(MARK), deep) },
  {
    name: 'nesting of 10,000 objects in a selector',
    text: () => withRaw(policy({ workloadSelector: MARK }), deepObject),
  },
  {
    name: 'nesting of 10,000 objects in a parameter',
    text: () => withRaw(policy({ checks: { 'exec-forbidden': { names: MARK } } }), deepObject),
  },
  { name: '100,000 unknown fields', text: () => policy(keys(100_000, 'contaners')) },
  { name: '100,000 unknown checks', text: () => policy({ checks: keys(100_000, 'named-prt', {}) }) },
  {
    name: '100,000 unknown probes',
    text: () => policy({ probes: keys(100_000, 'liveness', {}), kubernetesProbeEndpoints: keys(100_000, 'liveness') }),
  },
  { name: '100,000 labels', text: () => policy({ workloadSelector: { matchLabels: keys(100_000, 'k') } }) },
  {
    name: '100,000 requirements',
    text: () =>
      policy({
        workloadSelector: {
          matchExpressions: times(100_000, (i) => ({ key: `k${i}`, operator: 'In', values: ['x'] })),
        },
      }),
  },
  {
    name: '100,000 values of a requirement',
    text: () =>
      policy({
        namespaceSelector: { matchExpressions: [{ key: 'k', operator: 'In', values: times(100_000, (i) => `v${i}`) }] },
      }),
  },
  { name: '100,000 containers', text: () => policy({ containers: times(100_000, (i) => `c${i}`) }) },
  {
    name: '100,000 forbidden names',
    text: () => policy({ checks: { 'exec-forbidden': { names: times(100_000, (i) => `n${i}`) } } }),
  },
  {
    name: '100,000 headers',
    text: () =>
      policy({
        probes: {
          livenessProbe: {
            httpGet: { path: '/', httpHeaders: times(100_000, (i) => ({ name: `h${i}`, value: 'v' })) },
          },
        },
      }),
  },
  {
    name: '100,000 words in a command',
    text: () => policy({ probes: { livenessProbe: { exec: { command: times(100_000, () => 'x') } } } }),
  },
  {
    name: 'a key of 3 MiB',
    text: () => policy({ ['c'.repeat(3 * 1024 * 1024)]: 1, checks: { ['n'.repeat(100_000)]: {} } }),
  },
  ...PATTERN_TRAPS.map(([name, trap]) => ({
    name: `${name} in every place of a policy`,
    text: (): string => everywhere(trap),
  })),
  ...[
    '"\\ud800"',
    '"\\u0000"',
    '1e400',
    '-0',
    '9'.repeat(5000),
    '2147483648',
    '0.5',
    '[]',
    '{}',
    'null',
    'true',
    '{"__proto__":{"a":1},"constructor":2}',
    '["__proto__","constructor"]',
  ].map((raw) => ({
    name: `${raw.length > 50 ? 'a number of 5,000 digits' : raw} in every place of a policy`,
    text: (): string => withRaw(everywhere(MARK), raw),
  })),
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((key) => ({
    name: `names and keys that are ${key}`,
    text: (): string => everywhere(key),
  })),
  { name: 'every key twice', text: () => everywhere('x').replaceAll(/"(\w+)":/g, '"$1":null,"$1":') },
];

const bomb = (levels: number, width: number): string =>
  times(
    levels,
    (level) => `k${level}: &a${level} [${times(width, () => (level === 0 ? 'lol' : `*a${level - 1}`)).join(', ')}]`,
  ).join('\n');
const mergeBomb = (levels: number): string =>
  `k0: &a0 { x: 1 }\n${times(levels, (level) => `k${level + 1}: &a${level + 1}\n  <<: [*a${level}, *a${level}, *a${level}, *a${level}]\n  m${level}: *a${level}`).join('\n')}`;
const header = 'apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: hostile }\n';
const workload =
  'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec:\n  template:\n    spec:\n      containers:\n';
const container = (index: number): string =>
  `        - name: c${index}\n          image: x\n          ports: [{ name: http, containerPort: 8080 }]\n          livenessProbe: { httpGet: { path: /l, port: http } }\n`;

/** YAML that a command or the policy directory may meet. */
export const NAMED_YAML: readonly NamedText[] = [
  { name: 'nothing', text: () => '' },
  { name: 'an alias in its own list', text: () => `${header}spec: &a { containers: [*a] }` },
  { name: 'an alias that is its own mapping', text: () => '&a { a: *a }' },
  { name: 'two anchors that contain each other', text: () => 'a: &a { b: *b }\nb: &b { a: *a }' },
  { name: 'a merge key that merges itself', text: () => '&a\n<<: *a\nkind: Pod' },
  { name: 'a billion laughs', text: () => bomb(10, 10) },
  { name: 'a billion laughs in a policy', text: () => `${header}spec:\n${bomb(10, 10).replaceAll(/^/gm, '  ')}` },
  {
    name: 'a quadratic bomb of aliases',
    text: () => `a: &a "${'x'.repeat(50_000)}"\nb: [${times(50_000, () => '*a').join(',')}]`,
  },
  { name: 'a bomb of merge keys', text: () => mergeBomb(12) },
  { name: 'a bomb in a Deployment', text: () => `${bomb(9, 9)}\n${workload}${container(0)}          env: *a8\n` },
  { name: 'an alias of an unknown anchor, 50,000 times', text: () => `a: [${times(50_000, () => '*x').join(',')}]` },
  { name: '50,000 anchors', text: () => `a: [${times(50_000, (i) => `&a${i} ${i}`).join(',')}]` },
  { name: '10,000 open brackets', text: () => `a: ${'['.repeat(10_000)}` },
  { name: '10,000 lists in lists', text: () => `${'['.repeat(10_000)}${']'.repeat(10_000)}` },
  { name: '10,000 lists in lists, in block style', text: () => '- '.repeat(10_000) },
  {
    name: '2,000 mappings in mappings, in block style',
    text: () => times(2000, (i) => `${' '.repeat(i)}a:`).join('\n'),
  },
  { name: '10,000 keys that are mappings', text: () => '? '.repeat(10_000) },
  { name: '10,000 open braces of a template', text: () => `a: ${'{{ '.repeat(10_000)}` },
  { name: '30,000 keys', text: () => times(30_000, (i) => `k${i}: v`).join('\n') },
  { name: '20,000 equal keys', text: () => times(20_000, () => 'k: v').join('\n') },
  { name: '10,000 documents', text: () => '---\na: 1\n'.repeat(10_000) },
  { name: '30,000 document markers', text: () => '---\n'.repeat(30_000) },
  { name: '30,000 ends of documents', text: () => '...\n'.repeat(30_000) },
  { name: '100,000 comments before a document', text: () => `${'# x\n'.repeat(100_000)}---\na: 1\n` },
  { name: '20,000 comments and documents', text: () => '# x\n---\n'.repeat(20_000) },
  { name: '20,000 directives', text: () => `${'%YAML 1.1\n'.repeat(20_000)}---\na: 1\n` },
  { name: '20,000 tags', text: () => times(20_000, (i) => `- !t${i} x`).join('\n') },
  { name: '5,000 JSON objects in a row', text: () => '{"a":1}'.repeat(5000) },
  { name: 'an unfinished string of 1 MiB', text: () => `a: "${'x'.repeat(1024 * 1024)}` },
  { name: 'an unfinished string of 1 MiB of lines', text: () => `a: '${'x\n  '.repeat(250_000)}` },
  { name: 'a plain text of 100,000 lines', text: () => `a: x${'\n  x'.repeat(100_000)}` },
  { name: 'a block of 200,000 lines', text: () => `a: |\n${'  x\n'.repeat(200_000)}` },
  { name: 'a line of 1 MiB of spaces', text: () => `a:${' '.repeat(1024 * 1024)}b` },
  { name: '300,000 bytes of line ends', text: () => '\r\n'.repeat(150_000) },
  {
    name: '100,000 digits',
    text: () =>
      `a: ${'1'.repeat(100_000)}\nb: ${'1_'.repeat(50_000)}\nc: ${'1:'.repeat(50_000)}x\nd: 0x${'f'.repeat(50_000)}.`,
  },
  {
    name: 'NUL, lone surrogates and byte order marks',
    text: () => `a: "\0"\n\ufeff---\nb: \ud800\n"\udc00": [\ufeff]\n`,
  },
  { name: 'tabs for indentation', text: () => `a:\n${'\t'.repeat(10_000)}b: 1` },
  {
    name: '__proto__ for keys',
    text: () =>
      `${header}spec: { __proto__: { containers: [x] }, constructor: { prototype: {} } }\n__proto__: { kind: Pod }`,
  },
  { name: '5,000 containers', text: () => workload + times(5000, container).join('') },
  {
    name: '500 objects in a List',
    text: () =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: times(500, (i) => ({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: `p${i}` },
          spec: { containers: [{ name: 'a', ports: [{ containerPort: 80 }] }] },
        })),
      }),
  },
  { name: 'Lists in Lists, 400 levels', text: () => `${'{"kind":"List","items":['.repeat(240)}{}${']}'.repeat(240)}` },
  ...PATTERN_TRAPS.map(([name, trap]) => ({
    name: `${name} for a value, a key and a name`,
    text: (): string =>
      `${JSON.stringify(trap)}: ${JSON.stringify(trap)}\n---\n${workload}${container(0)}          x: ${JSON.stringify(trap)}\n---\n${trap}: ${trap}`,
  })),
];
