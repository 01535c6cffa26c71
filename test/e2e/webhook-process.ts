import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeServingPair } from '../support/certificate.ts';
import { get } from './http-requests.ts';
import { type StartedProcess, freePorts, startProcess, untilServing } from './processes.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The real program, serving on loopback with a throw-away certificate. */
export interface WebhookProcess {
  /** Where it answers reviews: `https://127.0.0.1:<port>`, without a path. */
  readonly url: string;
  /** The CA that signed its certificate, as PEM. */
  readonly caPem: string;
  /** Where it answers `/metrics`. */
  readonly healthUrl: string;
  /** The directory of its policies. */
  readonly policies: string;
  /** What it has logged so far. */
  output(): string;
  stop(): Promise<void>;
}

/** What to serve. */
export interface WebhookOptions {
  /** Files of policies, by name; none unless given. */
  readonly policies?: Readonly<Record<string, string>>;
  /** More arguments for `serve`. */
  readonly args?: readonly string[];
}

const program = join(import.meta.dirname, '../../src/main.ts');
const readyTimeout = 30_000;

/** Starts `probewright serve` and waits until it is ready. Whoever starts it stops it. */
export async function startWebhook({ policies = {}, args = [] }: WebhookOptions = {}): Promise<WebhookProcess> {
  const directory = await temporaryDirectory('webhook');
  const [port] = await freePorts(1);
  const { certPem, keyPem, caPem } = await makeServingPair();
  const own = join(directory.path, 'policies');
  await mkdir(own);
  const files = { 'tls.crt': certPem, 'tls.key': keyPem };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory.path, name), text, { mode: 0o600 });
  for (const [name, text] of Object.entries(policies)) await writeFile(join(own, name), text);
  const flags = {
    '--policies': own,
    '--port': String(port),
    '--tls-cert': join(directory.path, 'tls.crt'),
    '--tls-key': join(directory.path, 'tls.key'),
    '--drain-seconds': '0',
  };
  try {
    const started = await startProgram('serve', [...Object.entries(flags).flat(), ...args]);
    const stop = async (): Promise<void> => {
      await started.stop();
      await directory.remove();
    };
    return { ...started, url: `https://127.0.0.1:${port}`, caPem, policies: own, stop };
  } catch (error) {
    await directory.remove();
    throw error;
  }
}

/** A command of the program that runs until it is stopped. */
export interface StartedProgram extends StartedProcess {
  /** Where it answers `/livez`, `/readyz` and `/metrics`: `http://127.0.0.1:<port>`. */
  readonly healthUrl: string;
}

/** Starts `serve` or `observe` from the sources and waits until it is ready. Whoever starts it stops it. */
export async function startProgram(command: 'serve' | 'observe', args: readonly string[]): Promise<StartedProgram> {
  const [port] = await freePorts(1);
  const healthUrl = `http://127.0.0.1:${port}`;
  const flags = ['--host', '127.0.0.1', '--health-port', String(port)];
  const started = startProcess(command, process.execPath, [program, command, ...flags, ...args]);
  try {
    await untilServing([started], async () => (await get(`${healthUrl}/readyz`)).status === 200, readyTimeout);
  } catch (error) {
    await started.stop('SIGKILL');
    throw error;
  }
  return { ...started, healthUrl };
}
