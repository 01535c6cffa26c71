import { formatPath } from '../../base/json/field-path.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import type { CommandWord, ListenFlag } from '../workload/listen-flags.ts';
import { handlerEdits } from './lib/endpoint.ts';
import { findPort } from '../workload/ports.ts';
import { askedPort, mayAnswer, portValue, type AskedPort } from './lib/probe-port.ts';
import { containerPhrase, defineCheck, located, unread, type Finding } from './check.ts';
import type { Probe } from '../workload/pod.ts';

/**
 * Reads flags with `addr`, `bind` or `listen` in their names: the kubelet asks the Pod's IP. The only flag that also
 * says `health` or `probe` names the port of the probe. probe-host reports a probe with its own host.
 */
export const listenAddress = defineCheck({
  id: 'listen-address',
  summary: 'The application listens on an address or a port where the probe does not ask.',
  action: 'Warn',
  cannotWork: true,
  eachProbe: (probe) => {
    const asked = askedPort(probe);
    if (asked === undefined) return undefined;
    const { flags, unread: script } = probe.container.line();
    const binding = loopbackFlag(flags, asked.number);
    const found =
      binding === undefined
        ? (portViolation(probe, asked, flags) ?? unreachable(probe, flags))
        : bindViolation(probe, binding);
    return [...(found === undefined ? [] : [found]), ...(script === undefined ? [] : [unreadScript(probe, script)])];
  },
});

function unreadScript(probe: Probe, word: CommandWord): Finding {
  return unread(atWord(probe, word), `the script of ${containerPhrase(probe.container)}`);
}

function atWord(
  { kind, container }: Probe,
  { list, index }: Omit<CommandWord, 'text'>,
): Pick<Finding, 'probe' | 'path'> {
  return { probe: kind, path: container.place.path(list, index) };
}

const FOR_PROBES = /health|probe/i;

/** Returns the flag that binds a port to loopback. Undefined when another address of the port is reachable. */
export function loopbackFlag(flags: readonly ListenFlag[], port: number): ListenFlag | undefined {
  let first: ListenFlag | undefined;
  for (const flag of flags)
    for (const address of flag.addresses) {
      if (address.port !== port) continue;
      if (!address.isLoopback) return undefined;
      first ??= flag;
    }
  return first;
}

const LOOPBACK_HOSTS = /localhost|127(?:\.\d{1,3}){3}|\[::1\]|^::1$/gi;

function bindViolation(probe: Probe, flag: ListenFlag): Finding {
  const { name, value } = flag;
  return {
    ...atWord(probe, flag),
    message: `${containerPhrase(probe.container)} listens on ${quoted(value)} only, and the ${probe.kind} asks the Pod's IP: the connection is refused`,
    // No edit: the author may have a reason to keep other Pods away.
    remedy: `write ${quoted(value.replace(LOOPBACK_HOSTS, '0.0.0.0'))} for ${name}`,
  };
}

/** No flag names an address that the kubelet reaches. A note, as the program may listen on ports of no flag, too. */
function unreachable(probe: Probe, flags: readonly ListenFlag[]): Finding | undefined {
  const [flag] = flags;
  if (flag === undefined || flags.some(({ addresses }) => addresses.length > 0)) return undefined;
  const { name, value } = flag;
  return {
    ...atWord(probe, flag),
    level: 'Audit',
    message: `${containerPhrase(probe.container)} listens on ${quoted(value)}, and no flag names another address; the ${probe.kind} asks the Pod's IP`,
    remedy: `write an address that the kubelet reaches for ${name}, such as 0.0.0.0`,
  };
}

function portViolation(
  probe: Probe,
  { number: port, declared }: AskedPort,
  flags: readonly ListenFlag[],
): Finding | undefined {
  const { container, kind } = probe;
  const [flag, ...others] = flags.filter(({ name, addresses }) => FOR_PROBES.test(name) && addresses.length > 0);
  const [address, ...more] = flag?.addresses ?? [];
  if (flag === undefined || address === undefined || others.length > 0 || more.length > 0) return undefined;
  // The port is right if a flag names it, or if it is declared and another probe asks the flag's port.
  const isNamed =
    flags.some(({ addresses }) => addresses.some((other) => other.port === port)) ||
    container.line().otherPorts().has(port);
  const isAskedByOther = container.probes.some((other) => other !== probe && askedPort(other)?.number === address.port);
  if (isNamed || (declared !== undefined && isAskedByOther)) return undefined;
  const answering = address.isLoopback ? undefined : findPort(container.ports ?? [], address.port);
  return {
    ...located(probe, probe.handler.kind, 'port'),
    message: `${containerPhrase(container)} answers health probes on port ${address.port} (${formatPath([flag.list, flag.index])}), and its ${kind} asks port ${port}`,
    remedy: `write port: ${address.port}, or change ${flag.name}`,
    ...(answering && mayAnswer(probe, answering) && handlerEdits(probe, { port: portValue(probe, answering) })),
  };
}
