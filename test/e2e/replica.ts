import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { kubeconfigText } from './control-plane.ts';
import { get } from './http-requests.ts';
import { type StartedProcess, freePorts, startProcess, untilServing } from './processes.ts';
import { TcpForwarder } from './tcp-forwarder.ts';

/** One process of the production bundle in cluster mode, as a Pod would run it. */
export interface Replica {
  readonly name: string;
  /** Where it answers reviews, on 127.0.0.1. */
  readonly port: number;
  /** Where it answers `/livez`, `/readyz` and `/metrics`: `http://127.0.0.1:<port>`. */
  readonly healthUrl: string;
  /** Its way to the API server, which can be severed while everybody else still reaches the server. */
  readonly link: TcpForwarder;
  ready(): Promise<boolean>;
  /** Waits until it is ready; throws with its last lines when it ends before. */
  untilReady(timeout?: number): Promise<void>;
  /** The metric's samples by their labels as written, `{cert="ca"}`; `''` is the key of a sample without labels. */
  metric(name: string): Promise<ReadonlyMap<string, number>>;
  isLeader(): Promise<boolean>;
  /** The certificate that a new connection is shown. Nothing is verified: that is the test's to do. */
  servedCertificate(): Promise<X509Certificate>;
  output(): string;
  ended(): boolean;
  /** Ends it, SIGTERM unless told otherwise, and gives its exit code (null when a signal ended it). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** What a replica runs with. */
export interface ReplicaOptions {
  readonly name: string;
  readonly program: string;
  /** Where its kubeconfig is put. */
  readonly directory: string;
  readonly namespace: string;
  /** `https://127.0.0.1:<port>` of the API server. */
  readonly server: string;
  readonly caPem: string;
  /** The service account's. */
  readonly token: string;
  /** Arguments for `serve` besides addresses and kubeconfig. */
  readonly args: readonly string[];
}

const node = join(import.meta.dirname, '../../node_modules/.bin/node');

/** Starts the process and does not wait for it. Whoever starts it stops it. */
export async function spawnReplica(options: ReplicaOptions): Promise<Replica> {
  const { name, directory } = options;
  const apiServer = { host: '127.0.0.1', port: Number(new URL(options.server).port) };
  const link = new TcpForwarder(() => apiServer);
  const linkPort = await link.listen(0);
  const [port, healthPort] = await freePorts(2);
  const kubeconfig = join(directory, `${name}.kubeconfig`);
  const { caPem, token, namespace } = options;
  const text = kubeconfigText({ server: `https://127.0.0.1:${linkPort}`, caPem, token, namespace });
  await writeFile(kubeconfig, text, { mode: 0o600 });
  const flags = [
    ['--kubeconfig', kubeconfig],
    ['--host', '127.0.0.1'],
    ['--port', String(port)],
    ['--health-port', String(healthPort)],
  ];
  // A container's environment has nothing of this process's: what a replica needs must come by flags.
  const surroundings = { env: { PATH: process.env['PATH'] }, cwd: directory };
  const args = [options.program, 'serve', ...flags.flat(), ...options.args];
  const started = startProcess(name, node, args, surroundings);
  const healthUrl = `http://127.0.0.1:${healthPort}`;
  return {
    name,
    port,
    healthUrl,
    link,
    ...observation(started, port, healthUrl),
    output: () => started.output(),
    ended: () => started.ended(),
    stop: async (signal) => {
      const code = await started.stop(signal);
      await link.stop();
      return code;
    },
  };
}

function observation(
  started: StartedProcess,
  port: number,
  healthUrl: string,
): Pick<Replica, 'ready' | 'untilReady' | 'metric' | 'isLeader' | 'servedCertificate'> {
  const ready = async (): Promise<boolean> => (await get(`${healthUrl}/readyz`)).status === 200;
  const metric = async (name: string): Promise<ReadonlyMap<string, number>> =>
    samples((await get(`${healthUrl}/metrics`)).body, name);
  return {
    ready: () => ready().catch(() => false),
    untilReady: (timeout = 30_000) => untilServing([started], ready, timeout),
    metric,
    isLeader: async () => (await metric('probewright_leader').catch(() => new Map())).get('') === 1,
    servedCertificate: () => servedCertificate(port),
  };
}

function servedCertificate(port: number): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      const certificate = new X509Certificate(socket.getPeerCertificate().raw);
      socket.destroy();
      resolve(certificate);
    });
    socket.once('error', reject);
  });
}

/** Reads the samples of one metric out of Prometheus's text format. */
function samples(text: string, name: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^(\w+)(\{.*\})? (\S+)$/.exec(line);
    if (match?.[1] === name) found.set(match[2] ?? '', Number(match[3]));
  }
  return found;
}
