import { describePort, isTcp } from '../workload/ports.ts';
import { askedPort, onlyPortAdvice, portEdit } from './lib/probe-port.ts';
import { containerPhrase, defineCheck, firstListed, located, type Finding } from './check.ts';
import { oncePerWorkload } from './checked-workload.ts';
import { mayHaveProbes, type Container, type Probe } from '../workload/pod.ts';

/**
 * Such a probe works, so the finding is a note: of 71 in public charts, no number was wrong (issue 30), and of five
 * that looked like a slip, four were right (issue 50). A warning for a hostPort, which is closed at the Pod's IP, and
 * for liveness that asks another container: its faults kill this one. No edits that declare a port: it can change which
 * probes policies add.
 */
export const undeclaredPort = defineCheck({
  id: 'undeclared-port',
  summary: 'The probe asks a port number that its container does not declare.',
  action: 'Audit',
  acceptsHandler: true,
  eachProbe: (probe, _, workload) => {
    const { container } = probe;
    const asked = askedPort(probe) ?? askedPort(withoutQuotes(probe));
    if (asked === undefined || asked.declared !== undefined || container.ports === undefined) return undefined;
    const port = asked.number;
    const place = located(probe, probe.handler.kind, 'port');
    const other = declarersIn(workload).get(port);
    if (other !== undefined && reportsOn(probe, other)) return undefined;
    const wrong = hostPortOf(probe, port) ?? (other && portOfAnother(probe, port, other));
    if (wrong !== undefined) return { ...place, ...wrong };
    // This container names the port as its own, and another one declares it.
    if (other !== undefined) return undefined;
    const declared = container.ports.filter(isTcp);
    const known = declared.length === 0 ? 'no TCP port' : `only ${firstListed(declared.map(describePort))}`;
    return {
      ...place,
      message: `the ${probe.kind} asks port ${port}, but ${containerPhrase(container)} declares ${known}`,
      remedy: `add containerPort: ${port} to its ports`,
    };
  },
});

/** The API server rejects `"8080"`. The number without quotes is then declared nowhere either. */
function withoutQuotes(probe: Probe): Probe {
  const { handler } = probe;
  if (handler.kind === 'exec' || typeof handler.port !== 'string') return probe;
  const [, port] = /^(?:[^:]*:)?(\d{1,5})$/.exec(handler.port) ?? [];
  return port === undefined ? probe : { ...probe, handler: { ...handler, port: Number(port) } };
}

type Wrong = Pick<Finding, 'message' | 'remedy' | 'edits' | 'level'>;

/** The kubelet asks the Pod's IP. The hostPort is a port of the node. */
function hostPortOf(probe: Probe, port: number): Wrong | undefined {
  const { container, kind } = probe;
  const meant = container.ports?.find((declared) => isTcp(declared) && declared.hostPort === port);
  if (meant === undefined || container.pod.hostNetwork) return undefined;
  return {
    message: `the ${kind} asks the hostPort ${port} of ${containerPhrase(container)}, but the Pod answers on port ${describePort(meant)}`,
    remedy: `write port: ${meant.number}`,
    edits: [portEdit(probe, meant)],
    level: 'Warn',
  };
}

/** A server for others listens on no loopback address: such a port is one that the container asks. */
const NO_SERVER = '\\d|(?:localhost|127\\.0\\.0\\.1|::1\\]):';

/** True when a text of the container names a number as its own: a word of its commands or probes, or a variable. */
function namesNumber(container: Container, number: number): boolean {
  const words = [
    ...container.line.words.map(({ text }) => text),
    ...container.probes.flatMap(({ command }) => command.argv),
  ];
  const values = container.settings().flatMap(({ from, value = '' }) => (from === 'variable' ? value : []));
  // Not as a part of a longer number.
  const pattern = new RegExp(`(?<!${NO_SERVER})${number}(?!\\d)`);
  return [...words, ...values].some((text) => pattern.test(text));
}

/** A port that another container declares, and that this one does not name as its own. */
function portOfAnother(probe: Probe, port: number, other: Container): Wrong | undefined {
  const { container, kind } = probe;
  if (namesNumber(container, port)) return undefined;
  const isKill = kind === 'livenessProbe';
  return {
    message:
      `the ${kind} of ${containerPhrase(container)} asks port ${port} of ${containerPhrase(other)}` +
      (isKill ? ', whose faults then restart this container' : ''),
    remedy: onlyPortAdvice(probe)?.remedy ?? `ask a port of ${containerPhrase(container)}`,
    ...(isKill && { level: 'Warn' }),
  };
}

/** True for a container whose purpose is to report on others: exechealthz, or the sidecar of kube-dns by its path. */
function reportsOn({ container, handler }: Probe, other: Container): boolean {
  const path = handler.kind === 'httpGet' ? (handler.path ?? '') : '';
  return /health/i.test(other.name) || path.split('/').includes(container.name);
}

/** The containers that run beside each other, by the TCP ports that they declare. */
const declarersIn = oncePerWorkload(({ pod }): ReadonlyMap<number, Container> => {
  const running = pod.containers.filter((container) => mayHaveProbes(container) || container.role === 'mesh');
  return new Map(
    running.flatMap((container) => container.readablePorts.filter(isTcp).map(({ number }) => [number, container])),
  );
});
