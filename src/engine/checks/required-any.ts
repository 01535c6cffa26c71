import type { ValuesOf } from '../policy/check-parameters.ts';
import { DEFAULT_CONTAINER_ANNOTATION } from '../workload/main-container.ts';
import { mayEnd } from '../workload/kinds.ts';
import { isGrpc, isNamedForHttps, isNamedForMetrics, type PortHints } from '../workload/port-protocol.ts';
import { isTcp, type ContainerPort } from '../workload/ports.ts';
import { startupProbeFor } from './lib/startup-probe.ts';
import { speaksHttp } from './lib/probe-port.ts';
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
function probeToWrite(container: Container, kind: ProbeKind, { portHints }: CheckedWorkload): Advice {
  const liveness = kind === 'startupProbe' ? timedProbe(container, 'livenessProbe') : undefined;
  const startup = liveness && startupProbeFor(liveness);
  return (
    startup?.advice ?? { remedy: `write ${kind}: ${handlerSkeleton(container.readablePorts.filter(isTcp), portHints)}` }
  );
}

/** A handler for one of a container's TCP ports, in words. An endpoint is left for the author to fill in. */
export function handlerSkeleton(ports: readonly ContainerPort[], hints: PortHints): string {
  const web = ports.filter((port) => speaksHttp(port, hints));
  const http =
    web.find(({ name }) => name === 'http') ??
    web.find(({ name }) => name === undefined || !isNamedForMetrics(name)) ??
    web[0];
  const [first] = ports;
  const asked = http ?? first;
  if (asked === undefined) return '{ httpGet: { path: <endpoint>, port: <port> } }';
  const port = yamlFlow(asked.name ?? asked.number);
  if (http !== undefined)
    return `{ httpGet: { path: <endpoint>, port: ${port}${isNamedForHttps(http) ? ', scheme: HTTPS' : ''} } }`;
  return isGrpc(asked) ? `{ grpc: { port: ${asked.number} } }` : `{ tcpSocket: { port: ${port} } }`;
}

/** The same rule: Kyverno, require-pod-probes. */
export const requiredAny = defineCheck({
  id: 'required-any',
  summary: 'A container has no probe at all.',
  ...requiresProbe(undefined, ''),
});
