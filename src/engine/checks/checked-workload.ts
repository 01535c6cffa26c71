import { FieldPlace, valueAt, withEdits } from '../../base/json/field-path.ts';
import {
  isJsonObject,
  isPresent,
  listMember,
  member,
  objectMember,
  stringMembers,
  type JsonObject,
} from '../../base/json/json-value.ts';
import { defaultedPodSpec } from '../probe/api-defaults.ts';
import { NO_COMMAND, type ExecCommand } from '../probe/exec-invocation.ts';
import { HANDLER_KINDS, ownProbe, PROBE_KINDS, type HandlerKind, type ProbeKind } from '../probe/probe.ts';
import { isCount, soundTiming, type ProbeTiming } from '../probe/timing.ts';
import { NO_FACTS, type Facts } from '../facts/facts.ts';
import { boundedContainer } from '../workload/bounded-container.ts';
import { CommandReader, type CommandLine } from '../workload/command-reader.ts';
import {
  containerName,
  containersOf,
  mainContainerOf,
  runsForever,
  type MainContainer,
} from '../workload/containers.ts';
import { isPod, type PlacedTemplate, type WorkloadKind } from '../workload/kinds.ts';
import { isMeshProbe, meshProxyTest } from '../workload/mesh.ts';
import type { PortHints } from '../workload/port-protocol.ts';
import { portsOf, type ContainerPort } from '../workload/ports.ts';

/**
 * A container as checks see it: with the probes that the webhook will add, and after API defaulting. Ephemeral
 * containers and plain init containers may not have probes. They are included because some checks read every container.
 */
export interface CheckedContainer {
  readonly name: string;
  readonly role: 'application' | 'sidecar' | 'init' | 'mesh' | 'ephemeral';
  /** The container with bounded texts and lists (src/engine/workload/bounded-container.ts). */
  readonly spec: JsonObject;
  /** Place of the container in the object: `spec.template.spec.containers[0]`. */
  readonly place: FieldPlace;
  /** The probes that a check may judge, in the API server's order. */
  readonly probes: readonly CheckedProbe[];
  /** The ports that the container declares. Undefined when the list of ports is malformed. */
  readonly ports: readonly ContainerPort[] | undefined;
  /** The flags in `command` and `args`, read once for each object. */
  readonly line: () => CommandLine;
  readonly workload: CheckedWorkload;
}

/** A probe that a check may judge: one handler, and not written by a service mesh. */
export interface CheckedProbe {
  readonly kind: ProbeKind;
  readonly spec: JsonObject;
  /** Place of the probe in the object: `spec.containers[0].livenessProbe`. The handler is one step below. */
  readonly place: FieldPlace;
  readonly handlerKind: HandlerKind;
  readonly handler: JsonObject;
  /** The command of an exec handler, read once for each object. Without words for other handlers. */
  readonly command: ExecCommand;
  /** Undefined when an integer field holds another type, because no timing can be computed then. */
  readonly timing: ProbeTiming | undefined;
  readonly container: CheckedContainer;
}

/** A probe whose timing is known. */
export interface TimedProbe extends CheckedProbe {
  readonly timing: ProbeTiming;
}

/** A workload as checks see it. */
export interface CheckedWorkload {
  readonly kind: WorkloadKind;
  /** The whole object as it was applied, for fields outside the Pod template (replicas, progressDeadlineSeconds). */
  readonly object: JsonObject;
  /** The Pod spec, effective and after API defaulting. Its texts and lists are whole, as the API server reads them. */
  readonly podSpec: JsonObject;
  /** Place of the Pod spec: `spec`, `spec.template.spec` or `spec.jobTemplate.spec.template.spec`. */
  readonly podSpecPlace: FieldPlace;
  /** The labels of the Pods, as written. */
  readonly podLabels: ReturnType<typeof stringMembers>;
  /** In the API server's order: containers, initContainers, ephemeralContainers. */
  readonly containers: readonly CheckedContainer[];
  /** Name of the main container. Undefined when no container can be identified as the main one. */
  readonly main: () => string | undefined;
  /** True when restartPolicy is Always, and the kind is neither Job nor CronJob. */
  readonly runsForever: boolean;
  /** The namespace of the object. Empty for a model Pod, which is in no namespace. */
  readonly namespace: string;
  /** The known facts about the cluster. */
  readonly facts: Facts;
  /** What Services say about the ports of the Pods, where it is known already; else the facts tell. */
  readonly portHints?: PortHints | undefined;
  /** Reads the commands of the whole object. */
  readonly commands: CommandReader;
  /** Results that checks computed for the whole workload, keyed by the function that computed them. */
  readonly answers: Map<unknown, unknown>;
}

/** The inputs of a verdict beside the object and the policies. */
export type Circumstances = Pick<CheckedWorkload, 'namespace' | 'facts' | 'portHints'> &
  Partial<Pick<CheckedWorkload, 'commands'>>;

export const NOWHERE: Circumstances = { namespace: '', facts: NO_FACTS };

/**
 * Builds a workload as checks see it, from an object and one of its Pod templates. Pass the effective template. API
 * defaulting is applied here, so a manifest and the stored object give the same result.
 */
