import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLargeCluster, type ClusterSize, type LargeCluster } from './large-cluster.ts';
import type { Findings, Row } from './figures.ts';
import { memoryOf } from './processes.ts';

const LARGE: ClusterSize = { namespaces: 10_000, workloads: 50_000, pods: 150_000 };
/** The smaller clusters of the sizing table. */
const SIZES: readonly ClusterSize[] = [
  { namespaces: 100, workloads: 500, pods: 1_500 },
  { namespaces: 1_000, workloads: 5_000, pods: 15_000 },
];
const POD_EVENTS = 50_000;
const TICKS_PER_SECOND = 100;

interface Measured {
  /** In MiB: the most, and after everything. */
  readonly peak: number;
  readonly resident: number;
  readonly residentAfterStarts: number;
  /** In seconds of processor time. */
  readonly startCpu: number;
  readonly scanCpu: number;
  readonly scanSeconds: number;
  readonly scanRequestsPerSecond: number;
  readonly microsecondsPerPodEvent: number;
}

/** Section 9 of the design: memory, a scan after a change of a ClusterProbePolicy, and the cost of a Pod event. */
export async function observerAtScale(): Promise<Findings> {
  const large = await measure(LARGE);
  const rows: Row[] = [
    goal('resident memory, the most', `${Math.round(large.peak)} MiB`, 'at most 400 MiB', large.peak <= 400),
    goal('resident memory after the first scan', `${Math.round(large.resident)} MiB`, '', true),
    goal(`resident memory after ${POD_EVENTS} Pod events`, `${Math.round(large.residentAfterStarts)} MiB`, '', true),
    goal('processor time of the start', `${large.startCpu.toFixed(1)} s`, '', true),
    goal(
      'processor time of a scan after a ClusterProbePolicy changed',
      `${large.scanCpu.toFixed(1)} s`,
      'under 90 s',
      large.scanCpu < 90,
    ),
    goal('duration of that scan', `${large.scanSeconds.toFixed(1)} s`, '', true),
    goal(
      'requests a second in that scan',
      large.scanRequestsPerSecond.toFixed(1),
      'at most 50',
      large.scanRequestsPerSecond <= 50,
    ),
    goal(
      'processor time of a Pod event',
      `${large.microsecondsPerPodEvent.toFixed(0)} µs`,
      'under 100 µs',
      large.microsecondsPerPodEvent < 100,
    ),
  ];
  for (const size of SIZES) {
    const { peak, scanCpu } = await measure(size);
    const what = `${size.namespaces} namespaces, ${size.workloads} workloads, ${size.pods} Pods`;
    rows.push(goal(`${what}: memory, scan`, `${Math.round(peak)} MiB, ${scanCpu.toFixed(1)} s`, '', true));
  }
  return {
    title: 'The observer at scale',
    how: `An API server in memory with ${LARGE.namespaces} namespaces, ${LARGE.workloads} Deployments and ${LARGE.pods} Pods; one Deployment in a hundred has a finding. The observer is a process of its own with the heap of a limit of 512 MiB. Processor time is that of the whole process.`,
    rows,
  };
}

function goal(what: string, figure: string, aim: string, met: boolean): Row {
  return { what, figure, spread: 'one run', goal: aim, ...(aim !== '' && { met }) };
}

async function measure(size: ClusterSize): Promise<Measured> {
  const cluster = await startLargeCluster(size);
  const directory = await mkdtemp(join(tmpdir(), 'bench-observer-'));
  const config = join(directory, 'config');
  await writeFile(config, JSON.stringify(kubeconfig(cluster)));
  const flags = ['--kubeconfig', config, '--host', '127.0.0.1', '--health-port', '0', '--log-level', 'info'];
  const node = ['--max-old-space-size=256', '--max-semi-space-size=8', join(import.meta.dirname, '../src/main.ts')];
  const child = spawn(process.execPath, [...node, 'observe', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { pid = 0 } = child;
  const finished: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    finished.push(...lines.filter((line) => line.includes('"msg":"scan_finished"')));
  });
  try {
    await until(() => finished.some((line) => line.includes('"start"')));
    await idle(pid);
    const startCpu = cpuOf(pid);
    const resident = memoryOf(pid, 'VmRSS') / 1024 ** 2;
    for (let index = 0; index < POD_EVENTS; index++) {
      cluster.send('pods', 'MODIFIED', cluster.pod(index % size.pods));
      if (index % 500 === 499) await sleep(5);
    }
    await idle(pid);
    const microsecondsPerPodEvent = ((cpuOf(pid) - startCpu) * 1e6) / POD_EVENTS;
    const residentAfterStarts = memoryOf(pid, 'VmRSS') / 1024 ** 2;
    // Reports of the changed verdicts are written for minutes, so the process is not idle after it.
    const beforeChange = cpuOf(pid);
    const requestsBefore = cluster.requests.length;
    const began = performance.now();
    cluster.send('clusterprobepolicies', 'ADDED', {
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ClusterProbePolicy',
      metadata: { name: 'house', uid: 'house', generation: 1, resourceVersion: '1001' },
      spec: { checks: { 'startup-budget': { action: 'Audit' } } },
    });
    await until(() => finished.some((line) => line.includes('"change"')));
    const scanSeconds = (performance.now() - began) / 1000;
    const scanCpu = cpuOf(pid) - beforeChange;
    const scanRequestsPerSecond = mostPerSecond(cluster.requests.slice(requestsBefore));
    const peak = memoryOf(pid, 'VmHWM') / 1024 ** 2;
    return {
      peak,
      resident,
      residentAfterStarts,
      startCpu,
      scanCpu,
      scanSeconds,
      scanRequestsPerSecond,
      microsecondsPerPodEvent,
    };
  } finally {
    child.kill('SIGKILL');
    await cluster.stop();
    await rm(directory, { recursive: true });
  }
}

function kubeconfig({ server }: LargeCluster): object {
  return {
    'current-context': 'bench',
    clusters: [{ name: 'bench', cluster: { server, 'insecure-skip-tls-verify': true } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench', namespace: 'probewright' } }],
    users: [{ name: 'bench', user: {} }],
  };
}

/** Seconds of processor time, of /proc/PID/stat. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
/** Waits until the process uses next to no processor time. */
async function idle(pid: number): Promise<void> {
  for (let quiet = 0; quiet < 2;) {
    const before = cpuOf(pid);
    await sleep(1500);
    quiet = cpuOf(pid) - before < 0.12 ? quiet + 1 : 0;
  }
}

async function until(ask: () => boolean): Promise<void> {
  const end = performance.now() + 600_000;
  while (!ask()) {
    if (performance.now() > end) throw new Error('the observer has not finished its scan within ten minutes');
    await sleep(50);
  }
}

/** The most requests in any second. */
function mostPerSecond(instants: readonly number[]): number {
  let most = 0;
  let first = 0;
  for (const [last, at] of instants.entries()) {
    while (at - (instants[first] ?? at) >= 1000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
