import { spawn, type ChildProcess } from 'node:child_process';
import { declaredVariables } from '../../engine/workload/variables.ts';
import { goQuote } from '../../engine/probe/go-values.ts';
import { codeOf, failure, goDuration, NotRun, SUCCESS, type Answer } from './answer.ts';
import type { Container } from '../../engine/workload/pod.ts';

/** The kubelet keeps no more of a command's output (pkg/probe/exec/exec.go, maxReadLength). */
export const MOST_OUTPUT_BYTES = 10 * 1024;

/** How a command ended. */
export interface CommandEnd {
  /** Undefined when the time was over. */
  readonly code: number | undefined;
  /** Standard output and standard error in the order in which they came. */
  readonly output: string;
}

/** What a runtime prints when it cannot start the command: runc, crun, and containerd's and Docker's clients. */
const NOT_STARTED = /OCI runtime exec failed: (.*)|executable file (?:`[^`]*` )?not found/s;

/**
 * The kubelet's verdict on the end of a command (pkg/probe/exec/exec.go, Probe; pkg/kubelet/cri/remote). A command that
 * the runtime cannot start has no verdict.
 */
export function execVerdict(command: readonly string[], { code, output }: CommandEnd, timeoutSeconds: number): Answer {
  if (code === undefined)
    return failure(`command timed out: ${goQuote(command.join(' '))} timed out after ${goDuration(timeoutSeconds)}`);
  if (code === 0) return { ...SUCCESS, code };
  if ((code === 126 || code === 127 || code === 255) && NOT_STARTED.test(output)) {
    const text = output.slice(output.search(/OCI runtime exec failed|executable file/)).trim();
    return { result: 'error', text: `rpc error: code = Unknown desc = failed to exec in container: ${text}`, code };
  }
  return failure(output, code);
}

/**
 * Runs a program of this machine: the runtime's own, or the prefix of `--exec`. Its arguments hold the probe's command.
 * Rejects with NotRun when it cannot be started.
 */
export function runProgram(
  argv: readonly string[],
  timeoutMilliseconds: number,
  mostBytes = MOST_OUTPUT_BYTES,
): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const [program = '', ...args] = argv;
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: process.platform !== 'win32' });
    const chunks: Buffer[] = [];
    let bytes = 0;
    const keep = (chunk: Buffer): void => {
      if (bytes < mostBytes) chunks.push(chunk.subarray(0, mostBytes - bytes));
      bytes += chunk.length;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const end = (code: number | undefined): void => {
      clearTimeout(timer);
      resolve({ code, output: Buffer.concat(chunks).toString() });
    };
    const timer = setTimeout(() => {
      killAll(child);
      child.stdout.destroy();
      child.stderr.destroy();
      end(undefined);
    }, timeoutMilliseconds);
    child.on('error', (error) => {
      clearTimeout(timer);
      const why = codeOf(error) === 'ENOENT' ? 'is not on the PATH' : `cannot be started: ${error.message}`;
      reject(new NotRun(`${program} ${why}`));
    });
    child.on('close', (code) => end(code ?? 1));
  });
}

/** A command may have started others, which hold its outputs open. They are a group of their own. */
function killAll(child: ChildProcess): void {
  try {
    if (process.platform !== 'win32' && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // The command has ended meanwhile.
  }
}

/**
 * A command with the container's own variables in the place of `$(NAME)`. The kubelet knows literal values only, and
 * leaves other references (pkg/kubelet/container/helpers.go, ExpandContainerCommandOnlyStatic).
 */
export function expandedCommand(command: readonly string[], { spec }: Pick<Container, 'spec'>): readonly string[] {
  // `Container.env` has cut values.
  const variables = declaredVariables(spec);
  return command.map((word) =>
    word.replace(/\$\$|\$\(([^)]*)\)/g, (written, name: string | undefined) => {
      if (name === undefined) return '$';
      const source = variables?.get(name);
      return source?.from === 'value' ? source.value : written;
    }),
  );
}
