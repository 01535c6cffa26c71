import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { validate } from '../../src/webhook/review/validate.ts';
import {
  clusterPolicyDocument,
  policyDocument,
  policySet,
  requestOf,
  reviewOf,
  VALIDATE_SETTINGS,
} from '../support/worlds.ts';
import { readable, report } from './figures.ts';
import { NOW } from '../support/now.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { Snapshot } from '../../src/engine/facts/snapshot.ts';

/** A review costs at most so many times what a plain review of as many containers and probes costs. */
const MOST_TIMES = 20;
/** Four times the containers may cost so many times as much: linear, with room for the garbage collector. */
const QUADRUPLING = 8;
const MOST_CONTAINERS = 300;
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
/** The longest text that is read. */
const LENGTH = 4096;
/** Some machines count processor time in ticks of 4 ms. */
const LEAST_MILLISECONDS = 40;

const repeated = (unit: string): string => unit.repeat(Math.ceil(LENGTH / unit.length));
const nested = (open: string, close: string): string => {
  const levels = Math.floor((LENGTH - 20) / (open.length + close.length));
  return open.repeat(levels) + close.repeat(levels);
};
const SCRIPTS: readonly string[] = [
  ...['a;', 'a|a', ';', '\n', '(', '$(a)', '`a`', '"$(a)"', '$((1))', '${A}', "'", '"', '\\', '-', 'a '].map(repeated),
  ...['<<E\na\nE\n', 'case a in a) b;; esac;', 'f() { a; };', 'if a; then b; fi;', 'curl -o a ', 'eval a;'].map(
    repeated,
  ),
  ...['--listen=:1 ', 'python;', 'ps | grep a;', 'kill ', 'timeout 5 ', 'rpk cluster '].map(repeated),
  ...[
    ['$(', ')'],
    ['"$(', ')"'],
    ['{ ', ';}'],
    ['( ', ')'],
    ["sh -c '", "'"],
  ].map(([a = '', b = '']) => nested(a, b)),
];

type ContainerOf = (index: number, text: string) => JsonObject;
/** Without other members: 300 containers with three such probes have almost as many elements as an object may have. */
const exec = (command: readonly string[]): JsonObject => ({ exec: { command } });
const http = { httpGet: { path: '/ready', port: 8081 } };
const ports = [{ name: 'http', containerPort: 8080 }];
const withProbes = (probe: (kind: number) => JsonObject): JsonObject =>
  Object.fromEntries(PROBES.map((kind, at) => [kind, probe(at)]));

/** A container with the text in one of its places. */
const PLACES: Readonly<Record<string, ContainerOf>> = {
  'scripts of three probes, all different': (index, text) =>
    withProbes((kind) => exec(['sh', '-c', `x${index}${kind} ${text}`.slice(0, LENGTH)])),
  'the same script of three probes': (_, text) => withProbes(() => exec(['sh', '-c', text.slice(0, LENGTH)])),
  'words of a command': (index, text) => ({
    livenessProbe: { ...exec(['check', `${index}`, text.slice(0, LENGTH)]), initialDelaySeconds: 100 },
  }),
  'the script of a container': (index, text) => ({
    command: ['sh', '-c', `x${index} ${text}`.slice(0, LENGTH)],
    livenessProbe: http,
  }),
};

/** Texts for fields that are no commands: what flags, URLs, headers, variables and names are looked up for. */
const FIELD_TEXTS = ['a-', '\n', '%2', '/_cluster/health', 'http://', '--listen=127.0.0.1:1,', '$(A)', 'Bearer '].map(
  repeated,
);
const every = (count: number, of: (at: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, at) => of(at));

/** Old and new together are as long as a body may be: at most three texts of this length in a container. */
const FIELDS: Readonly<Record<string, ContainerOf>> = {
  arguments: (_, text) => ({ args: every(2, () => text), livenessProbe: http }),
  'flags in arguments': (_, text) => ({
    args: every(5, (at) => `--listen${at}=:8${at} ${text.slice(0, 200)}`),
    ...withProbes(() => http),
  }),
  'names and values of headers': (_, text) => ({
    livenessProbe: { httpGet: { path: '/ready', port: 8081, httpHeaders: [{ name: text, value: text }] } },
  }),
  'paths of three probes': (_, text) => withProbes(() => ({ httpGet: { path: text, port: 8081 } })),
  'hosts of three probes': (_, text) => withProbes(() => ({ tcpSocket: { host: text, port: 8081 } })),
  'schemes of three probes': (_, text) => withProbes(() => ({ httpGet: { scheme: text, port: 8081 } })),
  'port names of three probes': (_, text) => withProbes(() => ({ httpGet: { path: '/', port: text } })),
  'services of three gRPC probes': (_, text) => withProbes(() => ({ grpc: { port: 8081, service: text } })),
  'names and values of variables': (_, text) => ({
    env: [{ name: text, value: text }],
    ...withProbes(() => exec(['check', '$(A)'])),
  }),
  'the name of a declared port': (_, text) => ({
    ports: [{ name: text, containerPort: 8080 }],
    ...withProbes(() => http),
  }),
  image: (_, text) => ({ image: text, ...withProbes(() => exec(['curl', 'x'])) }),
  'the name of a container': (index, text) => ({ name: `c${index}${text}`, ...withProbes(() => http) }),
  'unknown fields': (_, text) => withProbes(() => ({ ...http, [text]: 1 })),
  'no probe at all': (_, text) => ({ image: text.slice(0, 100) }),
};

