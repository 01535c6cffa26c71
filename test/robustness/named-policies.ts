import { PATTERN_TRAPS, textsOf, type NamedTexts } from './named-reviews.ts';
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
export const NAMED_POLICIES: NamedTexts = {
  'nesting of 10,000 levels for a policy': () => deep,
  'nesting of 10,000 lists wherever a value is wanted': () => withRaw(everywhere(MARK), deep),
  'nesting of 10,000 objects in a selector': () => withRaw(policy({ workloadSelector: MARK }), deepObject),
  'nesting of 10,000 objects in a parameter': () =>
    withRaw(policy({ checks: { 'exec-forbidden': { names: MARK } } }), deepObject),
  '100,000 unknown fields': () => policy(keys(100_000, 'contaners')),
  '100,000 unknown checks': () => policy({ checks: keys(100_000, 'named-prt', {}) }),
  '100,000 unknown probes': () =>
    policy({ probes: keys(100_000, 'liveness', {}), kubernetesProbeEndpoints: keys(100_000, 'liveness') }),
  '100,000 labels': () => policy({ workloadSelector: { matchLabels: keys(100_000, 'k') } }),
  '100,000 requirements': () =>
    policy({
      workloadSelector: {
        matchExpressions: times(100_000, (i) => ({ key: `k${i}`, operator: 'In', values: ['x'] })),
      },
    }),
  '100,000 values of a requirement': () =>
    policy({
      namespaceSelector: { matchExpressions: [{ key: 'k', operator: 'In', values: times(100_000, (i) => `v${i}`) }] },
    }),
  '100,000 containers': () => policy({ containers: times(100_000, (i) => `c${i}`) }),
  '100,000 forbidden names': () => policy({ checks: { 'exec-forbidden': { names: times(100_000, (i) => `n${i}`) } } }),
  '100,000 headers': () =>
    policy({
      probes: {
        livenessProbe: {
          httpGet: { path: '/', httpHeaders: times(100_000, (i) => ({ name: `h${i}`, value: 'v' })) },
        },
      },
    }),
  '100,000 words in a command': () =>
    policy({ probes: { livenessProbe: { exec: { command: times(100_000, () => 'x') } } } }),
  'a key of 3 MiB': () => policy({ ['c'.repeat(3 * 1024 * 1024)]: 1, checks: { ['n'.repeat(100_000)]: {} } }),
  ...textsOf(PATTERN_TRAPS, ([name, trap]) => [`${name} in every place of a policy`, () => everywhere(trap)]),
  ...textsOf(
    [
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
    ],
    (raw) => [
      `${raw.length > 50 ? 'a number of 5,000 digits' : raw} in every place of a policy`,
      () => withRaw(everywhere(MARK), raw),
    ],
  ),
  ...textsOf(['__proto__', 'constructor', 'toString', 'hasOwnProperty'], (key) => [
    `names and keys that are ${key}`,
    () => everywhere(key),
  ]),
  'every key twice': () => everywhere('x').replaceAll(/"(\w+)":/g, '"$1":null,"$1":'),
};

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
export const NAMED_YAML: NamedTexts = {
  nothing: () => '',
  'an alias in its own list': () => `${header}spec: &a { containers: [*a] }`,
  'an alias that is its own mapping': () => '&a { a: *a }',
  'two anchors that contain each other': () => 'a: &a { b: *b }\nb: &b { a: *a }',
  'a merge key that merges itself': () => '&a\n<<: *a\nkind: Pod',
  'a billion laughs': () => bomb(10, 10),
  'a billion laughs in a policy': () => `${header}spec:\n${bomb(10, 10).replaceAll(/^/gm, '  ')}`,
  'a quadratic bomb of aliases': () => `a: &a "${'x'.repeat(50_000)}"\nb: [${times(50_000, () => '*a').join(',')}]`,
  'a bomb of merge keys': () => mergeBomb(12),
  'a bomb in a Deployment': () => `${bomb(9, 9)}\n${workload}${container(0)}          env: *a8\n`,
  'an alias of an unknown anchor, 50,000 times': () => `a: [${times(50_000, () => '*x').join(',')}]`,
  '50,000 anchors': () => `a: [${times(50_000, (i) => `&a${i} ${i}`).join(',')}]`,
  '10,000 open brackets': () => `a: ${'['.repeat(10_000)}`,
  '10,000 lists in lists': () => `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  '10,000 lists in lists, in block style': () => '- '.repeat(10_000),
  '2,000 mappings in mappings, in block style': () => times(2000, (i) => `${' '.repeat(i)}a:`).join('\n'),
  '10,000 keys that are mappings': () => '? '.repeat(10_000),
  '10,000 open braces of a template': () => `a: ${'{{ '.repeat(10_000)}`,
  '30,000 keys': () => times(30_000, (i) => `k${i}: v`).join('\n'),
  '20,000 equal keys': () => times(20_000, () => 'k: v').join('\n'),
  '10,000 documents': () => '---\na: 1\n'.repeat(10_000),
  '30,000 document markers': () => '---\n'.repeat(30_000),
  '30,000 ends of documents': () => '...\n'.repeat(30_000),
  '100,000 comments before a document': () => `${'# x\n'.repeat(100_000)}---\na: 1\n`,
  '20,000 comments and documents': () => '# x\n---\n'.repeat(20_000),
  '20,000 directives': () => `${'%YAML 1.1\n'.repeat(20_000)}---\na: 1\n`,
  '20,000 tags': () => times(20_000, (i) => `- !t${i} x`).join('\n'),
  '5,000 JSON objects in a row': () => '{"a":1}'.repeat(5000),
  'an unfinished string of 1 MiB': () => `a: "${'x'.repeat(1024 * 1024)}`,
  'an unfinished string of 1 MiB of lines': () => `a: '${'x\n  '.repeat(250_000)}`,
  'a plain text of 100,000 lines': () => `a: x${'\n  x'.repeat(100_000)}`,
  'a block of 200,000 lines': () => `a: |\n${'  x\n'.repeat(200_000)}`,
  'a line of 1 MiB of spaces': () => `a:${' '.repeat(1024 * 1024)}b`,
  '300,000 bytes of line ends': () => '\r\n'.repeat(150_000),
  '100,000 digits': () =>
    `a: ${'1'.repeat(100_000)}\nb: ${'1_'.repeat(50_000)}\nc: ${'1:'.repeat(50_000)}x\nd: 0x${'f'.repeat(50_000)}.`,
  'NUL, lone surrogates and byte order marks': () => `a: "\0"\n\ufeff---\nb: \ud800\n"\udc00": [\ufeff]\n`,
  'tabs for indentation': () => `a:\n${'\t'.repeat(10_000)}b: 1`,
  '__proto__ for keys': () =>
    `${header}spec: { __proto__: { containers: [x] }, constructor: { prototype: {} } }\n__proto__: { kind: Pod }`,
  '5,000 containers': () => workload + times(5000, container).join(''),
  '500 objects in a List': () =>
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
  'Lists in Lists, 400 levels': () => `${'{"kind":"List","items":['.repeat(240)}{}${']}'.repeat(240)}`,
  ...textsOf(PATTERN_TRAPS, ([name, trap]) => [
    `${name} for a value, a key and a name`,
    () =>
      `${JSON.stringify(trap)}: ${JSON.stringify(trap)}\n---\n${workload}${container(0)}          x: ${JSON.stringify(trap)}\n---\n${trap}: ${trap}`,
  ]),
};
