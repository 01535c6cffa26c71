import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import { runProbewright } from '../run-probewright.ts';
import { podOf, type Tried } from '../try/run-try.ts';

/** Debian's packages, unpacked by `.ci/servers` into this directory. They need no installation. */
const UNPACKED = process.env['PROBED_SERVERS'] ?? '';

const below = (parent: string, name: RegExp, ...rest: string[]): string[] =>
  existsSync(parent)
    ? readdirSync(parent)
        .filter((entry) => name.test(entry))
        .map((entry) => join(parent, entry, ...rest))
    : [];

const ROOTS = UNPACKED === '' ? ['/'] : [UNPACKED, '/'];
const DIRECTORIES = [
  // Before /usr/bin, where Debian has wrappers that want a whole installation.
  ...ROOTS.flatMap((root) => below(join(root, 'usr/lib/postgresql'), /^\d+$/, 'bin')),
  ...ROOTS.flatMap((root) => [join(root, 'usr/bin'), join(root, 'usr/sbin')]),
  ...(process.env['PATH'] ?? '').split(delimiter),
];
const LIBRARIES = UNPACKED === '' ? [] : below(join(UNPACKED, 'usr/lib'), /-linux-gnu/);

/** What a server and a probe's command find in the container: the unpacked programs and their libraries. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: DIRECTORIES.join(delimiter),
  ...(LIBRARIES.length > 0 && { LD_LIBRARY_PATH: LIBRARIES.join(delimiter) }),
};

/** The path of a program. Undefined when the program is missing. */
export function programPath(name: string): string | undefined {
  return DIRECTORIES.map((directory) => join(directory, name)).find((path) => existsSync(path));
}

/** Prints which programs are missing. True when one is. */
export function isMissing(...names: readonly string[]): boolean {
  const missing = names.filter((name) => programPath(name) === undefined);
  const where = 'neither below PROBED_SERVERS nor on the PATH';
  if (missing.length > 0) console.log(`${missing.join(', ')}: ${where}: tests with a real server are skipped`);
  return missing.length > 0;
}

/** Another user for a program. Undefined where the own one will do. */
type User = { readonly uid: number; readonly gid: number } | undefined;

/** The servers and files of one test. */
export class Container {
  readonly directory = mkdtempSync(join(tmpdir(), 'probewright-servers-'));
  readonly #children: ChildProcess[] = [];

  /** Starts a server, which writes into the directory. */
  start(words: readonly string[], user?: User): ChildProcess {
    const [program = '', ...args] = words;
    const options = { detached: true, stdio: 'ignore', cwd: this.directory, env: ENVIRONMENT, ...user } as const;
    const child = spawn(programPath(program) ?? program, args, options);
    this.#children.push(child);
    return child;
  }

  /** Runs a program to its end. Returns status and output. */
  async run(words: readonly string[], user?: User): Promise<{ readonly code: number | null; readonly output: string }> {
    const [program = '', ...args] = words;
    const child = spawn(programPath(program) ?? program, args, {
      ...{ cwd: this.directory, env: ENVIRONMENT, ...user },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, output }));
    });
  }

  /** Stops a server and its children, and waits for the end. */
  async stop(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    signal(child, 'SIGKILL');
    await ended;
  }

  async end(): Promise<void> {
    await Promise.all(this.#children.map((child) => this.stop(child)));
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Sends a signal to a server and its children. */
export function signal({ pid }: ChildProcess, name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  if (pid !== undefined) process.kill(-pid, name);
}

/** Waits until a question is answered as wished. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what}: not so after 30 s`);
}

/** The container of a Pod as `fix --advice` leaves it. With `note`, the advice of notes is applied, too. */
export async function advised(container: object, minLevel: 'warning' | 'note'): Promise<Record<string, unknown>> {
  const args = ['fix', '-', '--advice', '--min-level', minLevel];
  const { code, stdout, stderr } = await runProbewright(args, { stdin: podOf(container) });
  if (code !== 0) throw new Error(stderr);
  const [edited = {}] = (parse(stdout) as { spec: { containers: Record<string, unknown>[] } }).spec.containers;
  return edited;
}

/**
 * Asks the probes of a container once, as the kubelet does, and returns the results by probe.
 * @param address the Pod's IP
 */
export async function results(container: object, address = '127.0.0.1'): Promise<Record<string, string>> {
  const exec = ['env', ...Object.entries(ENVIRONMENT).map(([name, value]) => `${name}=${value}`)].join(' ');
  const args = ['try', '-', '--address', address, '--count', '1', '--exec', exec, '--output', 'json'];
  const { stdout, stderr } = await runProbewright([...args, '--allow-side-effects'], {
    stdin: podOf(container),
    monotonic: () => performance.now(),
  });
  if (stdout === '') throw new Error(stderr);
  const { probes } = JSON.parse(stdout) as { readonly probes: readonly Tried[] };
  const all = Object.fromEntries(probes.map(({ probe, result }) => [probe.replace('Probe', ''), result]));
  // A startup probe that repeats the liveness probe says nothing more.
  return Object.fromEntries(Object.entries(all).filter(([kind, one]) => kind !== 'startup' || one !== all['liveness']));
}