function deployment(containerOf: ContainerOf, text: string, count: number, tag: string): JsonObject {
  const containers = Array.from({ length: count }, (_, index) => ({
    ...{ name: `c${index}`, image: 'x', ports },
    ...containerOf(index, tag + text),
  }));
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'apps' },
    spec: { template },
  };
}

const CHECKS = Object.keys(CHECK_CATALOGUE);
const floors = clusterPolicyDocument({
  checks: Object.fromEntries(CHECKS.map((id) => [id, { action: 'Deny', floor: 'Deny' }])),
});
/** Each policy names other containers, so that each container has its own set of layers. */
const tenant = Array.from({ length: 100 }, (_, index) =>
  policyDocument(
    {
      containers: Array.from({ length: 60 }, (_one, position) => `c${(index * 37 + position) % MOST_CONTAINERS}`),
      kubernetesProbeEndpoints: { livenessProbe: `/l${index}` },
      probes: { readinessProbe: { periodSeconds: 5 + index } },
      checks: {
        ...Object.fromEntries(CHECKS.map((id) => [id, { action: 'Warn' }])),
        'exec-cost': { minimumPeriodSeconds: index + 1 },
      },
    },
    `p${index}`,
  ),
);
const POLICIES: Readonly<Record<string, Snapshot>> = {
  'every floor': policySet(floors),
  'every floor, and 100 policies of a namespace': policySet(floors, ...tenant),
};

function milliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The processor time of an update in which each container changes. */
function cost(containerOf: ContainerOf, text: string, policies: Snapshot, count = MOST_CONTAINERS): number {
  const [object, oldObject] = ['n', 'o'].map((tag) => deployment(containerOf, text, count, tag)) as [
    JsonObject,
    JsonObject,
  ];
  const review = JSON.parse(JSON.stringify(reviewOf(object, { operation: 'UPDATE', oldObject }))) as unknown;
  const request = { ...requestOf(review), textLength: 0 };
  let [runs, sum] = [0, 0];
  for (; sum < LEAST_MILLISECONDS; runs += 1) {
    const before = milliseconds();
    const { violations } = validate(request, policies, VALIDATE_SETTINGS, NOW);
    sum += milliseconds() - before;
    expect(violations?.some(({ reason }) => reason === 'FieldValueTooMany')).not.toBe(true);
  }
  return sum / runs;
}

const plainContainer: ContainerOf = (_, text) => withProbes(() => exec(['curl', text]));
const plain = (count?: number): number => cost(plainContainer, '', policySet(), count);
/** The code is compiled, and the machine's clock of processor time has settled. */
for (let round = 0; round < 3; round++) plain();

const ALL_PLACES = [
  ...Object.entries(PLACES).map(([place, of]) => [place, of, SCRIPTS] as const),
  ...Object.entries(FIELDS).map(([place, of]) => [place, of, FIELD_TEXTS] as const),
];

describe.each(Object.entries(POLICIES))('under %s', (policyName, policies) => {
  it.each(ALL_PLACES)('a review costs little more than a plain one: %s', (place, containerOf, all) => {
    const usual = plain();
    // What texts cost does not depend on the policies of a namespace.
    const texts = policyName === 'every floor' ? all : all.slice(0, 1);
    const costs = texts.map((text) => ({ text, took: cost(containerOf, text, policies) }));
    const worst = costs.reduce((one, other) => (other.took > one.took ? other : one));
    const quarter = cost(containerOf, worst.text, policies, MOST_CONTAINERS / 4);
    const times = worst.took / usual;
    const what = `${MOST_CONTAINERS} containers, old and new: ${place}, ${policyName}`;
    const shown = JSON.stringify(worst.text.slice(0, 8));
    report(
      'Long decisions',
      what,
      `${times.toFixed(1)} times a plain review (${readable(worst.took)}, of ${shown} repeated)`,
    );
    expect(times, 'times a plain review').toBeLessThan(MOST_TIMES);
    expect(worst.took / Math.max(quarter, 10), 'times the cost of a quarter').toBeLessThan(QUADRUPLING);
  });
});

it('a plain review of 300 containers costs in proportion to them', () => {
  const [quarter, half, whole] = [75, 150, 300].map((count) => plain(count)) as [number, number, number];
  report(
    'Long decisions',
    'a plain update of 75, 150 and 300 containers',
    [quarter, half, whole].map(readable).join(', '),
  );
  expect(whole / quarter).toBeLessThan(QUADRUPLING);
});
