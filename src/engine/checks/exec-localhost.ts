import { localClient } from '../probe/local-client.ts';
import { isCut } from '../workload/bounded-container.ts';
import { listenFlags } from '../workload/listen-flags.ts';
import { invocationOf } from '../probe/exec-invocation.ts';
import { quote } from '../../base/text/cut.ts';
import { execReading, type ExecReading } from './lib/exec-reading.ts';
import { loopbackFlag } from './listen-address.ts';
import { containerPhrase, defineCheck, located, yamlFlow } from './check.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ShellCommand, ShellList } from '../probe/shell-script.ts';
import type { CheckedContainer } from './checked-workload.ts';

/**
 * Clients that send a body, credentials or headers are accepted, and a port that the container binds to loopback. No
 * edits: only the author knows whether the application listens on the Pod's IP.
 */
export const execLocalhost = defineCheck({
  id: 'exec-localhost',
  summary: 'A probe starts an HTTP or TCP client where the kubelet can ask the address itself.',
  action: 'Audit',
  handlers: ['exec'],
  // The probe works, so a copy of its handler works too.
  acceptsHandler: true,
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const reading = execReading(probe);
    const client = reading && clientOf(probe.container, reading);
    if (client === undefined) return undefined;
    return {
      ...located(probe, 'exec', 'command'),
      message: `${containerPhrase(probe.container)} starts ${quote(client.program)} for each ${probe.kind}, to ask an address that the kubelet can ask without a process`,
      remedy: `write ${yamlFlow(client.handler).slice(2, -2)} if the application listens on the Pod's IP`,
    };
  },
});

function clientOf(
  container: CheckedContainer,
  reading: ExecReading,
): { readonly program: string; readonly handler: JsonObject } | undefined {
  const words = reading.shell === undefined ? reading.argv : onlyCommand(reading.script);
  const invocation = words && invocationOf(words);
  if (words === undefined || invocation === undefined || reading.argv.some(isCut)) return undefined;
  const handler = localClient(invocation.program, words.slice(invocation.at + 1));
  if (handler === undefined) return undefined;
  const [inner] = Object.values(handler) as JsonObject[];
  const binding = loopbackFlag(listenFlags(container.spec), Number(inner?.['port']));
  return binding === undefined ? { program: invocation.program, handler } : undefined;
}

/** Returns the words of a script that is one command. `|| exit 1` behind it changes nothing for the kubelet. */
function onlyCommand(script: ShellList | undefined): readonly string[] | undefined {
  const [entry, ...others] = script ?? [];
  if (entry === undefined || others.length > 0 || entry.isBackground || !entry.rest.every(onlyFails)) return undefined;
  const [command, ...stages] = entry.first.stages;
  if (command?.kind !== 'simple' || stages.length > 0 || entry.first.isNegated) return undefined;
  if (!command.words.every(({ isLiteral }) => isLiteral)) return undefined;
  const texts = command.words.map(({ text }) => text);
  return texts[0] === 'exec' ? texts.slice(1) : texts;
}

function onlyFails({ operator, pipeline }: ShellList[number]['rest'][number]): boolean {
  return operator === '||' && pipeline.stages.length === 1 && pipeline.stages.every(isFailure);
}

function isFailure(command: ShellCommand): boolean {
  if (command.kind !== 'simple') return false;
  const [program, status] = command.words.map(({ text }) => text);
  return program === 'false' || (program === 'exit' && /^[1-9]\d*$/.test(status ?? ''));
}
