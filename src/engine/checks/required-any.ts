import type { ValuesOf } from '../policy/check-parameters.ts';
import { DEFAULT_CONTAINER_ANNOTATION } from '../workload/main-container.ts';
import { mayEnd } from '../workload/kinds.ts';
import type { ServicesOfPod } from '../facts/services.ts';
import { protocolOfPort, purposeOf } from '../port/speaks.ts';
import { isForTls, tlsWordOf } from '../port/tls.ts';
import { isGrpc, isNamedForMetrics } from '../port/words.ts';
import { isTcp, type ContainerPort } from '../workload/ports.ts';
import { startupProbeFor } from './lib/startup-probe.ts';
import { containerPhrase, defineCheck, yamlFlow, type Advice, type Finding } from './check.ts';
import type { CheckedWorkload } from './checked-workload.ts';
import { hasProbe, timedProbe, type Container } from '../workload/pod.ts';
import { PROBE_KINDS, type ProbeKind } from '../probe/probe.ts';

/** Parameters that select the containers for a check that requires a probe. */
export const concernedParameters = {
  containers: {
    type: 'choice',
    choices: ['main', 'all'],
    default: 'all',
    text:
      'Which containers must have it: all (the default) is every application container; ' +
      'main is the main container, as docs/defaulting.md finds it.',
  },
  sidecars: { type: 'boolean', default: false, text: 'true: native sidecars must have it too. Default false.' },
} as const;

/**
 * What checks have in common that require a probe. A container that runs to completion needs none. A requirement is
 * never silent: without a main container, each application container counts.
 * @param required the probe; undefined when any probe will do
 * @param harm what follows without it, behind a message
 */
export const requiresProbe = (required: ProbeKind | undefined, harm: string) =>
  ({
    action: 'Off',
    parameters: concernedParameters,
    requiresProbes: true,
    run: (container: Container, parameters: ConcernedParameters, workload: CheckedWorkload): Finding | undefined => {
      const { role, place } = container;
      const kinds = required === undefined ? PROBE_KINDS : [required];
      if (kinds.some((kind) => hasProbe(container, kind)) || !isConcerned(container, parameters, workload))
        return undefined;
      const at = required === undefined ? { path: place.path() } : { probe: required, path: place.path(required) };
      const lacking = `${containerPhrase(container)} has no ${required ?? 'probe at all'}`;
      if (role === 'application' && parameters.containers === 'main' && workload.pod.main.kind !== 'found')
        return {
          ...at,
          message: `cannot determine the main container, and ${lacking}`,
          remedy: `name it in the annotation ${DEFAULT_CONTAINER_ANNOTATION} of the Pod`,
        };
      return {
        ...at,
        message: `${lacking}${harm}`,
        ...probeToWrite(container, required ?? 'readinessProbe', workload),
      };
    },
  }) as const;

type ConcernedParameters = ValuesOf<typeof concernedParameters>;

function isConcerned(container: Container, parameters: ConcernedParameters, { pod, kind }: CheckedWorkload): boolean {
  if (!pod.runsForever) return false;
  if (container.role === 'sidecar') return parameters.sidecars;
  if (container.role !== 'application') return false;
  // In a workload a container serves, whatever its own restartPolicy says (KEP-5307, ContainerRestartRules).
  if (mayEnd(kind) && !container.runsForever) return false;
  if (parameters.containers === 'all' || pod.main.kind !== 'found') return true;
  return container.name === pod.main.container.name;
}

/** With a liveness probe, a startup probe is complete. Otherwise no endpoint is known to answer. */
function probeToWrite(container: Container, kind: ProbeKind, { services }: CheckedWorkload): Advice {
  const liveness = kind === 'startupProbe' ? timedProbe(container, 'livenessProbe') : undefined;
  const startup = liveness && startupProbeFor(liveness);
  return (
    startup?.advice ?? {
      remedy: `write ${kind}: ${handlerSkeleton(container, container.readablePorts.filter(isTcp), services)}`,
    }
  );
}

/**
 * A handler for one of a container's TCP ports, in words. An endpoint is left for the author to fill in. Another probe
 * of the author tells how to reach the server on its port.
 */
export function handlerSkeleton(
  container: Container,
  ports: readonly ContainerPort[],
  services: ServicesOfPod,
): string {
  const web = ports.filter((port) => mayBeHttp(port, container, services));
  const http =
    web.find(({ name }) => name === 'http') ??
    web.find(({ name }) => name === undefined || !isNamedForMetrics(name)) ??
    web[0];
  const [first] = ports;
  const asked = http ?? first;
  if (asked === undefined) return '{ httpGet: { path: <endpoint>, port: <port> } }';
  const port = yamlFlow(asked.name ?? asked.number);
  if (http !== undefined) {
    const fields = likeOwnProbe(container, http) ?? (saysTls(http, container) ? ', scheme: HTTPS' : '');
    return `{ httpGet: { path: <endpoint>, port: ${port}${fields} } }`;
  }
  const isAsked = container.probes.some(({ handler }) => handler.kind === 'grpc' && handler.port === asked.number);
  return isAsked || isGrpc(asked) ? `{ grpc: { port: ${asked.number} } }` : `{ tcpSocket: { port: ${port} } }`;
}

const saysTls = (port: ContainerPort, container: Container): boolean =>
  isForTls(port) || tlsWordOf(container, port.number, port) !== undefined;

/** False for a port of another protocol, and for one without a name for HTTP in a container that is a product. */
function mayBeHttp(port: ContainerPort, container: Container, services: ServicesOfPod): boolean {
  const { speaks: said } = protocolOfPort(port, container, services);
  if (said !== 'unknown') return said !== 'other';
  return container.once(purposeOf) === null;
}

/** Scheme, host and headers of the author's httpGet probe on the port. Values of headers may be secrets. */
function likeOwnProbe(container: Container, { name, number }: ContainerPort): string | undefined {
  const own = container.probes.find(
    ({ handler }) => handler.kind === 'httpGet' && [name, number].includes(handler.port),
  );
  if (own?.handler.kind !== 'httpGet') return undefined;
  const { scheme, host = '', headers } = own.handler;
  const shown = headers.map(
    (header) =>
      `{ name: ${yamlFlow(header.name)}, value: ${isPublic(header.name) ? yamlFlow(header.value) : '<value>'} }`,
  );
  const all = `httpHeaders: [${shown.join(', ')}]`;
  const listed = all.length > MOST_HEADERS ? `httpHeaders: <those of the ${own.kind}>` : all;
  const fields = [
    ...(scheme === 'HTTPS' ? ['scheme: HTTPS'] : []),
    ...(host !== '' ? [`host: ${yamlFlow(host)}`] : []),
    ...(headers.length > 0 ? [listed] : []),
  ];
  return fields.map((text) => `, ${text}`).join('');
}

const MOST_HEADERS = 150;
const isPublic = (header: string): boolean => /^(?:accept|host|user-agent|x-forwarded-\w+)$/i.test(header);

/** The same rule: Kyverno, require-pod-probes. */
export const requiredAny = defineCheck({
  id: 'required-any',
  summary: 'A container has no probe at all.',
  ...requiresProbe(undefined, ''),
});
