import { isJsonObject, member, objectMember, stringMembers } from '../../base/json/json-value.ts';
import { defaultedPodSpec } from '../probe/api-defaults.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { portsOf } from '../workload/ports.ts';
import { FieldPlace } from '../../base/json/field-place.ts';
import { boundedContainer } from '../workload/bounded-container.ts';
import { containerName, containersOf } from '../workload/containers.ts';
import { NO_FACTS } from '../facts/facts.ts';
import { isPod } from '../workload/kinds.ts';
import { meshProxyTest } from '../workload/mesh.ts';
import { mainContainerOf } from '../workload/main-container.ts';
import { podRunsForever } from '../workload/restart-policy.ts';
import { checkedProbes } from './checked-probe.ts';
import { declaredPorts } from './lib/declared-ports.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { MainContainer } from '../workload/main-container.ts';
import type { PlacedTemplate, WorkloadKind } from '../workload/kinds.ts';
import type { CheckedContainer, CheckedWorkload } from './check.ts';

/** The inputs of a verdict beside the object and the policies. */
export type Circumstances = Pick<CheckedWorkload, 'namespace' | 'facts' | 'now'>;

/** For a Pod that is only a model: nothing is known of a cluster. */
const NOWHERE: Circumstances = { namespace: '', facts: NO_FACTS, now: 0 };

/**
 * Builds a workload as checks see it, from an object and one of its Pod templates. Pass the effective template. API
 * defaulting is applied here, so a manifest and the stored object give the same result.
 */
export function checkedWorkload(
  object: JsonObject,
  kind: WorkloadKind,
  { template, path }: PlacedTemplate,
  { namespace, facts, now }: Circumstances = NOWHERE,
): CheckedWorkload {
  const written = objectMember(template, 'spec') ?? {};
  const podSpec = defaultedPodSpec(
    kind.defaultProbePort === undefined ? written : withProbePorts(written, kind.defaultProbePort),
  );
  const podSpecPlace = new FieldPlace(path, 'spec');
  const containers = containersOf(podSpec, meshProxyTest(template, isPod(kind)));
  const places = { containers: podSpecPlace.at('containers'), initContainers: podSpecPlace.at('initContainers') };
  const metadata = objectMember(template, 'metadata') ?? {};
  let main: MainContainer | undefined;
  const checked: CheckedContainer[] = [];
  for (const { name, role, spec, list, index } of containers) {
    checked.push(checkedContainer(name, role, spec, places[list].at(index)));
  }
  for (const container of ephemeralContainersOf(podSpec, podSpecPlace)) checked.push(container);
  return {
    kind,
    object,
    podSpec,
    podSpecPlace,
    podLabels: objectMember(metadata, 'labels') ?? {},
    containers: checked,
    // Only a missing probe asks for the main container.
    main: () => {
      main ??= mainContainerOf(containers, stringMembers(metadata, 'annotations'));
      return 'container' in main ? main.container.name : undefined;
    },
    runsForever: !kind.runsToCompletion && podRunsForever(podSpec),
    namespace,
    facts,
    now,
    answers: new Map(),
  };
}

function ephemeralContainersOf(podSpec: JsonObject, podSpecPlace: FieldPlace): CheckedContainer[] {
  const entries = member(podSpec, 'ephemeralContainers');
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((spec: unknown, index): CheckedContainer[] => {
    if (!isJsonObject(spec)) return [];
    const place = podSpecPlace.at('ephemeralContainers').at(index);
    return [checkedContainer(containerName(spec), 'ephemeral', spec, place)];
  });
}

function checkedContainer(
  name: string,
  role: CheckedContainer['role'],
  written: JsonObject,
  place: FieldPlace,
): CheckedContainer {
  const spec = boundedContainer(written);
  return { name, role, spec, place, probes: checkedProbes(spec, name, place), ports: declaredPorts(spec) };
}

/**
 * Returns the Pod spec with a port in each HTTP and TCP probe that has no port. Knative Serving fills in the port in
 * the same way.
 */
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
