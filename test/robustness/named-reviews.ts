import { appContainer, pod, reviewOf } from '../support/worlds.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** Hostile texts by what they are called; made when they are wanted, as some are megabytes. */
export type NamedTexts = Readonly<Record<string, () => string>>;

/** A text for each of these. */
export function textsOf<T>(items: readonly T[], entry: (item: T) => [name: string, text: () => string]): NamedTexts {
  return Object.fromEntries(items.map(entry));
}

/** The most that an API server takes from a client. */
const MAXIMUM_BYTES = 3 * 1024 * 1024;

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const keys = (count: number, prefix: string, value: (index: number) => unknown = () => ''): JsonObject =>
  Object.fromEntries(times(count, (index) => [`${prefix}${index}`, value(index)]));

const probe = (port: unknown, more: JsonObject = {}): JsonObject => ({ httpGet: { path: '/', port }, ...more });
const threeProbes = (port: unknown): JsonObject => ({
  livenessProbe: probe(port, { periodSeconds: 1, timeoutSeconds: 5 }),
  readinessProbe: probe(port),
  startupProbe: probe(port, { failureThreshold: 1 }),
});

/** A Pod or a Deployment with these containers; both webhooks look into the first, `/validate` into the second. */
const createOf = (containers: readonly unknown[], members: Parameters<typeof pod>[1] = {}): string =>
  JSON.stringify(reviewOf(pod(containers, members)));

/** A Pod with these annotations of ours. */
const annotated = (ours: JsonObject, containers: readonly unknown[] = [appContainer()]): string => {
  const annotations = Object.fromEntries(Object.entries(ours).map(([key, value]) => [`probewright.dev/${key}`, value]));
  return createOf(containers, { metadata: { annotations } });
};

function deployment(containers: readonly unknown[], members: Parameters<typeof pod>[1] = {}): JsonObject {
  const { metadata, spec } = pod(containers, members);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'apps' },
    spec: { template: { metadata, spec } },
  };
}

