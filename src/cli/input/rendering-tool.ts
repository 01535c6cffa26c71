import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { utf8Text } from '../../base/files/regular-file.ts';
import { cut } from '../../base/text/cut.ts';
import { messageOf } from '../../base/text/error-message.ts';

/** Returns a path as one word of a POSIX shell, for a command line that a person copies. */
export function shellPath(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Time for one chart or kustomization, in milliseconds. A kustomization may download its bases. */
const TIME_LIMIT_MILLISECONDS = 120_000;
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;
const LONGEST_ERROR = 600;

/** None of the programs that could render something is on the PATH. */
export class NoRenderingTool extends Error {}

/**
 * Runs the first of these programs that is on the PATH, without a shell, and returns its standard output.
 *
 * @param environment variables that the program gets beside those of this process
 * @throws NoRenderingTool when none is there
 * @throws Error with the reason, in the program's own words when the program has any
 */
export async function outputOfFirst(
  calls: readonly (readonly [program: string, args: readonly string[]])[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const limits = { timeout: TIME_LIMIT_MILLISECONDS, maxBuffer: OUTPUT_LIMIT_BYTES, killSignal: 'SIGKILL' as const };
  const options = { ...limits, env: { ...process.env, ...environment }, encoding: 'buffer' as const };
  for (const [program, args] of calls) {
    const running = promisify(execFile)(program, args, options);
    running.child.stdin?.on('error', () => undefined);
    running.child.stdin?.end();
    const output = await running.catch((error: unknown) => {
      if ((error as ToolError).code === 'ENOENT') return undefined;
      throw new Error(reasonOf(program, error as ToolError), { cause: error });
    });
    if (output === undefined) continue;
    try {
      return utf8Text(output.stdout);
    } catch (problem) {
      throw new Error(`the output of ${program} cannot be read: ${messageOf(problem)}`, { cause: problem });
    }
  }
  throw new NoRenderingTool();
}

function reasonOf(program: string, { code, killed, message, stderr }: ToolError): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return `${program} prints more than ${OUTPUT_LIMIT_BYTES / 1024 / 1024} MiB`;
  if (killed === true) return `${program} takes more than ${TIME_LIMIT_MILLISECONDS / 1000} s`;
  const lines = Array.from(stderr.toString('utf8').split('\n'), (line) => line.trim()).filter((line) => line !== '');
  // Warnings and log lines come before the error.
  const error = lines.findIndex((line) => /^error\b/i.test(line));
  const text = lines.slice(Math.max(0, error)).join(' ');
  return `${program}: ${cut(text === '' ? message : text, LONGEST_ERROR)}`;
}

interface ToolError {
  readonly code?: string | number | null;
  readonly killed?: boolean;
  readonly message: string;
  readonly stderr: Buffer;
}
