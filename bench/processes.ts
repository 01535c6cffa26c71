import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { makeServingPair } from '../test/support/certificate.ts';
import { freePorts } from '../test/e2e/processes.ts';
import { productionBundle } from '../test/e2e/production-bundle.ts';
import { temporaryDirectory } from '../test/e2e/temporary-directory.ts';
import { cores } from './cores.ts';
import { fiftyPolicies } from './policies.ts';

/** A server under test, alone on its core. */
export interface MeasuredServer {
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from its start until it took a connection. */
  readonly listeningAfter: number;
  /** Seconds of processor time so far, all threads, user and system. */
  cpuSeconds(): number;
  /** Seconds so far that the main thread waited for its core, less what the process's other threads used. */
  waitedSeconds(): number;
  /** Resident memory in bytes. */
  rss(): number;
  stop(): Promise<void>;
}

/** The sides that are compared. */
export interface Sides {
  /** Baseline (a). */
  bare(): Promise<MeasuredServer>;
  /** Baseline (b). */
  fastify(): Promise<MeasuredServer>;
  /** The production bundle in file mode, with fifty policies. */
  probewright(flags?: readonly string[]): Promise<MeasuredServer>;
  /** A build of the program in file mode, with these policies. The program is a path of its bundle. */
  probewrightOf(program: string, policies: readonly object[]): Promise<MeasuredServer>;
  /** The bundle of this checkout. */
  readonly program: string;
  /** The production bundle in cluster mode, against an API server at a plain URL. */
  probewrightInCluster(server: string): Promise<MeasuredServer>;
  readonly caPem: string;
  remove(): Promise<void>;
}

/** Writes and bundles what the sides need. Whoever calls it calls `remove`. */
export async function prepareSides(): Promise<Sides> {
  const directory = await temporaryDirectory('bench');
  const bundle = await productionBundle();
  const at = (name: string): string => join(directory.path, name);
  const { certPem, keyPem, caPem } = await makeServingPair();
  await writeFile(at('tls.crt'), certPem);
  await writeFile(at('tls.key'), keyPem, { mode: 0o600 });
  await mkdir(at('policies'));
  await writeFile(at('policies/policies.yaml'), yamlStream(fiftyPolicies()));
  // As plain JavaScript in one file, as the bundle is: stripping types costs Node memory and time.
  await build({
    entryPoints: ['bare-https', 'plain-fastify'].map((name) => join(import.meta.dirname, `baselines/${name}.ts`)),
    outdir: directory.path,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  const baseline = async (name: string): Promise<MeasuredServer> => {
    const [port] = await freePorts(1);
    return start([at(`${name}.mjs`), String(port), at('tls.crt'), at('tls.key')], port);
  };
  const tls = ['--tls-cert', at('tls.crt'), '--tls-key', at('tls.key')];
  const serve = async (flags: readonly string[], program = bundle.program): Promise<MeasuredServer> => {
    const [port, healthPort] = await freePorts(2);
    const ports = ['--host', '127.0.0.1', '--port', String(port), '--health-port', String(healthPort)];
    return start([program, 'serve', ...ports, ...flags], port);
  };
  return {
    bare: () => baseline('bare-https'),
    fastify: () => baseline('plain-fastify'),
    probewright: (flags = []) => serve(['--policies', at('policies'), ...tls, ...flags]),
    probewrightOf: async (program, policies) => {
      // A directory for each: a server reads changes of its own.
      const own = await mkdtemp(at('policies-'));
      await writeFile(join(own, 'policies.yaml'), yamlStream(policies));
      return serve(['--policies', own, ...tls], program);
    },
    program: bundle.program,
    probewrightInCluster: async (server) => {
      await writeFile(at('kubeconfig'), kubeconfig(server));
      return serve(['--kubeconfig', at('kubeconfig')]);
    },
    caPem,
    remove: async () => {
      await bundle.remove();
      await directory.remove();
    },
  };
}

function yamlStream(objects: readonly object[]): string {
  return objects.map((one) => JSON.stringify(one)).join('\n---\n');
}

function kubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench', namespace: 'probewright-system' } }],
    clusters: [{ name: 'bench', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'bench', user: { token: 'fake-token' } }],
  });
}

/** What the chart tells Node under its default memory limit. Every side gets it. */
const NODE_OPTIONS = '--max-old-space-size=192 --max-semi-space-size=4';

/** As the container runs it, with its log going nowhere. */
async function start(args: readonly string[], port: number): Promise<MeasuredServer> {
  const command = [process.execPath, ...args];
  const [program = '', ...rest] = cores === undefined ? command : ['taskset', '-c', String(cores.server), ...command];
  const began = performance.now();
  const child = spawn(program, rest, {
    stdio: ['ignore', openSync('/dev/null', 'w'), 'inherit'],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', NODE_OPTIONS: [NODE_OPTIONS, ...profiling()].join(' ') },
  });
  const ended = once(child, 'exit');
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} could not be started`);
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`);
    if (performance.now() - began > 30_000) throw new Error(`${args.join(' ')} does not listen`);
    await sleep(1);
  }
  return {
    port,
    pid,
    listeningAfter: performance.now() - began,
    cpuSeconds: () => sum(threads(pid).map(({ ran }) => ran)),
    waitedSeconds: () => waitedSeconds(pid),
    rss: () => memoryOf(pid, 'VmRSS'),
    stop: async () => {
      // A profile is written at an orderly end only.
      child.kill(process.env['BENCH_CPU_PROFILES'] === undefined ? 'SIGKILL' : 'SIGINT');
      await ended;
      process.off('exit', kill);
    },
  };
}

/**
 * `BENCH_CPU_PROFILES=<directory>` has every server leave a profile there, which Node writes when it ends of itself.
 */
function profiling(): string[] {
  const directory = process.env['BENCH_CPU_PROFILES'];
  return directory === undefined
    ? []
    : [
        `--cpu-prof --cpu-prof-dir=${directory} --import=data:text/javascript,process.once('SIGINT',()=>process.exit())`,
      ];
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

/** Seconds that each thread ran and waited, by the scheduler's own count: clock ticks are too coarse for short rounds. */
function threads(pid: number): { readonly isMain: boolean; readonly ran: number; readonly waited: number }[] {
  return readdirSync(`/proc/${pid}/task`).map((task) => {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ').map(Number);
    return { isMain: task === String(pid), ran: ran / 1e9, waited: waited / 1e9 };
  });
}

function waitedSeconds(pid: number): number {
  return sum(threads(pid).map(({ isMain, ran, waited }) => (isMain ? waited : -ran)));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/**
 * The memory of a process in bytes: what it has now (VmRSS), or the most that it had (VmHWM).
 *
 * @throws Error for a process that has ended
 */
export function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}
