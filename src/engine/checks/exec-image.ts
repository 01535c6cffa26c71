import { isLoopbackHost, isPortNumber } from '../probe/handler-values.ts';
import { localClient } from '../command/asks.ts';
import { knownProgram } from '../command/programs.ts';
import { onlyPart } from '../command/script.ts';
import { ExecCommand, programName } from '../command/words.ts';
import { listeningOf } from '../port/listening.ts';
import { protocolOfPort, purposeOf } from '../port/speaks.ts';
import { isTcp, MOST_LISTED } from '../workload/ports.ts';
import { missingPrograms } from './lib/missing-programs.ts';
import { loopbackSetting } from './listen-address.ts';
import { defineCheck, listed, located, yamlFlow } from './check.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ServicesOfPod } from '../facts/services.ts';
import type { Container, Probe } from '../workload/pod.ts';

/** What an image lacks is known by the naming of its publisher alone (command/image.ts). */
export const execImage = defineCheck({
  id: 'exec-image',
  summary: 'A probe runs a shell or a tool that its image does not contain, such as a distroless image.',
  action: 'Warn',
  cannotWork: true,
  handlers: ['exec'],
  readsCommand: true,
  eachProbe: (probe, _, { services }) => {
    const missing = missingPrograms(probe.container, probe.command, probe.kind);
    if (missing === undefined) return undefined;
    const { at, message, level } = missing;
    return {
      ...located(probe, 'exec', 'command', at),
      message,
      remedy: level === undefined ? withoutProgram(probe, services) : 'write sh if the command needs no bash',
      ...(level && { level }),
    };
  },
});

/** Longest command that a remedy shows. */
const MOST_CHARACTERS = 120;

/**
 * What to write in place of a command whose program the image lacks: the handler that asks the same, the command
 * without its shell, or the handlers that the ports may answer. No handler that is known to fail.
 */
function withoutProgram(probe: Probe, services: ServicesOfPod): string {
  const { command, container } = probe;
  const words = ownProgram(container, command);
  const asking = grpcHandler(words) ?? localClient(command)?.handler;
  const [inner] = Object.values(asking ?? {}) as JsonObject[];
  const isUnreachable = loopbackSetting(container.once(listeningOf), Number(inner?.['port'])) !== undefined;
  const shown = yamlFlow(words);
  const own = shown.length > MOST_CHARACTERS ? 'run the program without a shell' : `write command: ${shown}`;
  if (asking !== undefined && !isUnreachable) {
    const otherwise = words.length > 0 ? `, or ${own}` : '';
    return `write ${yamlFlow(asking).slice(2, -2)} if the application listens on the Pod's IP${otherwise}`;
  }
  if (words.length > 0) return own;
  const kinds = isUnreachable ? [] : handlersFor(container, services);
  const handlers =
    kinds.length === 0 ? '' : `write ${kinds[0] === 'httpGet' ? 'an' : 'a'} ${listed(kinds, 'or')} handler, or `;
  return `${handlers}run a program of the application`;
}

/** The command without what is missing: `timeout`, or a shell around one program. None if its program is missing. */
function ownProgram(container: Container, command: ExecCommand): readonly string[] {
  const { argv, invocation, shell } = command;
  const words = shell === undefined ? argv.slice(invocation?.at) : onlyCommand(command);
  const [program = ''] = words;
  if (program === '' || knownProgram(program)?.isBuiltin === true) return [];
  return missingPrograms(container, new ExecCommand(words), '') === undefined ? words : [];
}

/** The words of a script that is one command, of which the shell changes none. */
function onlyCommand({ tree }: ExecCommand): readonly string[] {
  const node = onlyPart(tree);
  if (node?.type !== 'command') return [];
  const { assignments, words, redirections } = node;
  const isPlain =
    words.every((word) => word.isLiteral && !/[*?~[{]/.test(word.text)) &&
    redirections.every(({ target }) => /^(?:\/dev\/null|[12])$/.test(target?.text ?? ''));
  const texts = isPlain && assignments.length === 0 ? words.map((word) => word.text) : [];
  return texts[0] === 'exec' ? texts.slice(1) : texts;
}

/** The handler of the kubelet that asks as grpc_health_probe does. The kubelet's has no TLS. */
function grpcHandler([program = '', ...words]: readonly string[]): JsonObject | undefined {
  const text = words.join(' ');
  if (!/^grpc[-_]health[-_]probe/.test(programName(program)) || /(?:^| )--?tls/.test(text)) return undefined;
  const [, host = '', number] = /(?:^| )--?addr[= ]([^ ]*):(\d{1,5})(?= |$)/.exec(text) ?? [];
  const [, service] = /(?:^| )--?service[= ]([^ ]+)/.exec(text) ?? [];
  const port = Number(number);
  if (!isPortNumber(port) || !(host === '' || host === '0.0.0.0' || isLoopbackHost(host))) return undefined;
  return { grpc: { port, ...(service !== undefined && { service }) } };
}

const ALL = ['httpGet', 'tcpSocket', 'grpc'];

/** The handlers that a declared port may answer. All of them without a declared port. */
function handlersFor(container: Container, services: ServicesOfPod): readonly string[] {
  const { readablePorts: ports } = container;
  if (ports.length === 0) return ALL;
  const listening = container.once(listeningOf);
  const found = ports.slice(0, MOST_LISTED).flatMap((port) => {
    if (!isTcp(port) || loopbackSetting(listening, port.number)) return [];
    const { speaks, protocol = '' } = protocolOfPort(port, container, services);
    if (speaks === 'http' || speaks === 'https') return ['httpGet'];
    if (speaks === 'unknown') return container.once(purposeOf) === null ? ALL : ['tcpSocket'];
    // MySQL and MariaDB count connections without a handshake (tcp-handshake).
    if (speaks !== 'other' || /^M(?:ySQL|ariaDB)$/.test(protocol)) return [];
    return protocol === 'gRPC' ? ['tcpSocket', 'grpc'] : ['tcpSocket'];
  });
  return ALL.filter((kind) => found.includes(kind));
}
