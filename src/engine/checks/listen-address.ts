import { formatPath, textAt } from '../../base/json/field-path.ts';
import { isJsonObject, listMember, objectMember, stringMember } from '../../base/json/json-value.ts';
import { quote } from '../../base/text/cut.ts';
import { isPod } from '../workload/kinds.ts';
import { selectingServices, type CheckedWorkload } from './checked-workload.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { isIpv4, listeningOf, type ListenFlag, type Listening, type ListenVariable } from '../port/listening.ts';
import type { CommandWord } from '../workload/command-reader.ts';
import { handlerEdits } from './lib/endpoint.ts';
import { findPort } from '../workload/ports.ts';
import { askedPort, mayAnswer, portValue, type AskedPort } from './lib/probe-port.ts';
import { containerPhrase, defineCheck, located, unread, type Finding } from './check.ts';
import type { Probe } from '../workload/pod.ts';

/**
 * Reads flags and variables that name the address to listen on: the kubelet asks the Pod's IP. The only flag that also
 * says `health` or `probe` names the port of the probe. probe-host reports a probe with its own host.
 */
export const listenAddress = defineCheck({
  id: 'listen-address',
  summary: 'The application listens on an address or a port where the probe does not ask.',
  action: 'Warn',
  cannotWork: true,
  eachProbe: (probe, _, workload) => {
    const asked = askedPort(probe);
    if (asked === undefined) return undefined;
    const listening = probe.container.once(listeningOf);
    const { flags } = listening;
    const script = probe.container.line.unread;
    const binding = loopbackSetting(listening, asked.number);
    const found =
      binding === undefined
        ? (portViolation(probe, asked, flags) ??
          familyViolation(probe, asked, flags, workload) ??
          unreachable(probe, flags))
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

/** The flag or variable that binds a port to loopback. Undefined when another address of the port is reachable. */
export function loopbackSetting(
  { flags, variables }: Listening,
  port: number,
): ListenFlag | ListenVariable | undefined {
  const ofPort = [...flags, ...variables].filter(({ addresses }) => addresses.some((one) => one.port === port));
  const isReachable = ofPort.some(({ addresses }) => addresses.some((one) => one.port === port && !one.isLoopback));
  return isReachable ? undefined : ofPort[0];
}

const LOOPBACK_HOSTS = /localhost|127(?:\.\d{1,3}){3}|\[::1\]|^::1$/gi;

function bindViolation(probe: Probe, setting: ListenFlag | ListenVariable): Finding {
  const { name, value } = setting;
  return {
    ...('list' in setting ? atWord(probe, setting) : { probe: probe.kind, path: probe.container.place.path('env') }),
    message: `${containerPhrase(probe.container)} listens on ${quoted(value)} only, and the ${probe.kind} asks the Pod's IP: the connection is refused`,
    // No edit: the author may have a reason to keep other Pods away.
    remedy: `write ${quoted(value.replace(LOOPBACK_HOSTS, '0.0.0.0'))} for ${name}`,
  };
}

/** All addresses of the port are of IPv4, and the Pod, or a Service that selects it, has none. */
function familyViolation(
  probe: Probe,
  { number }: AskedPort,
  flags: readonly ListenFlag[],
  workload: CheckedWorkload,
): Finding | undefined {
  const ofPort = flags.filter(({ addresses }) => addresses.some(({ port }) => port === number));
  const [flag] = ofPort;
  const isOnly = ofPort.every(({ addresses }) => addresses.every(({ host, port }) => port !== number || isIpv4(host)));
  if (flag === undefined || !isOnly) return undefined;
  const asking = ipv6Asker(workload);
  if (asking === undefined) return undefined;
  const { name, value } = flag;
  return {
    ...atWord(probe, flag),
    message: `${containerPhrase(probe.container)} listens on ${quoted(value)}, which IPv4 alone reaches, and ${asking} has IPv6 only`,
    remedy: `write ${quoted(value.replace(/\d{1,3}(?:\.\d{1,3}){3}/g, value.includes(':') ? '[::]' : '::'))} for ${name}`,
  };
}

/** The Pod, by its addresses, or a Service that selects it, if that has no IPv4 address. */
function ipv6Asker(workload: CheckedWorkload): string | undefined {
  const ip = isPod(workload.kind) ? textAt(workload.object, 'status', 'podIP') : undefined;
  const others = objectMember(workload.object, 'status') ?? {};
  const addresses = listMember(others, 'podIPs').map((entry) => (isJsonObject(entry) ? stringMember(entry, 'ip') : ''));
  if (ip?.includes(':') && addresses.every((address = '') => address.includes(':'))) return 'the Pod';
  const service = selectingServices(workload).find(({ isIpv6Only }) => isIpv6Only);
  return service && `Service ${quote(service.name)}`;
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
    container.once(listeningOf).otherPorts().has(port);
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