export function checkedWorkload(
  object: JsonObject,
  kind: WorkloadKind,
  { template, path }: PlacedTemplate,
  circumstances: Circumstances = NOWHERE,
): CheckedWorkload {
  const written = objectMember(template, 'spec') ?? {};
  const podSpec = defaultedPodSpec(
    kind.defaultProbePort === undefined ? written : withProbePorts(written, kind.defaultProbePort),
  );
  const podSpecPlace = new FieldPlace(path, 'spec');
  const containers = containersOf(podSpec, meshProxyTest(template, isPod(kind)));
  const metadata = objectMember(template, 'metadata') ?? {};
  const checked: CheckedContainer[] = [];
  let main: MainContainer | undefined;
  const workload: CheckedWorkload = {
    ...circumstances,
    // A reader reads all commands of the object at once.
    commands: circumstances.commands ?? new CommandReader([template]),
    kind,
    object,
    podSpec,
    podSpecPlace,
    podLabels: stringMembers(metadata, 'labels'),
    containers: checked,
    // Several checks of each container ask.
    main: () => {
      main ??= mainContainerOf(containers, stringMembers(metadata, 'annotations'));
      return main.kind === 'found' ? main.container.name : undefined;
    },
    runsForever: !kind.runsToCompletion && runsForever(podSpec),
    answers: new Map(),
  };
  for (const { name, role, spec, list, index } of [...containers, ...ephemeralContainersOf(podSpec)])
    checked.push(checkedContainer({ name, role, spec, place: podSpecPlace.at(list).at(index), workload }));
  return workload;
}

function ephemeralContainersOf(podSpec: JsonObject) {
  const list = 'ephemeralContainers' as const;
  return listMember(podSpec, list).flatMap((spec, index) =>
    isJsonObject(spec) ? { name: containerName(spec), role: 'ephemeral' as const, list, index, spec } : [],
  );
}

function checkedContainer(placed: Omit<CheckedContainer, 'probes' | 'ports' | 'line'>): CheckedContainer {
  const spec = boundedContainer(placed.spec);
  const probes: CheckedProbe[] = [];
  const line = (): CommandLine => placed.workload.commands.lineOf(placed.spec);
  const container = { ...placed, spec, probes, ports: declaredPorts(spec), line };
  for (const kind of PROBE_KINDS) {
    const probe = checkedProbe(container, kind, placed.spec);
    if (probe !== undefined) probes.push(probe);
  }
  return container;
}

/** Undefined for a probe that no check may judge. valid-probe reports a probe without exactly one handler. */
function checkedProbe(container: CheckedContainer, kind: ProbeKind, whole: JsonObject): CheckedProbe | undefined {
  const spec = ownProbe(container.spec, kind);
  if (!isJsonObject(spec) || isMeshProbe(container.name, spec)) return undefined;
  const [handlerKind, ...others] = HANDLER_KINDS.filter((name) => isPresent(member(spec, name)));
  const handler = handlerKind && objectMember(spec, handlerKind);
  if (handlerKind === undefined || handler === undefined || others.length > 0) return undefined;
  const place = container.place.at(kind);
  const exec = handlerKind === 'exec' ? objectMember(objectMember(whole, kind) ?? {}, 'exec') : undefined;
  const command = exec === undefined ? NO_COMMAND : container.workload.commands.commandOf(exec);
  return { kind, spec, place, handlerKind, handler, command, timing: soundTiming(spec), container };
}

/** Undefined when the list is malformed: the probe may refer to the port that cannot be read. */
function declaredPorts(container: JsonObject): readonly ContainerPort[] | undefined {
  const entries = member(container, 'ports') ?? [];
  const isSound = (entry: unknown): boolean => isJsonObject(entry) && isCount(member(entry, 'containerPort'));
  return Array.isArray(entries) && entries.every(isSound) ? portsOf(container) : undefined;
}

/** Returns the container's probe of one kind, if a check may judge that probe. */
export function probeOf({ probes }: Pick<CheckedContainer, 'probes'>, kind: ProbeKind): CheckedProbe | undefined {
  return probes.find((probe) => probe.kind === kind);
}

export function isTimed(probe: CheckedProbe): probe is TimedProbe {
  return probe.timing !== undefined;
}

/** Returns the container's probe of one kind, if a check may judge that probe and its timing is known. */
export function timedProbe(container: Pick<CheckedContainer, 'probes'>, kind: ProbeKind): TimedProbe | undefined {
  const probe = probeOf(container, kind);
  return probe !== undefined && isTimed(probe) ? probe : undefined;
}

/** True when the container has any value under the probe's name, even an invalid value. */
export function hasProbe({ spec }: Pick<CheckedContainer, 'spec'>, kind: ProbeKind): boolean {
  return ownProbe(spec, kind) !== undefined;
}

/** Computes once for each workload, which holds the result: a WeakMap would keep entries until a full collection. */
export function oncePerWorkload<Answer>(
  work: (workload: CheckedWorkload) => Answer,
): (workload: CheckedWorkload) => Answer {
  return (workload) => {
    const { answers } = workload;
    if (answers.has(work)) return answers.get(work) as Answer;
    const answer = work(workload);
    answers.set(work, answer);
    return answer;
  };
}

/** Fills in the port of HTTP and TCP probes that have none, as Knative Serving does. */
export function withProbePorts(podSpec: JsonObject, fallback: number): JsonObject {
  const containers = member(podSpec, 'containers');
  if (!Array.isArray(containers)) return podSpec;
  const filled = containers.map((container: unknown) => {
    if (!isJsonObject(container)) return container;
    const value = portsOf(container)[0]?.number ?? fallback;
    const handlers = PROBE_KINDS.flatMap((kind) => [[kind, 'httpGet'] as const, [kind, 'tcpSocket'] as const]);
    const edits = handlers.flatMap((path) => {
      const handler = valueAt(container, path);
      return isJsonObject(handler) && (member(handler, 'port') ?? 0) === 0 ? { path: [...path, 'port'], value } : [];
    });
    return withEdits(container, edits);
  });
  return { ...podSpec, containers: filled };
}
