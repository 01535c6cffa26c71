import { runCommandLine } from '../../src/cli/commands.ts';

/** What a command left behind. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command line in this process, with this as its standard input. `directory`, where tests keep their files, is
 * shown as DIR. With `columns`, both outputs are terminals of this width.
 */
export async function runProbewright(
  args: readonly string[],
  options: {
    stdin?: string;
    directory?: string;
    columns?: number;
    env?: Readonly<Record<string, string>>;
    monotonic?: () => number;
    now?: () => number;
    isKubectlPlugin?: boolean;
  } = {},
): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const code = await runCommandLine(args, {
    env: options.env ?? {},
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    stdoutColumns: options.columns,
    stderrColumns: options.columns,
    readStdin: () => Promise.resolve(options.stdin ?? ''),
    now: options.now ?? (() => 0),
    monotonic: options.monotonic ?? (() => 0),
    isKubectlPlugin: options.isKubectlPlugin ?? false,
    untilSignal: () => Promise.resolve('SIGINT'),
  });
  const shown = (text: string): string =>
    options.directory === undefined ? text : text.replaceAll(options.directory, 'DIR');
  return { code, stdout: shown(stdout), stderr: shown(stderr) };
}