/** A JobSet with so many jobs of these containers. */
function jobSetOf(count: number, containers: readonly unknown[]): string {
  const template = { spec: { template: { spec: { containers } } } };
  const replicatedJobs = times(count, (i) => ({ name: `j${i}`, template }));
  const metadata = { name: 'jobs', namespace: 'apps' };
  return JSON.stringify(
    reviewOf({ apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', metadata, spec: { replicatedJobs } }),
  );
}

const deploymentOf = (...parts: Parameters<typeof deployment>): string =>
  JSON.stringify(reviewOf(deployment(...parts)));

/** An update whose old object differs in the last container, so that everything has to be looked at twice. */
function updateOf(containers: readonly JsonObject[], members: Parameters<typeof pod>[1] = {}): string {
  const old = containers.map((container, index) =>
    index === containers.length - 1 ? { ...container, livenessProbe: probe(1) } : container,
  );
  return JSON.stringify(
    reviewOf(deployment(containers, members), { operation: 'UPDATE', oldObject: deployment(old, members) }),
  );
}

const deep = (levels: number, open = '[', close = ']'): string => open.repeat(levels) + close.repeat(levels);
const deepObject = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
/** A marker that is replaced by raw JSON. */
const MARK = 'MARK';
const withRaw = (text: string, raw: string): string => text.replaceAll(`"${MARK}"`, raw);

const nested = (where: string, review: string): NamedTexts => ({
  [`nesting of 10,000 lists in ${where}`]: () => withRaw(review, deep(10_000)),
  [`nesting of 10,000 objects in ${where}`]: () => withRaw(review, deepObject(10_000)),
});

const nesting: NamedTexts = {
  'nesting of 10,000 levels for a body': () => deep(10_000),
  'nesting of 500,000 levels for a body': () => deep(500_000),
  ...nested('an unknown field', createOf([appContainer({ unknown: MARK })])),
  ...nested("a probe's port", createOf([appContainer({ livenessProbe: probe(MARK) })])),
  ...nested('a probe', deploymentOf([appContainer({ livenessProbe: MARK })])),
  ...nested('labels', createOf([appContainer()], { metadata: { labels: { app: MARK } } })),
  ...nested('an annotation', annotated({ skip: MARK })),
  ...nested('a Deployment of both', updateOf([appContainer({ unknown: MARK }), appContainer({ name: 'b' })])),
  ...nested('the user', JSON.stringify(reviewOf(pod([appContainer()]), { userInfo: { username: MARK } }))),
};

const sizes: NamedTexts = {
  'an object and an old object of 3 MiB each, in one annotation': () =>
    updateOf([appContainer(), appContainer({ name: 'b' })], {
      metadata: { annotations: { big: 'x'.repeat(MAXIMUM_BYTES) } },
    }),
  'an object and an old object of 3 MiB each, in environment variables': () =>
    updateOf([
      appContainer({ env: times(60_000, (index) => ({ name: `V${index}`, value: 'x'.repeat(20) })) }),
      appContainer({ name: 'b' }),
    ]),
  '100,000 keys in an object': () => JSON.stringify(reviewOf({ ...pod([appContainer()]), ...keys(100_000, 'k') })),
  '100,000 labels': () => createOf([appContainer()], { metadata: { labels: keys(100_000, 'k') } }),
  '100,000 annotations that look like ours': () => annotated(keys(100_000, 'k')),
  '100,000 keys in a container': () => deploymentOf([appContainer(keys(100_000, 'k'))]),
  '100,000 keys in a probe': () =>
    deploymentOf([appContainer({ livenessProbe: { ...probe('http'), ...keys(100_000, 'k') } })]),
  '100,000 containers to stand in for the main one': () =>
    annotated({ containers: times(100_000, (i) => `c${i}`).join(',') }),
  'an annotation of ours with a key of 3 MiB': () => annotated({ ['s'.repeat(MAXIMUM_BYTES)]: '' }),
  'an annotation of ours that is 3 MiB of commas': () =>
    annotated({ skip: ','.repeat(MAXIMUM_BYTES), containers: 'a,'.repeat(MAXIMUM_BYTES / 2) }),
  'what was injected before, as 3 MiB of JSON': () =>
    annotated({ injected: JSON.stringify(keys(100_000, 'c', () => ({ livenessProbe: 'x' }))) }),
  'what was injected before, for 270,000 containers': () =>
    annotated({ injected: JSON.stringify(keys(270_000, '', () => ({}))) }),
  '400,000 containers to stand in for the main one, that the Pod does not have': () =>
    annotated({ containers: times(400_000, (i) => i.toString(36)).join(','), 'startup-seconds': '60' }),
  'a name of 100 KB in a container with 1,000 faults': () =>
    deploymentOf([
      appContainer({
        name: 'n'.repeat(100_000),
        livenessProbe: {
          httpGet: { path: '/', port: 80, httpHeaders: times(1000, () => ({ name: 'h', value: '\u0001' })) },
        },
      }),
    ]),
  'port names of 1 MiB that have to be escaped': () =>
    deploymentOf([appContainer(threeProbes(`-${'\x7f'.repeat(MAXIMUM_BYTES / 3)}--`))]),
  'a namespace of 3 MiB': () =>
    JSON.stringify(reviewOf(pod([appContainer()]), { namespace: 'n'.repeat(MAXIMUM_BYTES) })),
  'what was injected before, nested 10,000 levels': () => annotated({ injected: deepObject(10_000) }),
};

const many: NamedTexts = {
  '300 containers without probes': () => createOf(times(300, (i) => appContainer({ name: `c${i}` }))),
  '300 containers with three probes each': () =>
    deploymentOf(times(300, (i) => appContainer({ name: `c${i}`, ...threeProbes('http') }))),
  '300 containers with probes on ports that nobody declares': () =>
    deploymentOf(times(300, (i) => appContainer({ name: `c${i}`, ...threeProbes(`p${i}`) }))),
  '300 containers that are updated': () =>
    updateOf(times(300, (i) => appContainer({ name: `c${i}`, ...threeProbes('http') }))),
  '300 containers of one name': () => deploymentOf(times(300, () => appContainer(threeProbes('htp')))),
  '300 containers that are no objects': () => deploymentOf(times(300, (i) => (i % 2 === 0 ? null : [i]))),
  '300 init containers that always restart': () =>
    deploymentOf([appContainer()], {
      spec: {
        initContainers: times(300, (i) =>
          appContainer({ name: `i${i}`, restartPolicy: 'Always', ...threeProbes('http') }),
        ),
      },
    }),
  '300 containers that a policy and an annotation name': () =>
    annotated(
      { containers: times(300, (i) => `c${i}`).join(','), 'startup-seconds': '60' },
      times(300, (i) => appContainer({ name: `c${i}` })),
    ),
  '3 MiB of the smallest containers': () => createOf(times(MAXIMUM_BYTES / 13, () => ({ name: 'a' }))),
  '3 MiB of the smallest containers, in a Deployment': () =>
    deploymentOf(times(MAXIMUM_BYTES / 13, () => ({ name: 'a' }))),
  '3 MiB of the smallest probes': () =>
    deploymentOf(times(MAXIMUM_BYTES / 60, (i) => ({ name: `a${i}`, livenessProbe: {}, readinessProbe: {} }))),
  '4,900 ports in one container, and probes that miss them all': () =>
    deploymentOf([
      {
        ...appContainer(threeProbes('wrong-name')),
        ports: times(4900, (i) => ({ name: `p${i}`, containerPort: i + 1 })),
      },
    ]),
  '160 containers that share 50 ports': () =>
    deploymentOf(
      times(160, (i) => ({
        ...appContainer({ name: `c${i}`, ...threeProbes(`p${i % 50}`) }),
        ports: times(10, (p) => ({ name: `p${(i + p) % 50}`, containerPort: 1000 + ((i + p) % 50) })),
      })),
    ),
  '4,900 headers in a probe': () =>
    deploymentOf([
      appContainer({
        livenessProbe: {
          httpGet: {
            path: '/',
            port: 'http',
            httpHeaders: times(4900, (i) => ({ name: `h${i % 10}`, value: '\u0001' })),
          },
        },
      }),
    ]),
  ...textsOf(['ports', 'restartPolicyRules'] as const, (list) => [
    `220,000 ${list} that are null`,
    () => deploymentOf([appContainer({ [list]: times(220_000, () => null) })]),
  ]),
  '5,000 ports that are null': () => deploymentOf([appContainer({ ports: times(5000, () => null) })]),
  '400,000 headers that are null': () =>
    deploymentOf([appContainer({ livenessProbe: { httpGet: { port: 80, httpHeaders: times(400_000, () => null) } } })]),
  '100,000 names of containers, for 300 containers': () =>
    annotated(
      { containers: `${'x,'.repeat(100_000)}x`, 'startup-seconds': '60' },
      times(300, (i) => ({ name: `c${i}` })),
    ),
  ...textsOf(
    [
      ['4,000 port names of 1 KB with five faults each', 4000, `\u4e16${'\x7f'.repeat(988)}`],
      ['2,800 port names of 1 KB with five faults each', 2800, '\x7f'.repeat(990)],
      ['4,900 port names with five faults each', 4900, '!'.repeat(170)],
    ] as const,
    ([name, count, text]) => [
      name,
      () =>
        deploymentOf([
          { ...appContainer(), ports: times(count, (i) => ({ name: `-${i}--${text}-`, containerPort: 1 })) },
        ]),
    ],
  ),
  '1,600 header names of 200 characters that are none, in each of three probes': () => {
    const httpHeaders = times(1600, (i) => ({ name: `${i}${'\x7f'.repeat(200)}`, value: '' }));
    const own = { httpGet: { path: '/', port: 'http', httpHeaders } };
    return deploymentOf([appContainer({ livenessProbe: own, readinessProbe: own, startupProbe: own })]);
  },
  'two ports with names of 3 MB, and probes that miss them': () => {
    const ports = [0, 1].map((i) => ({ name: `\u4e16${i}${'x'.repeat(3_000_000)}`, containerPort: 8000 + i }));
    return deploymentOf([{ ...appContainer(threeProbes('nope')), readinessProbe: probe(99), ports }]);
  },
  'a JobSet of four templates with 75 containers each': () =>
    jobSetOf(
      4,
      times(75, (i) => ({ name: `c${i}`, ...threeProbes('nope') })),
    ),
  'a JobSet of 100 templates with 40 port names with five faults each': () => {
    const ports = times(40, (i) => ({ name: `-${i}--${'!'.repeat(170)}-`, containerPort: 1 }));
    return jobSetOf(100, [{ name: 'app', ports }]);
  },
  '200,000 words in a command': () =>
    deploymentOf([appContainer({ livenessProbe: { exec: { command: times(200_000, () => 'ls') } } })]),
};

/** What backtracking patterns are slow for: long runs that nearly match, and end otherwise. */
export const PATTERN_TRAPS: readonly (readonly [name: string, text: string])[] = [
  ['a long word that ends badly', `${'a'.repeat(100_000)}!`],
  ['many hyphens', `${'a-'.repeat(50_000)}!`],
  ['many dots', `${'a.'.repeat(50_000)}!`],
  ['many slashes', `${'/'.repeat(100_000)}\n`],
  ['many digits', `${'1'.repeat(100_000)}x`],
  ['many spaces', `${' '.repeat(100_000)}x`],
  ['many colons', `[${':'.repeat(100_000)}`],
  ['many quotes', `${'\'"`$('.repeat(20_000)}x`],
  ['many surrogates', `${'\ud83d\ude00'.repeat(50_000)}\ud800`],
  ['many line ends', `${'\r\n'.repeat(50_000)}x`],
  ['many words in brackets', `${' (a-b)'.repeat(20_000)} `],
  ['many metrics', `${'-metrics'.repeat(12_000)}x`],
];

const patterns: NamedTexts = textsOf(PATTERN_TRAPS, ([name, trap]) => [
  `${name} wherever a pattern looks`,
  () => {
    const trapped = {
      name: trap,
      ports: [
        { name: trap, containerPort: 1 },
        { name: 'http', containerPort: 2 },
      ],
      livenessProbe: {
        httpGet: { path: trap, port: trap, host: trap, scheme: trap, httpHeaders: [{ name: trap, value: trap }] },
      },
      readinessProbe: { exec: { command: [trap, trap] } },
      startupProbe: { grpc: { port: trap, service: trap } },
    };
    const metadata = {
      name: trap,
      generateName: trap,
      labels: { [trap]: trap, app: trap },
      annotations: {
        [`probewright.dev/${trap}`]: trap,
        'probewright.dev/startup-seconds': trap,
        'probewright.dev/liveness-endpoint': `/${trap}`,
        'probewright.dev/containers': trap,
        'probewright.dev/skip': trap,
        'probewright.dev/injected': trap,
        'kubectl.kubernetes.io/default-container': trap,
      },
    };
    const object = {
      ...deployment([trapped, appContainer({ name: trap })], {
        metadata,
        spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: trap },
      }),
    };
    return JSON.stringify(reviewOf(object, { name: trap, uid: trap, userInfo: { username: trap } }));
  },
]);

const patternsInPods: NamedTexts = textsOf(PATTERN_TRAPS, ([name, trap]) => [
  `${name} in a Pod's annotations and ports`,
  () =>
    createOf([{ name: trap, ports: [{ name: trap, containerPort: 1 }] }, appContainer()], {
      metadata: {
        annotations: {
          [`probewright.dev/${trap}`]: trap,
          'probewright.dev/startup-endpoint': `/${trap}`,
          'probewright.dev/startup-seconds': trap,
          'probewright.dev/containers': trap,
        },
      },
    }),
]);

/** JSON that says odd things in few bytes. */
const ODD_VALUES: Readonly<Record<string, string>> = {
  'a lone high surrogate': '"\\ud800"',
  'a lone low surrogate': '"\\udc00x\\ud800"',
  NUL: '"\\u0000"',
  'control characters': '"\\u0001\\u0007\\u001b[31m\\u2028\\u0085"',
  '1e400': '1e400',
  '-1e400': '-1e400',
  'a number of 10,000 digits': '9'.repeat(10_000),
  '-0': '-0',
  'a number past 2^53': '9007199254740993',
  '5e-324': '5e-324',
  '2147483648': '2147483648',
  '-9223372036854775808': '-9223372036854775808',
  'a list for everything': '[]',
  'an object for everything': '{}',
  'true for everything': 'true',
  'null for everything': 'null',
  'an object with toString and valueOf': '{"toString":1,"valueOf":2,"toJSON":3,"length":4}',
};

/** `raw` stands in an env variable, a probe's number, its port, a name and a label. */
function oddValue(raw: string): string {
  const object = deployment(
    [
      appContainer({
        env: [{ name: 'A', value: MARK }],
        livenessProbe: probe(MARK, { periodSeconds: MARK, failureThreshold: MARK, initialDelaySeconds: MARK }),
      }),
      appContainer({ name: MARK, readinessProbe: { exec: { command: [MARK] } }, startupProbe: MARK }),
    ],
    {
      metadata: {
        labels: { app: MARK },
        annotations: { 'probewright.dev/skip': MARK, 'probewright.dev/containers': MARK },
      },
      spec: { restartPolicy: MARK, terminationGracePeriodSeconds: MARK },
    },
  );
  return withRaw(JSON.stringify(reviewOf(object, { name: MARK, userInfo: MARK })), raw);
}

const ODD_KEYS = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'toJSON', 'then'];

const odd: NamedTexts = {
  ...textsOf(Object.entries(ODD_VALUES), ([name, raw]) => [name, () => oddValue(raw)]),
  ...textsOf(ODD_KEYS, (key) => [
    `a ${key} key`,
    () => oddValue(`{"${key}":{"livenessProbe":null,"containers":[],"allowed":true,"name":"x"}}`),
  ]),
  ...textsOf(ODD_KEYS, (key) => [
    `a ${key} key beside every key`,
    () => createOf([appContainer()]).replaceAll('{"', `{"${key}":{"polluted":true},"`),
  ]),
  ...textsOf(ODD_KEYS, (key) => [
    `names that are ${key}`,
    () =>
      createOf([appContainer({ name: key, ports: [{ name: key, containerPort: 1 }] })], {
        metadata: {
          labels: { [key]: key },
          annotations: { [`probewright.dev/${key}`]: key, 'probewright.dev/injected': `{"${key}":{"${key}":"x"}}` },
        },
      }),
  ]),
  'every key twice': () => createOf([appContainer(threeProbes('http'))]).replaceAll(/"(\w+)":/g, '"$1":null,"$1":'),
  'every key twice, the second a list': () =>
    createOf([appContainer()]).replaceAll(/"(\w+)":"(\w+)"/g, '"$1":"$2","$1":[]'),
};

const notJson: NamedTexts = textsOf(
  Object.entries({
    nothing: '',
    'half an object': createOf([appContainer()]).slice(0, 300),
    'two objects': '{}{}',
    'single quotes': "{'kind':'AdmissionReview'}",
    YAML: 'kind: AdmissionReview\n',
    NaN: '{"kind":NaN}',
    'a byte order mark': `\ufeff${createOf([appContainer()])}`,
    'an unfinished string of 3 MiB': `{"a":"${'x'.repeat(MAXIMUM_BYTES)}`,
    '3 MiB of open brackets': '['.repeat(MAXIMUM_BYTES),
    'a raw lone surrogate': '"\ud800"',
    'a raw NUL': '{"a":"\0"}',
    'a number': '5',
    null: 'null',
    'a list': '[]',
    'an empty object': '{}',
  }),
  ([name, text]) => [`not a review: ${name}`, () => text],
);

/** Reviews that somebody would send who wants to do harm. */
export const NAMED_REVIEWS: NamedTexts = {
  ...notJson,
  ...nesting,
  ...sizes,
  ...many,
  ...patterns,
  ...patternsInPods,
  ...odd,
};
