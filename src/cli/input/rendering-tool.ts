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
 * Runs the first of these programs that is on the PATH, and returns its standard output.
 *
 * @throws NoRenderingTool when none is there
 * @throws Error with the reason of the program
 */
export async function outputOfFirst(
  calls: readonly (readonly [program: string, args: readonly string[]])[],
  environment?: Readonly<Record<string, string>>,
): Promise<string> {
  for (const [program, args] of calls) {
    const output = await outputOf(program, args, environment).catch((error: unknown) => {
      if (error instanceof NoRenderingTool) return undefined;
      throw error;
    });
    if (output !== undefined) return output;
  }
  throw new NoRenderingTool();
}

/**
 * Runs a program of the PATH without a shell, and returns its standard output.
 *
 * @param environment variables that the program gets beside those of this process
 * @throws Error with the reason, in the program's own words when the program has any
 */
async function outputOf(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const limits = { timeout: TIME_LIMIT_MILLISECONDS, maxBuffer: OUTPUT_LIMIT_BYTES, killSignal: 'SIGKILL' as const };
  const options = { ...limits, env: { ...process.env, ...environment }, encoding: 'buffer' as const };
  const running = promisify(execFile)(program, args, options);
  running.child.stdin?.on('error', () => undefined);
  running.child.stdin?.end();
  const { stdout } = await running.catch((error: unknown) => {
    if ((error as ToolError).code === 'ENOENT') throw new NoRenderingTool();
    throw new Error(reasonOf(program, error as ToolError), { cause: error });
  });
  try {
    return utf8Text(stdout);
  } catch (problem) {
    throw new Error(`the output of ${program} cannot be read: ${messageOf(problem)}`, { cause: problem });
  }
}

function reasonOf(program: string, { code, killed, message, stderr }: ToolError): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return `${program} prints more than ${OUTPUT_LIMIT_BYTES / 1024 / 1024} MiB`;
  if (killed === true) return `${program} takes more than ${TIME_LIMIT_MILLISECONDS / 1000} s`;
  const lines = stderr
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim());
  // Warnings and log lines come before the error.
  const said = lines.slice(
    Math.max(
      0,
      lines.findIndex((line) => /^error\b/i.test(line)),
    ),
  );
  const text = said.filter((line) => line !== '').join(' ');
  return `${program}: ${cut(text === '' ? message : text, LONGEST_ERROR)}`;
}

interface ToolError {
  readonly code?: string | number | null;
  readonly killed?: boolean;
  readonly message: string;
  readonly stderr: Buffer;
}
