import { once } from 'node:events';
import { utf8Text } from '../../base/files/regular-file.ts';
import { cut } from '../../base/text/cut.ts';
import { messageOf } from '../../base/text/error-message.ts';

/** Time for one chart or kustomization, in milliseconds. A kustomization may download its bases. */
const TIME_LIMIT_MILLISECONDS = 120_000;
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;
/** The outputs of all programs that run, but for that of one of them. Others wait until there is room. */
const ROOM_BYTES = 3 * OUTPUT_LIMIT_BYTES;
const MOST_ERROR_BYTES = 1024 * 1024;
const LONGEST_ERROR = 600;
const ALWAYS_GIVEN = ['PATH', 'HOME', 'TMPDIR'];

/** None of the programs that could render something is on the PATH. */
export class NoRenderingTool extends Error {}

/**
 * Runs the first of these programs that is on the PATH, without a shell, and returns its standard output. The programs
 * obey files of a stranger, so they get none of this process's variables but PATH, HOME and TMPDIR.
 *
 * @param names further variables that the programs get, by name
 * @param environment variables that the programs get beside those of this process
 * @throws NoRenderingTool when none is there
 * @throws Error with the reason, in the program's own words when the program has any
 */
export async function outputOfFirst(
  calls: readonly (readonly [program: string, args: readonly string[]])[],
  names = /^$/,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => ALWAYS_GIVEN.includes(name) || names.test(name));
  const env = { ...Object.fromEntries(own), ...environment };
  for (const [program, args] of calls) {
    const output = await outputOf(program, args, env);
    if (output === undefined) continue;
    try {
      return utf8Text(output);
    } catch (problem) {
      throw new Error(`the output of ${program} cannot be read: ${messageOf(problem)}`, { cause: problem });
    }
  }
  throw new NoRenderingTool();
}

/** Programs whose output waits for room, each with what lets it go on. */
const waiting = new Set<() => void>();
let [bytesInAll, running] = [0, 0];

/** The standard output of a program. Undefined when it is not on the PATH. */
async function outputOf(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Buffer | undefined> {
  // Most commands render nothing, and start without them.
  const { spawn } = await import('node:child_process');
  const signal = AbortSignal.timeout(TIME_LIMIT_MILLISECONDS);
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], signal, killSignal: 'SIGKILL' });
  const [chunks, errors]: [Buffer[], Buffer[]] = [[], []];
  let [bytes, errorBytes] = [0, 0];
  child.stderr.on('data', (chunk: Buffer) => {
    errorBytes += chunk.length;
    if (errorBytes <= MOST_ERROR_BYTES) errors.push(chunk);
  });
  const goOn = (): void => void child.stdout.resume();
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    bytesInAll += chunk.length;
    chunks.push(chunk);
    if (bytes > OUTPUT_LIMIT_BYTES) {
      child.kill('SIGKILL');
      // A program that the child has started may hold the pipe.
      child.stdout.destroy();
    }
    // One of them always goes on, so that none waits without end.
    else if (bytesInAll > ROOM_BYTES && waiting.size + 1 < running) {
      waiting.add(goOn);
      child.stdout.pause();
    }
  });
  running += 1;
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (bytes > OUTPUT_LIMIT_BYTES)
      throw new Error(`${program} prints more than ${OUTPUT_LIMIT_BYTES / 1024 / 1024} MiB`);
    if (code !== 0) throw new Error(reasonOf(program, args, Buffer.concat(errors)));
    return Buffer.concat(chunks);
  } catch (error) {
    if (signal.aborted)
      throw new Error(`${program} takes more than ${TIME_LIMIT_MILLISECONDS / 1000} s`, { cause: error });
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  } finally {
    running -= 1;
    bytesInAll -= bytes;
    waiting.delete(goOn);
    for (const next of waiting) next();
    waiting.clear();
  }
}

function reasonOf(program: string, args: readonly string[], stderr: Buffer): string {
  const lines = Array.from(stderr.toString('utf8').split('\n'), (line) => line.trim()).filter((line) => line !== '');
  // Warnings and log lines come before the error.
  const error = lines.findIndex((line) => /^error\b/i.test(line));
  const text = lines.slice(Math.max(0, error)).join(' ');
  return `${program}: ${cut(text === '' ? `Command failed: ${[program, ...args].join(' ')}` : text, LONGEST_ERROR)}`;
}
