import { alwaysTrueCommand } from '../../engine/checks/exec-always-true.ts';
import { ExecCommand } from '../../engine/command/words.ts';
import { execArgv } from '../../engine/probe/handler-values.ts';
import { handlerText } from '../../engine/probe/handler-text.ts';
import { readHandler } from '../../engine/workload/read-probe.ts';
import { isTcp } from '../../engine/workload/ports.ts';
import { quote } from '../../base/text/cut.ts';
import { eventMessage, isSuccess, NotRun } from './answer.ts';
import { askProbe, type Asking } from './ask.ts';
import { portOf, type ProbeToTry } from './planned-probes.ts';

const MOST_PORTS = 8;
/** A closed port answers at once. */
const PORT_SECONDS = 1;

/**
 * What somebody who asks sees beside a probe that passes: the success does not mean what it seems to mean.
 *
 * @param others the probes of the same container that are not tried
 */
export async function besidePass(
  planned: ProbeToTry,
  others: readonly ProbeToTry[],
  asking: Asking,
): Promise<readonly string[]> {
  return [...hiddenFailures(planned), ...(await closedPorts(planned, asking)), ...(await failing(others, asking))];
}

function hiddenFailures({ handler, probe }: ProbeToTry): string[] {
  if (handler.kind !== 'exec') return [];
  const found = alwaysTrueCommand({ command: new ExecCommand(execArgv(handler.spec) ?? []), kind: probe });
  if (found === undefined) return [];
  return [`The command cannot tell a failure: ${quote(found.program)} hides it. See the check exec-always-true.`];
}

/** The declared ports that refuse connections, where the target asks the container itself. */
async function closedPorts(planned: ProbeToTry, asking: Asking): Promise<string[]> {
  const { handler, container, timing } = planned;
  const { target } = asking;
  if (handler.kind === 'exec' || !('prove' in target || 'listeningPorts' in target)) return [];
  const asked = portOf(planned);
  const declared = container.readablePorts.filter((port) => isTcp(port) && port.number !== asked).slice(0, MOST_PORTS);
  const notes: string[] = [];
  for (const { name, number } of declared) {
    const there = { ...planned, handler: readHandler('tcpSocket', { port: number }) };
    const answer = await askProbe({ ...there, timing: { ...timing, timeoutSeconds: PORT_SECONDS } }, asking);
    if (answer instanceof NotRun || !answer.text.endsWith('connection refused')) continue;
    const port = name === undefined ? String(number) : `${name} (${number})`;
    notes.push(`The container declares the port ${port}, which refuses connections. The probe asks another port.`);
  }
  return notes;
}

async function failing(others: readonly ProbeToTry[], asking: Asking): Promise<string[]> {
  const notes: string[] = [];
  for (const other of others) {
    const answer = await askProbe(other, asking);
    if (answer instanceof NotRun || isSuccess(answer)) continue;
    const asks = handlerText({ [other.handler.kind]: other.handler.spec });
    notes.push(`Another probe fails, ${other.probe} (${asks}): ${eventMessage(other.probe, answer).trimEnd()}`);
  }
  return notes;
}
