import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { MOST_BYTES } from '../../src/engine/workload/size-limits.ts';
import { clusterPolicyDocument, pod, policyDocument, reviewOf } from '../support/worlds.ts';
import { readable, report } from './figures.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** The first review of a process costs at most so many times what a plain update of 300 containers costs there. */
const MOST_TIMES = 3;
/** Fresh processes for each review. The least time counts: others use the same caches and cores. */
const PROCESSES = 2;
const MOST_CONTAINERS = 300;

type ContainerOf = (index: number, tag: string) => JsonObject;
const KINDS = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const withProbes = (count: number, of: (kind: number) => JsonObject): JsonObject =>
  Object.fromEntries(KINDS.slice(0, count).map((kind, at) => [kind, of(at)]));
const exec = (...command: string[]): JsonObject => ({ exec: { command } });
const filled = (unit: string, length: number): string => unit.repeat(length / unit.length);
const every = <T>(count: number, of: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => of(at));

const plain: ContainerOf = (_, tag) => withProbes(3, () => exec('curl', tag));
const scripts =
  (unit: string, length: number, probes: number): ContainerOf =>
  (index, tag) =>
    withProbes(probes, (kind) => exec('sh', '-c', `${tag}${index}${kind};${filled(unit, length)}`));

/** The shapes of which a sweep over places and texts found that they cost most. All strings fill the body. */
const SHAPES: Readonly<Record<string, ContainerOf>> = {
  ...Object.fromEntries(
    ['a;', 'a#\n', '!a;', 'env a ', '$(a)'].map((unit) => [
      `two scripts of ${JSON.stringify(unit)} each`,
      scripts(unit, 3900, 2),
    ]),
  ),
  'three scripts each': scripts('curl a;', 3700, 3),
  'three short scripts each': scripts('curl a;', 50, 3),
  'scripts of containers': (index, tag) => ({
    command: ['sh', '-c', `${tag}${index};${filled('a;', 3900)}`],
    ...withProbes(1, () => exec('sh', '-c', `${tag}${index};${filled('a;', 3900)}`)),
  }),
  'paths with variables': (_, tag) =>
    withProbes(3, () => ({ httpGet: { path: `${tag}${filled('$(A)', 3900)}`, port: 8081 } })),
  'paths with URLs': (_, tag) =>
    withProbes(3, () => ({ httpGet: { path: `${tag}${filled('http://', 3900)}`, port: 8081 } })),
  'headers with variables': (_, tag) => ({
    livenessProbe: {
      httpGet: {
        port: 8081,
        httpHeaders: every(7, (at) => ({ name: `Authorization${at}`, value: `${tag}${filled('$(A)', 900)}` })),
      },
    },
  }),
  arguments: (_, tag) => ({
    args: every(10, (at) => `--listen${at}=:8${at} ${tag}${filled('--listen=127.0.0.1:1,', 380)}`),
    livenessProbe: { httpGet: { path: '/ready', port: 8081 } },
  }),
  'no probe': (_, tag) => ({ image: tag }),
};

const CHECKS = Object.keys(CHECK_CATALOGUE);
const floors = clusterPolicyDocument({
  checks: Object.fromEntries(CHECKS.map((id) => [id, { action: 'Deny', floor: 'Deny' }])),
});
/** Each policy names other containers, so that each container has its own set of layers. */
const tenant = every(100, (index) =>
  policyDocument(
    {
      containers: every(60, (position) => `c${(index * 37 + position) % MOST_CONTAINERS}`),
      kubernetesProbeEndpoints: { livenessProbe: `/l${index}` },
      probes: { readinessProbe: { periodSeconds: 5 + index } },
      checks: {
        ...Object.fromEntries(CHECKS.slice(0, 40).map((id) => [id, { action: 'Warn' }])),
        'exec-cost': { minimumPeriodSeconds: index + 1 },
      },
    },
    `p${index}`,
  ),
);

const directory = mkdtempSync(join(tmpdir(), 'probewright-first-review-'));
afterAll(() => rmSync(directory, { recursive: true }));

function fileOf(name: string, content: unknown): string {
  const file = join(directory, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const POLICIES = {
  'every floor': fileOf('floors', [floors]),
  'every floor, and 100 policies of a namespace': fileOf('tenant', [floors, ...tenant]),
};

function podOf(containerOf: ContainerOf, tag: string): JsonObject {
  const ports = [{ name: 'http', containerPort: 8080 }];
  return pod(every(MOST_CONTAINERS, (index) => ({ name: `c${index}`, image: 'x', ports, ...containerOf(index, tag) })));
}

/** The file of an update of a Deployment in which each container changes; for `/mutate`, of a Pod. */
function reviewFile(containerOf: ContainerOf, webhook: string): string {
  const deployment = (tag: string): JsonObject => {
    const template = { metadata: { labels: { app: 'web' } }, spec: podOf(containerOf, tag)['spec'] };
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'apps' },
      spec: { template },
    };
  };
  const review =
    webhook === 'mutate'
      ? reviewOf(podOf(containerOf, 'n'))
      : reviewOf(deployment('n'), { operation: 'UPDATE', oldObject: deployment('o') });
  expect(JSON.stringify(review).length).toBeLessThan(MOST_BYTES);
  return fileOf('review', review);
}

/** Milliseconds of processor time of the thread that decides, in a process that has decided nothing before. */
function firstCost(webhook: string, policies: string, containerOf: ContainerOf): number {
  const child = join(inject('builtProgram'), 'first-review.js');
  const review = reviewFile(containerOf, webhook);
  const costs = every(PROCESSES, () => {
    const printed = execFileSync(process.execPath, [child, webhook, policies, review], { encoding: 'utf8' });
    const { milliseconds, answer } = JSON.parse(printed) as { milliseconds: number; answer: string };
    // A refusal of the whole object would be cheap.
    expect(answer).not.toContain('not looked at');
    return milliseconds;
  });
  return Math.min(...costs);
}

/** The shapes that cost most without policies of the namespace. */
const WORST = Object.fromEntries(Object.entries(SHAPES).filter(([shape]) => /a#|short|URLs/.test(shape)));

it.each([
  ['validate', 'every floor', SHAPES],
  ['validate', 'every floor, and 100 policies of a namespace', WORST],
  ['mutate', 'every floor, and 100 policies of a namespace', WORST],
] as const)(
  `the first /%s of a process costs at most ${MOST_TIMES} times a plain update, under %s`,
  (webhook, name, shapes) => {
    const usual = firstCost('validate', POLICIES[name], plain);
    const costs = Object.entries(shapes).map(([shape, of]) => [shape, firstCost(webhook, POLICIES[name], of)] as const);
    const [shape, took] = costs.reduce((one, other) => (other[1] > one[1] ? other : one));
    const times = took / usual;
    const figure = `${times.toFixed(1)} times a plain update (${readable(took)}, ${shape})`;
    report('Long decisions', `the first /${webhook} of a process, ${MOST_CONTAINERS} containers, ${name}`, figure);
    expect(times, shape).toBeLessThan(MOST_TIMES);
  },
);
