import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../src/checks/catalogue.ts';
import { BOUNDS, MAX_SPEC_BYTES } from '../../src/policy/bounds.ts';
import { chartNodeArgs } from './chart-memory.ts';
import { ask, askHealth } from './client.ts';
import { mebibytes, readable, report } from './figures.ts';
import { Program } from './program.ts';
import { TenantsApiServer } from './tenants-api-server.ts';
import { appContainer, pod, reviewOf } from '../worlds.ts';
import type { StoredPolicy } from './tenants-api-server.ts';
import type { Bound } from '../../src/policy/bounds.ts';

/** What the chart gives to a container. */
const CHART_LIMIT_BYTES = 384 * 1024 * 1024;
/** A start reads gigabytes here. */
const PATIENCE_MILLISECONDS = 240_000;

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const numbers = (count: number, prefix = ''): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index.toString(36)}`);
const tinyMembers = (count: number, value: unknown): object =>
  Object.fromEntries(numbers(count, 'k').map((key) => [key, value]));

/** A text of JSON that is nearly as long as a spec may be. */
function grown(spec: (count: number) => object): Buffer {
  let count = 1;
  while (json(spec(count + 1)).length <= MAX_SPEC_BYTES && count < 100_000) count = Math.ceil(count * 1.02);
  while (json(spec(count)).length > MAX_SPEC_BYTES) count--;
  return json(spec(count));
}

const { matchExpressions, expressionValues, commandWord, headers } = BOUNDS;
const programs = boundOf('exec-forbidden', 'names');
const dependencyPaths = boundOf('dependency-liveness', 'paths');

/** The bound of a list among the parameters of a check. */
function boundOf(id: string, name: string): Bound {
  const parameter = CHECK_CATALOGUE[id]?.parameters[name];
  if (parameter?.type !== 'strings') throw new Error(`${id} has no list ${name}`);
  return parameter.count;
}

/** Specs that are as large as the bounds allow, each of what takes much memory for its length. */
function specsAtBounds(seed: string): Buffer[] {
  const many = (prefix: string): object[] =>
    numbers(matchExpressions.maximum, prefix).map((key) => ({
      key,
      operator: 'In',
      values: numbers(expressionValues.maximum, `${seed}${key}x`),
    }));
  return [
    grown((count) => ({ workloadSelector: { matchExpressions: many(seed).slice(0, Math.min(count, 64)) } })),
    grown((count) => ({
      workloadSelector: {
        matchLabels: Object.fromEntries(numbers(64, `l${seed}`).map((key) => [key, 'v'])),
        matchExpressions: numbers(64, `e${seed}`).map((key) => ({ key, operator: 'Exists' })),
      },
      checks: {
        'exec-forbidden': { names: numbers(programs.maximum, seed) },
        'dependency-liveness': {
          paths: numbers(dependencyPaths.maximum, `/${seed}`),
          additionalPaths: numbers(dependencyPaths.maximum, `/${seed}`).map((path) =>
            path.padEnd(Math.min(count, 200), 'x'),
          ),
        },
      },
    })),
    grown((count) => ({
      probes: Object.fromEntries(
        ['livenessProbe', 'readinessProbe'].map((kind) => [
          kind,
          { exec: { command: ['sh', seed.padEnd(Math.min(commandWord.maximum, count), 'y')] } },
        ]),
      ),
    })),
    grown((count) => ({
      probes: Object.fromEntries(
        ['livenessProbe', 'readinessProbe', 'startupProbe'].map((kind) => [
          kind,
          {
            httpGet: {
              httpHeaders: numbers(headers.maximum, seed).map((name) => ({
                name,
                value: 'é'.repeat(Math.min(300, count)),
              })),
            },
          },
        ]),
      ),
    })),
  ];
}

const honest = (namespace: string): StoredPolicy => ({
  namespace,
  name: 'honest',
  spec: json({ kubernetesProbeEndpoints: { livenessProbe: `/${namespace}` } }),
});
/** In front of the hostile ones, among them and behind them, as etcd lists them. */
const HONEST = ['aa-team', 'hostile-5-team', 'zz-team'];

/** Scenarios: what tenants store, by name. Texts are made once, or the tests would need more memory than the process. */
const SCENARIOS: Readonly<Record<string, () => Iterable<StoredPolicy>>> = {
  '10,000 policies of 64 KiB, at the bounds, in 40 namespaces': function* () {
    const specs = Array.from({ length: 40 }, (_, index) => specsAtBounds(`s${index.toString(36)}`));
    for (let index = 0; index < 10_000; index++) {
      const spec = specs[index % 40]?.[Math.floor(index / 40) % 4] ?? json({});
      yield { namespace: `hostile-${index % 40}`, name: `p${index}`, spec };
    }
  },
  '2,000 policies of 1.4 MB in one namespace, past every bound': function* () {
    const values = numbers(22_000, 'v').map((value) => value.padEnd(60, 'x'));
    const spec = json({ workloadSelector: { matchExpressions: [{ key: 'a', operator: 'In', values }] } });
    for (let index = 0; index < 2000; index++) yield { namespace: 'hostile-1', name: `p${index}`, spec };
  },
  '480 policies with annotations of 250 KB each': function* () {
    const metadata = Buffer.from(`,"annotations":${JSON.stringify({ large: 'x'.repeat(250_000) })}`);
    for (let index = 0; index < 480; index++)
      yield { namespace: 'hostile-1', name: `p${index}`, spec: json({ port: 80 }), metadata };
  },
  '500 policies with 1.4 MB of tiny labels and managedFields each': function* () {
    const labels = Buffer.from(`,"labels":${JSON.stringify(tinyMembers(120_000, ''))}`);
    const fieldsV1 = tinyMembers(120_000, {});
    const managed = Buffer.from(`,"managedFields":${JSON.stringify([{ manager: 'a', fieldsV1 }])}`);
    for (let index = 0; index < 500; index++)
      yield {
        namespace: 'hostile-1',
        name: `p${index}`,
        spec: json({ port: 80 }),
        metadata: index % 2 === 0 ? labels : managed,
      };
  },
  '1,500 tiny policies in each of 150 namespaces': function* () {
    const spec = json({});
    for (let index = 0; index < 225_000; index++)
      yield { namespace: `hostile-${index % 150}`, name: `p${index}`, spec };
  },
  '30,000 tiny policies in one namespace, and 1,000 that cannot be read in each of 20': function* () {
    for (let index = 0; index < 30_000; index++) yield { namespace: 'hostile-1', name: `p${index}`, spec: json({}) };
    const spec = json(tinyMembers(200, 1));
    for (let index = 0; index < 20_000; index++)
      yield { namespace: `hostile-bad-${index % 20}`, name: `b${index}`, spec };
  },
};

describe('a replica with the memory that the chart gives it', () => {
  let api: TenantsApiServer;
  let directory: string;
  let program: Program | undefined;

  beforeEach(async () => {
    api = new TenantsApiServer();
    directory = await mkdtemp(join(tmpdir(), 'probewright-tenants-'));
    const cluster = { name: 'c', cluster: { server: await api.start(), 'insecure-skip-tls-verify': true } };
    const config = {
      'current-context': 'c',
      clusters: [cluster],
      users: [{ name: 'c', user: { token: 'none' } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'c', namespace: 'probewright' } }],
    };
    await writeFile(join(directory, 'kubeconfig'), JSON.stringify(config));
  });
  afterEach(async () => {
    await program?.stop();
    program = undefined;
    await api.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function start(): Promise<Program> {
    const args = ['--kubeconfig', join(directory, 'kubeconfig'), '--log-level', 'error'];
    program = await Program.start({ nodeArgs: chartNodeArgs(), args });
    return program;
  }

  /** Whether a Pod of each honest namespace gets what its own policy says, now. */
  async function answers({ port }: Program): Promise<string[]> {
    const paths: string[] = [];
    for (const namespace of HONEST) {
      const object = pod([appContainer()], { metadata: { namespace } });
      const { body } = await ask(port, { body: JSON.stringify(reviewOf(object)) });
      const { patch = '' } = (JSON.parse(body) as { response: { patch?: string } }).response;
      paths.push(/"path":"(\/[a-z0-9-]+)"/.exec(Buffer.from(patch, 'base64').toString())?.[1] ?? 'nothing');
    }
    return paths;
  }

  async function untilReady(running: Program): Promise<number> {
    const began = performance.now();
    while (performance.now() - began < PATIENCE_MILLISECONDS) {
      expect([running.process.exitCode, running.process.signalCode], running.output().slice(-2000)).toEqual([
        null,
        null,
      ]);
      if ((await askHealth(running.healthPort, '/readyz').catch(() => undefined))?.code === 200)
        return performance.now() - began;
      await pause(100);
    }
    throw new Error(`not ready in time: ${running.output().slice(-2000)}`);
  }

  async function expectServing(running: Program): Promise<number> {
    await expect
      .poll(() => answers(running), { timeout: PATIENCE_MILLISECONDS })
      .toEqual(HONEST.map((each) => `/${each}`));
    expect([running.process.exitCode, running.process.signalCode], running.output().slice(-2000)).toEqual([null, null]);
    const peak = await peakMemory(running);
    expect(peak).toBeLessThan(CHART_LIMIT_BYTES);
    return peak;
  }

  it.each(Object.keys(SCENARIOS))(
    'starts and serves others while tenants store %s, and after a restart',
    async (scenario) => {
      const first = await start();
      await untilReady(first);
      await api.store(HONEST.slice(0, 2).map(honest));
      await api.store(SCENARIOS[scenario]?.() ?? []);
      await api.store(HONEST.slice(2).map(honest));
      const watching = await expectServing(first);
      await first.stop();
      const second = await start();
      const took = await untilReady(second);
      const listing = await expectServing(second);
      report(
        'Hostile policies',
        scenario,
        `serves; at most ${mebibytes(watching)} resident while they are written, ${mebibytes(listing)} after a restart, which takes ${readable(took)}`,
      );
    },
    2 * PATIENCE_MILLISECONDS,
  );
});

/** The most that a process has had resident, in bytes. */
async function peakMemory({ process: { pid } }: Program): Promise<number> {
  const status = await readFile(`/proc/${pid ?? 0}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
