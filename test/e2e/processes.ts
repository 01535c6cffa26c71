import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { leftovers } from './leftovers.ts';

/** What a command left behind. The code is null when a signal ended it. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A child process with its output kept, ended at the latest when this process exits. */
export interface StartedProcess {
  readonly name: string;
  /** Everything that it wrote so far, stdout and stderr as they came. */
  output(): string;
  /** Whether it has ended. */
  ended(): boolean;
  /** Sends the signal, SIGKILL when it has not ended in time, and gives the exit code (null when a signal ended it). */
  stop(signal?: NodeJS.Signals, patience?: number): Promise<number | null>;
}

const startTimeout = 120_000;
const stopTimeout = 15_000;

/** Waits until the check says true, and throws with the last lines of its log when one of the processes ends before. */
export async function untilServing(
  processes: readonly StartedProcess[],
  check: () => Promise<boolean>,
  timeout = startTimeout,
): Promise<void> {
  const newest = processes.at(-1);
  const serving = async (): Promise<boolean> => {
    const dead = processes.find((started) => started.ended());
    if (dead) throw new Error(`${dead.name} ended while starting; its last lines:\n${lastLines(dead)}`);
    return check().catch(() => false);
  };
  await waitUntil(`${newest?.name ?? 'it'} serves`, serving, timeout).catch((error: unknown) => {
    const stillRuns = newest && !processes.some((started) => started.ended());
    throw stillRuns ? new Error(`${newest.name} does not serve; its last lines:\n${lastLines(newest)}`) : error;
  });
}

function lastLines(started: StartedProcess): string {
  return started.output().trimEnd().split('\n').slice(-15).join('\n');
}

/**
 * Asks again and again until the answer is neither undefined nor false, and gives it. What the question throws is thrown
 * at once: a wrong test should not take the whole timeout to say so.
 */
export async function waitUntil<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeout = 30_000,
  interval = 100,
): Promise<T> {
  const end = performance.now() + timeout;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() >= end) throw new Error(`waited ${timeout} ms in vain until ${what}`);
    await sleep(interval);
  }
}

/**
 * That many loopback ports that nothing listens on, all different. They are below the range that Linux gives to outgoing
 * connections (ip_local_port_range, from 32768 on), or such a connection could take a port before its process listens.
 */
export async function freePorts(count: 1): Promise<[number]>;
export async function freePorts(count: 2): Promise<[number, number]>;
export async function freePorts(count: 4): Promise<[number, number, number, number]>;
export async function freePorts(count: number): Promise<number[]> {
  const holders = new Map<number, Server>();
  // All are held until each has one, or the same port would be given twice.
  while (holders.size < count) {
    const [holder, port] = [createServer(), randomInt(10_000, 32_768)];
    if (await listens(holder, port)) holders.set(port, holder);
  }
  await Promise.all(Array.from(holders.values(), (holder) => new Promise((done) => holder.close(done))));
  return [...holders.keys()];
}

function listens(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
}

const running = new Set<ChildProcess>();

/** Keeps an eye on a child process until it has ended: gives its exit code then, null after a signal. */
function watchOver(child: ChildProcess): Promise<number | null> {
  running.add(child);
  leftovers.process(child.pid);
  return untilClosed(child).finally(() => {
    running.delete(child);
    leftovers.processEnded(child.pid);
  });
}

/** Where a child process runs; this process's environment and directory unless told otherwise. */
export interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** Starts a child process that writes to us, and that ends with us. */
export function startProcess(
  name: string,
  command: string,
  args: readonly string[],
  surroundings: Surroundings = {},
): StartedProcess {
  const child = spawn(command, args, { ...surroundings, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: string): void => {
    output += chunk;
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const closed = watchOver(child);
  closed.catch((error: unknown) => {
    keep(String(error));
  });
  return {
    name,
    output: () => output,
    ended: () => !running.has(child),
    stop: async (signal = 'SIGTERM', patience = stopTimeout) => {
      child.kill(signal);
      const impatience = setTimeout(() => child.kill('SIGKILL'), patience);
      return closed.finally(() => {
        clearTimeout(impatience);
      });
    },
  };
}

/** Runs a command to its end. */
export async function run(
  command: string,
  args: readonly string[],
  options: Surroundings & { readonly input?: string },
): Promise<CommandResult> {
  const { env, cwd } = options;
  const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  const closed = watchOver(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  // A command that reads no input closes the pipe early; its exit code says how that went.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  return { code: await closed, stdout, stderr };
}

/** The exit code once the process and its output have ended; null after a signal. Rejects when it could not be started. */
function untilClosed(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}
