import { formatPath } from '../../base/json/field-path.ts';
import { member } from '../../base/json/json-value.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { isPortNumber } from '../probe/handler-values.ts';
import { listenFlags, otherPorts, type ListenFlag } from '../workload/listen-flags.ts';
import { findPort } from '../workload/ports.ts';
import { handlerEdits } from './lib/endpoint.ts';
import { mayAnswer, portValue } from './lib/plausible-port.ts';
import { containerPhrase, defineCheck, located, type Finding } from './check.ts';
import type { CheckedProbe } from './checked-workload.ts';

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
    const port = asksPod(probe) ? portNumberOf(probe) : undefined;
    if (port === undefined) return undefined;
    const flags = listenFlags(probe.container.spec);
    const binding = loopbackFlag(flags, port);
    return binding === undefined ? portViolation(probe, port, flags) : bindViolation(probe, binding);
  },
});

const FOR_PROBES = /health|probe/i;

function isForProbes({ name }: ListenFlag): boolean {
  return FOR_PROBES.test(name);
}

function asksPod({ handlerKind, handler }: CheckedProbe): boolean {
  return handlerKind !== 'exec' && (member(handler, 'host') ?? '') === '';
}

function portNumberOf({ container, handler }: CheckedProbe): number | undefined {
  const port = member(handler, 'port');
  if (typeof port !== 'string') return isPortNumber(port) ? port : undefined;
  return findPort(container.ports ?? [], port)?.number;
}

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

function bindViolation(probe: CheckedProbe, flag: ListenFlag): Finding {
  const { name, value, list, index } = flag;
  return {
    probe: probe.kind,
    path: probe.container.place.path(list, index),
    message: `${containerPhrase(probe.container)} listens on ${quoted(value)} only, and the ${probe.kind} asks the Pod's IP: the connection is refused`,
    // No edit: the author may have a reason to keep other Pods away.
    remedy: `write ${quoted(value.replace(LOOPBACK_HOSTS, '0.0.0.0'))} for ${name}`,
  };
}

function portViolation(probe: CheckedProbe, port: number, flags: readonly ListenFlag[]): Finding | undefined {
  const flag = flags.find(isForProbes);
  const address = flag?.addresses[0];
  if (flag === undefined || address === undefined) return undefined;
  if (flag.addresses.length > 1 || flags.some((other) => other !== flag && isForProbes(other))) return undefined;
  if (address.port === port || answersElsewhere(probe, port, flags, address.port)) return undefined;
  const declared = findPort(probe.container.ports ?? [], address.port);
  const isKnownToAnswer = declared !== undefined && mayAnswer(probe, declared) && !address.isLoopback;
  const edits = isKnownToAnswer ? handlerEdits(probe, { port: portValue(probe, declared) }) : undefined;
  return {
    ...located(probe, probe.handlerKind, 'port'),
    message: `${containerPhrase(probe.container)} answers health probes on port ${address.port} (${formatPath([flag.list, flag.index])}), and its ${probe.kind} asks port ${port}`,
    remedy: `write port: ${address.port}, or change ${flag.name}`,
    ...(edits && { edits }),
  };
}

/** True when another flag names the port, or when the port is declared and another probe asks `probePort`. */
function answersElsewhere(probe: CheckedProbe, port: number, flags: readonly ListenFlag[], probePort: number): boolean {
  if (flags.some(({ addresses }) => addresses.some((address) => address.port === port))) return true;
  if (otherPorts(probe.container.spec, flags).has(port)) return true;
  const isDeclared = findPort(probe.container.ports ?? [], port) !== undefined;
  return (
    isDeclared &&
    probe.container.probes.some((other) => other !== probe && asksPod(other) && portNumberOf(other) === probePort)
  );
}
