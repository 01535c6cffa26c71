import { execArgv } from '../../probe/handler-values.ts';
import { invocationOf, shellInvocationOf, type Invocation, type ShellInvocation } from '../../probe/exec-invocation.ts';
import { readShellScript, type ShellList } from '../../probe/shell-script.ts';
import { isCut } from '../../workload/bounded-container.ts';
import { oncePerWorkload, type CheckedProbe } from '../checked-workload.ts';

/** The command of an exec probe, as the checks about commands read it. */
export interface ExecReading {
  readonly argv: readonly string[];
  /** The program that does the work. */
  readonly invocation: Invocation | undefined;
  /** The shell, if the program is one. */
  readonly shell: ShellInvocation | undefined;
  /** The script behind the shell's `-c`. Undefined also for a script that cannot be read, or that is cut. */
  readonly script: ShellList | undefined;
}

/** Several checks read the same command. A reading is therefore made once for each probe of a workload. */
const readingsOf = oncePerWorkload(() => new Map<CheckedProbe, ExecReading | undefined>());

/** Reads the command of a probe. Undefined for another handler, and for a command that the API server rejects. */
export function execReading(probe: CheckedProbe): ExecReading | undefined {
  if (probe.handlerKind !== 'exec') return undefined;
  const readings = readingsOf(probe.container.workload);
  const known = readings.get(probe);
  if (known !== undefined || readings.has(probe)) return known;
  const argv = execArgv(probe.handler);
  const reading = argv && readCommand(argv);
  readings.set(probe, reading);
  return reading;
}

function readCommand(argv: readonly string[]): ExecReading {
  const shell = shellInvocationOf(argv);
  const text = shell?.scriptAt === undefined ? undefined : argv[shell.scriptAt];
  const script = text === undefined || isCut(text) ? undefined : readShellScript(text);
  return { argv, invocation: invocationOf(argv), shell, script };
}
