import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeServingPair } from '../support/certificate.ts';
import { type StartedProcess, freePorts, get, startProcess, untilServing } from './control-plane.ts';

/** The real program, serving on loopback with a throw-away certificate. */
export interface WebhookProcess {
  /** Where it answers reviews: `https://127.0.0.1:<port>`, without a path. */
  readonly url: string;
  /** Where it answers `/livez`, `/readyz` and `/metrics`: `http://127.0.0.1:<port>`. */
  readonly healthUrl: string;
  /** The CA that signed its certificate, as a file. */
  readonly caFile: string;
  /** The same CA as PEM, for a `caBundle`. */
  readonly caPem: string;
  /** Everything that it wrote so far. */
  output(): string;
  /** Ends it, SIGTERM unless told otherwise, and gives its exit code (null when a signal ended it). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** What to serve. */
export interface WebhookOptions {
  /** The directory with the policies. */
  readonly policies: string;
  /** More arguments for `serve`. */
  readonly args?: readonly string[];
}

const program = join(import.meta.dirname, '../../src/main.ts');
const readyTimeout = 30_000;

/** Starts `probewright serve` and waits until it is ready. Whoever starts it stops it. */
export async function startWebhook(options: WebhookOptions): Promise<WebhookProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'probewright-webhook-'));
  const [port, healthPort] = await freePorts(2);
  const { caPem, caFile, certFile, keyFile } = await writePair(directory);
  const flags = [
    ['--policies', options.policies],
    ['--host', '127.0.0.1'],
    ['--port', String(port)],
    ['--health-port', String(healthPort)],
    ['--tls-cert', certFile],
    ['--tls-key', keyFile],
  ];
  const args = [program, 'serve', ...flags.flat(), ...(options.args ?? [])];
  const started = startProcess('probewright', process.execPath, args);
  const stop = (signal?: NodeJS.Signals): Promise<number | null> => stopAndClean(started, directory, signal);
  const healthUrl = `http://127.0.0.1:${healthPort}`;
  const ready = async (): Promise<boolean> => (await get(`${healthUrl}/readyz`)).status === 200;
  try {
    await untilServing([started], ready, readyTimeout);
  } catch (error) {
    await stop('SIGKILL');
    throw error;
  }
  return { url: `https://127.0.0.1:${port}`, healthUrl, caFile, caPem, output: () => started.output(), stop };
}

async function writePair(
  directory: string,
): Promise<{ caPem: string; caFile: string; certFile: string; keyFile: string }> {
  const { certPem, keyPem, caPem } = await makeServingPair({ dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  const file = async (name: string, content: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
  return {
    caPem,
    caFile: await file('ca.crt', caPem),
    certFile: await file('tls.crt', certPem),
    keyFile: await file('tls.key', keyPem),
  };
}

async function stopAndClean(
  started: StartedProcess,
  directory: string,
  signal?: NodeJS.Signals,
): Promise<number | null> {
  const code = await started.stop(signal);
  await rm(directory, { recursive: true, force: true });
  return code;
}
