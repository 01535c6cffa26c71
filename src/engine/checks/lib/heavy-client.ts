import { invocationOf, isShell, wordSet, type ExecCommand } from '../../probe/exec-invocation.ts';
import type { Probe } from '../../workload/pod.ts';

/** Programs that start a virtual machine or an interpreter, which takes about a second of a processor. */
const HEAVY_CLIENTS: ReadonlySet<string> = wordSet(
  'rabbitmqctl rabbitmq-diagnostics nodetool cqlsh java mongosh bundle rails rake npx celery powershell pwsh',
);

/** `kafka-topics.sh` and its relatives, and interpreters with or without a version. */
const HEAVY_NAMES = /^(?:kafka-[a-z-]{1,60}\.sh|(?:python|ruby|node|nodejs|php)[\d.]{0,8})$/;

/** A script without any of these words runs no heavy client. A megabyte of `$(` would take 70 ms without this test. */
const HEAVY_ANYWHERE =
  /rabbitmq|nodetool|cqlsh|java|mongosh|kafka-|python|ruby|bundle|rails|rake|node|npx|php|celery|powershell|pwsh/i;

/** The command line of Windows starts a program like a shell: `cmd /c powershell ...`. */
const WINDOWS_SHELL = /^cmd(?:\.exe)?$/i;

/** Words of a shell that stand before a command. */
const SHELL_WORDS: ReadonlySet<string> = wordSet('exec if then while until ! {');

/** The heavy client that an exec probe runs: its program, or a command in the script of its shell. */
export function heavyClientOf({ command }: Probe): string | undefined {
  return command.once(heavyClientIn);
}

function heavyClientIn({ argv, invocation }: ExecCommand): string | undefined {
  const program = invocation?.program ?? '';
  if (isHeavy(program)) return program;
  return isShell(program) || WINDOWS_SHELL.test(program)
    ? argv.map(heavyCommandIn).find((name) => name !== undefined)
    : undefined;
}

function heavyCommandIn(script: string): string | undefined {
  if (!HEAVY_ANYWHERE.test(script)) return undefined;
  for (const [command] of script.matchAll(/[^;|&()\n`]+/g)) {
    const words = command.trim().split(/\s+/);
    // The shell's own words and assignments stand before the command.
    const start = words.findIndex((word) => !SHELL_WORDS.has(word) && !/^\w+=/.test(word));
    const program = start < 0 ? undefined : invocationOf(words.slice(start))?.program;
    if (program !== undefined && isHeavy(program)) return program;
  }
  return undefined;
}

function isHeavy(program: string): boolean {
  // Windows ignores the case.
  const name = program.replace(/\.exe$/i, '').toLowerCase();
  return HEAVY_CLIENTS.has(name) || HEAVY_NAMES.test(name);
}

/** Enough time in seconds for a small program on a busy node. */
export const PATIENT_TIMEOUT_SECONDS = 5;

/** Shortest period in seconds for a heavy client. Such a client needs a second of a processor for one question. */
const HEAVY_CLIENT_PERIOD_SECONDS = 30;

/** Shortest period in seconds for other programs, because each probe starts a process. */
export const EXEC_PERIOD_SECONDS = 5;

/**
 * Returns the shortest period for the command of an exec probe, in seconds. Returns 0 for other handlers.
 * @param minimum the shortest period for a small program
 */
export function leastExecPeriodSeconds(probe: Probe, minimum: number = EXEC_PERIOD_SECONDS): number {
  if (probe.handler.kind !== 'exec') return 0;
  return heavyClientOf(probe) === undefined ? minimum : Math.max(minimum, HEAVY_CLIENT_PERIOD_SECONDS);
}
