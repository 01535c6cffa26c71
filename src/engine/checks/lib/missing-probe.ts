import { boolean, choice, type ValuesOf } from '../../policy/check-parameters.ts';
import { DEFAULT_CONTAINER_ANNOTATION, runsForever } from '../../workload/containers.ts';
import { isGrpc, isNamedForMetrics } from '../../workload/port-protocol.ts';
import { tcpPortsOf, type ContainerPort } from '../../workload/ports.ts';
import { startupProbeFor } from './startup-probe.ts';
import { speaksHttp } from './plausible-port.ts';
import { containerPhrase, yamlFlow, type Advice, type Finding } from '../check.ts';
import { hasProbe, probeOf, type CheckedContainer } from '../checked-workload.ts';
import type { ProbeKind } from '../../probe/probe.ts';

/** Parameters that select the containers for a check that requires a probe. */
export const concernedParameters = {
  containers: choice({
    choices: ['main', 'all'],
    default: 'all',
    text:
      'Which containers must have it: all (the default) is every application container; ' +
      'main is the main container, as docs/defaulting.md finds it.',
  }),
  sidecars: boolean({ default: false, text: 'true: native sidecars must have it too. Default false.' }),
};

/** What checks have in common that require a probe. @param harm what follows without it, behind a message */
export const requiresProbe = (kind: ProbeKind, harm: string) =>
  ({
    action: 'Off',
    parameters: concernedParameters,
    requiresProbes: true,
    run: (container: CheckedContainer, parameters: ValuesOf<typeof concernedParameters>) =>
      hasProbe(container, kind) ? undefined : missingProbe(container, parameters, { kind, harm }),
  }) as const;

/**
 * The finding of a check that requires a probe; undefined for a container that the check does not concern, such as one
 * that runs to completion. A requirement is never silent: without a main container, each application container counts.
 * @param lacks the probe that the container lacks, and what follows. Undefined when it lacks every probe
 */
export function missingProbe(
  container: CheckedContainer,
  parameters: ValuesOf<typeof concernedParameters>,
  lacks?: { readonly kind: ProbeKind; readonly harm: string },
): Finding | undefined {
  const { role, place, workload } = container;
  if (!isConcerned(container, parameters)) return undefined;
  const at = lacks === undefined ? { path: place.path() } : { probe: lacks.kind, path: place.path(lacks.kind) };
  const lacking = `${containerPhrase(container)} has no ${lacks?.kind ?? 'probe at all'}`;
  if (role === 'application' && parameters.containers === 'main' && workload.main() === undefined)
    return {
      ...at,
      message: `cannot determine the main container, and ${lacking}`,
      remedy: `name it in the annotation ${DEFAULT_CONTAINER_ANNOTATION} of the Pod`,
    };
  const message = `${lacking}${lacks?.harm ?? ''}`;
  return { ...at, message, ...probeToWrite(container, lacks?.kind ?? 'readinessProbe') };
}

function isConcerned(container: CheckedContainer, parameters: ValuesOf<typeof concernedParameters>): boolean {
  if (!container.workload.runsForever) return false;
  if (container.role === 'sidecar') return parameters.sidecars;
  if (container.role !== 'application' || !runsForever(container.spec)) return false;
  const main = parameters.containers === 'all' ? undefined : container.workload.main();
  return main === undefined || container.name === main;
}

/** With a liveness probe, a startup probe is complete. Otherwise no endpoint is known to answer. */
function probeToWrite(container: CheckedContainer, kind: ProbeKind): Advice {
  const liveness = kind === 'startupProbe' ? probeOf(container, 'livenessProbe') : undefined;
  const startup = liveness && startupProbeFor(liveness);
  if (startup !== undefined) {
    const { yaml, edit, copied } = startup;
    return { remedy: `write ${yaml}`, edits: [edit], copied };
  }
  return { remedy: `write ${kind}: ${handlerSkeleton(tcpPortsOf(container.spec))}` };
}

/** A handler for one of a container's TCP ports, in words. An endpoint is left for the author to fill in. */
export function handlerSkeleton(ports: readonly ContainerPort[]): string {
  const web = ports.filter(speaksHttp);
  const http =
    web.find(({ name }) => name === 'http') ??
    web.find(({ name }) => name === undefined || !isNamedForMetrics(name)) ??
    web[0];
  const [first] = ports;
  if (http === undefined && first !== undefined)
    return isGrpc(first) ? `{ grpc: { port: ${first.number} } }` : `{ tcpSocket: { port: ${portText(first)} } }`;
  return `{ httpGet: { path: <endpoint>, port: ${http === undefined ? '<port>' : portText(http)} } }`;
}

function portText({ name, number }: ContainerPort): string {
  return yamlFlow(name ?? number);
}
