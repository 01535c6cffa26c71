import { isJsonObject, member, objectMember, stringMap } from '../probes/json.ts';
import { defaultedPodSpec } from '../probes/api-defaults.ts';
import { PROBE_KINDS } from '../probes/probe.ts';
import { portsOf } from '../workload/ports.ts';
import { formatPath } from '../policy/problems.ts';
import { containerName, containersOf } from '../workload/containers.ts';
import { isPod } from '../workload/kinds.ts';
import { hasMeshStatus, isMeshProxyName } from '../workload/mesh.ts';
import { mainContainerOf } from '../workload/main-container.ts';
import { checkedProbes } from './checked-probe.ts';
import { declaredPorts } from './declared-ports.ts';
import type { JsonObject } from '../probes/json.ts';
import type { PlacedTemplate, WorkloadKind } from '../workload/kinds.ts';
import type { CheckedContainer, CheckedWorkload } from './check.ts';

/**
 * A workload as checks see it, from an object and one of its Pod templates. The template is to be the effective one; API defaulting is
 * applied here, so that a manifest and the object that an API server made of it look the same.
 */
export function checkedWorkload(
  object: JsonObject,
  kind: WorkloadKind,
  { template, path }: PlacedTemplate,
): CheckedWorkload {
  const written = objectMember(template, 'spec') ?? {};
  const podSpec = defaultedPodSpec(
    kind.defaultProbePort === undefined ? written : withProbePorts(written, kind.defaultProbePort),
  );
  const podSpecPath = formatPath([...path, 'spec']);
  const containers = containersOf(podSpec, isPod(kind) ? isMeshProxyName : (name) => hasMeshStatus(template, name));
  const main = mainContainerOf(containers, stringMap(objectMember(template, 'metadata') ?? {}, 'annotations'));
  return {
    kind,
    object,
    podSpec,
    podSpecPath,
    containers: [
      ...containers.map(({ name, role, spec, list, index }) =>
        checkedContainer(name, role, spec, `${podSpecPath}.${list}[${index}]`),
      ),
      ...ephemeralContainersOf(podSpec, podSpecPath),
    ],
    main: 'container' in main ? main.container.name : undefined,
    runsForever: !kind.runsToCompletion && member(podSpec, 'restartPolicy') === 'Always',
    answers: new Map(),
  };
}

function ephemeralContainersOf(podSpec: JsonObject, podSpecPath: string): CheckedContainer[] {
  const entries = member(podSpec, 'ephemeralContainers');
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((spec: unknown, index): CheckedContainer[] => {
    if (!isJsonObject(spec)) return [];
    return [checkedContainer(containerName(spec), 'ephemeral', spec, `${podSpecPath}.ephemeralContainers[${index}]`)];
  });
}

function checkedContainer(
  name: string,
  role: CheckedContainer['role'],
  spec: JsonObject,
  path: string,
): CheckedContainer {
  return { name, role, spec, path, probes: checkedProbes(spec, name, path), ports: declaredPorts(spec) };
}

/** The Pod spec with a port in each HTTP and TCP probe of its containers that has none, as Knative Serving fills it in. */
function withProbePorts(podSpec: JsonObject, fallback: number): JsonObject {
  const containers = member(podSpec, 'containers');
  if (!Array.isArray(containers)) return podSpec;
  const filled = containers.map((container: unknown) => {
    if (!isJsonObject(container)) return container;
    const port = portsOf(container)[0]?.number ?? fallback;
    const probes = PROBE_KINDS.flatMap((kind) => {
      const probe = objectMember(container, kind);
      return probe === undefined ? [] : [[kind, withPort(probe, port)] as const];
    });
    return { ...container, ...Object.fromEntries(probes) };
  });
  return { ...podSpec, containers: filled };
}

function withPort(probe: JsonObject, port: number): JsonObject {
  const handlers = (['httpGet', 'tcpSocket'] as const).flatMap((kind) => {
    const handler = objectMember(probe, kind);
    return handler === undefined || (member(handler, 'port') ?? 0) !== 0 ? [] : [[kind, { ...handler, port }] as const];
  });
  return { ...probe, ...Object.fromEntries(handlers) };
}
