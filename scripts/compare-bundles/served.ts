import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../test/e2e/processes.ts';
import { makeServingPair } from '../../test/support/certificate.ts';

/** A bundle that runs `serve` on loopback with the policies of one world. */
export interface Served {
  /** Returns the status and the whole body of the reply. */
  readonly ask: (path: string, body: string) => Promise<string>;
  /** Returns the samples of /metrics that count reviews and verdicts, without those that measure time or memory. */
  readonly counters: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a bundle with policies. Undefined when the bundle refuses the policies: it ends before it is ready.
 *
 * @param documents ProbePolicies and ClusterProbePolicies
 */
export async function serveBundle(bundle: string, documents: readonly unknown[]): Promise<Served | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'compare-bundles-'));
  const { certPem, keyPem } = await makeServingPair();
  await mkdir(join(directory, 'policies'));
  await writeFile(join(directory, 'tls.crt'), certPem);
  await writeFile(join(directory, 'tls.key'), keyPem);
  const policies = documents.map((document) => JSON.stringify(document)).join('\n---\n');
  await writeFile(join(directory, 'policies/all.yaml'), policies);
  const [port, healthPort] = await freePorts(2);
  const flags = [
    ...['--policies', join(directory, 'policies'), '--host', '127.0.0.1'],
    ...['--port', String(port), '--health-port', String(healthPort)],
    ...['--tls-cert', join(directory, 'tls.crt'), '--tls-key', join(directory, 'tls.key')],
  ];
  const child = spawn(process.execPath, [bundle, 'serve', ...flags], { stdio: 'ignore', env: {} });
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const stop = async (): Promise<void> => {
    agent.destroy();
    const ended = isRunning(child) ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  while (!(await isReady(healthPort))) {
    if (!isRunning(child)) {
      await stop();
      return undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const ask = (path: string, body: string): Promise<string> =>
    textOf((answered) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      return https.request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers }, answered).end(body);
    });
  const counters = async (): Promise<string> => countersOf(await get(healthPort, '/metrics'));
  return { ask, counters, stop };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function isReady(port: number): Promise<boolean> {
  return (await get(port, '/readyz').catch(() => '')).startsWith('200');
}

function get(port: number, path: string): Promise<string> {
  return textOf((answered) => http.get({ host: '127.0.0.1', port, path, agent: false }, answered));
}

/** Sends a request and returns the status and the body of the answer. */
function textOf(send: (answered: (answer: http.IncomingMessage) => void) => http.ClientRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    send((answer) => {
      let body = `${answer.statusCode ?? 0} `;
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.on('end', () => {
        resolve(body);
      });
    }).on('error', reject);
  });
}

/** Samples of times, memory, connections and builds differ from run to run. */
const VARIES = /_seconds|_bytes|_timestamp|_info|^process_|^nodejs_|connection|handshake|_milliseconds|client_delays/;

function countersOf(metrics: string): string {
  const samples = metrics.split('\n').filter((line) => line.startsWith('probewright_') && !VARIES.test(line));
  return samples.sort().join('\n');
}
