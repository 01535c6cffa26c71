import type { FieldPath, FieldPlace } from '../../base/json/field-path.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import type { ContainerList } from '../probe/api-defaults.ts';
import { sideEffectOf } from '../command/changes.ts';
import type { ExecCommand } from '../command/words.ts';
import type { Kill } from '../time/kill.ts';
import type { HandlerKind, ProbeKind } from '../probe/probe.ts';
import type { ProbeTiming } from '../time/timing.ts';
import type { ContainerSetting } from '../command/settings.ts';
import type { CommandLine, CommandReader } from './command-reader.ts';
import type { WorkloadKind } from './kinds.ts';
import type { ContainerPort } from './ports.ts';
import type { VariableSource } from './variables.ts';

/*
 * What a Pod is for this program. `readPod` reads it once from the JSON of a Pod or of a Pod template, and everything
 * that decides reads these fields. Values are as the API server completes them (api-defaults.ts), and long texts are
 * cut (bounded-container.ts). Where a value has a wrong type, the field says so, and nothing is guessed.
 */

/** What the containers of a Pod share. */
export interface PodSettings {
  /** Place of the Pod spec: `spec`, `spec.template.spec` or `spec.jobTemplate.spec.template.spec`. */
  readonly place: FieldPlace;
  /** True when restartPolicy is Always, and the kind is neither Job nor CronJob. */
  readonly runsForever: boolean;
  /** Undefined when the value is malformed. */
  readonly graceSeconds: number | undefined;
  readonly hostNetwork: boolean;
  /** The probes that Istio's proxy lists, by path (see redirectedProbes). Undefined without them, and in a template. */
  readonly redirected: JsonObject | undefined;
}

/** A Pod, or the Pods that a template makes. */
export interface Pod extends PodSettings {
  readonly kind: WorkloadKind;
  /** The object with `metadata` and `spec` as it is written, for edits, and its path. */
  readonly template: JsonObject;
  readonly path: FieldPath;
  /** The Pod spec as the API server would store it, with all its texts: for the API's own rules. */
  readonly spec: JsonObject;
  readonly labels: { readonly get: (name: string) => string | undefined };
  /** The names of all labels, also of those whose value is malformed. */
  readonly labelNames: readonly string[];
  readonly annotations: ReadonlyMap<string, string>;
  readonly hasOwner: boolean;
  /** In the API server's order: containers, initContainers, ephemeralContainers. */
  readonly containers: readonly Container[];
  readonly main: MainContainer;
  /** Reads the commands of the whole object. */
  readonly commands: CommandReader;
}

/**
 * The purpose of a container. Only applications and native sidecars may have probes
 * (pkg/apis/core/validation/validation.go, validateInitContainers). A mesh proxy brings its own.
 */
export type ContainerRole = 'application' | 'sidecar' | 'init' | 'mesh' | 'ephemeral';

/** A container without its probes: what stays when probes are added. */
export interface BareContainer {
  readonly pod: PodSettings;
  /** The container is `list[index]` of the Pod spec, and names may repeat. */
  readonly list: ContainerList;
  readonly index: number;
  readonly place: FieldPlace;
  readonly role: ContainerRole;
  /** Empty without a usable name: the API server refuses that in a Pod, but Knative allows it. */
  readonly name: string;
  /** Empty when the container names none. */
  readonly image: string;
  /** The declared ports. Undefined when the list is malformed: a probe may mean the port that cannot be read. */
  readonly ports: readonly ContainerPort[] | undefined;
  /** The declared ports that can be read. */
  readonly readablePorts: readonly ContainerPort[];
  /** The variables of `env`. Undefined for a cut list: nobody knows which entry is the last of its name. */
  readonly env: () => ReadonlyMap<string, VariableSource> | undefined;
  /** What `command` and `args` say. */
  readonly line: CommandLine;
  /** Its flags, other words and variables. */
  readonly settings: () => readonly ContainerSetting[];
  /** The volumes that it mounts, as far as their names, paths and Secrets tell what is in them. */
  readonly mounts: () => readonly string[];
  /** Its own restartPolicy, if it has one, is Always (ContainerRestartRules, since Kubernetes 1.34). */
  readonly runsForever: boolean;
  /** The kubelet may start it again after a probe has killed it. */
  readonly mayBeRestarted: boolean;
  /** A kill by a probe ends the whole Pod. */
  readonly killEndsPod: boolean;
  readonly hasPreStop: boolean;
  readonly hasPostStart: boolean;
  /** Answers a question about the container, as it was read, once. */
  readonly once: <Answer>(work: (container: BareContainer) => Answer) => Answer;
}

export interface Container extends BareContainer {
  /** The probes that a check may judge: one handler, and not a mesh proxy's own. In the API server's order. */
  readonly probes: readonly Probe[];
  /** All probes, also those that are malformed or a mesh's. */
  readonly written: readonly WrittenProbe[];
  /** The container in `Pod.spec`. */
  readonly spec: JsonObject;
}

/** What stands under the name of a probe. Null counts as absent. */
export interface WrittenProbe {
  readonly kind: ProbeKind;
  /** Place of the probe in the object: `spec.containers[0].livenessProbe`. The handler is one step below. */
  readonly place: FieldPlace;
  readonly container: Container;
  /** As it is written, for patches and comparisons. */
  readonly written: unknown;
  /**
   * After API defaulting, with bounded texts, and with unknown fields. Empty for a value that is no object. Of a
   * redirected probe: the original handler, with the times that are written.
   */
  readonly spec: JsonObject;
  /** The same with whole texts: to show the probe, and to run it. */
  readonly whole: JsonObject;
  /** A mesh wrote it for its proxy, or redirected it to its agent. */
  readonly isOfMesh: boolean;
  /** Undefined without a handler, and with several. */
  readonly handler: Handler | undefined;
  /** The command of an exec handler, read once for each object. Without words for other handlers. */
  readonly command: ExecCommand;
  /** The five numbers. A value that is no count, which the API server refuses, counts as absent. */
  readonly numbers: ProbeTiming;
  /** The same; undefined when one is no count, because nothing can be worked out from such a probe. */
  readonly timing: ProbeTiming | undefined;
  /** Its own grace period: `absent` when the Pod's counts, undefined when its value is malformed. */
  readonly graceSeconds: number | 'absent' | undefined;
}

/** A probe that is written as an object, as it must be. */
export interface ProbeObject extends WrittenProbe {
  readonly written: JsonObject;
}

/** A probe that a check may judge. */
export interface Probe extends WrittenProbe {
  readonly handler: Handler;
}

/** A probe with one of these handlers. */
export type ProbeWith<Kind extends HandlerKind> = Probe & {
  readonly handler: Extract<Handler, { readonly kind: Kind }>;
};

/** A probe whose timing is known. */
export interface TimedProbe extends Probe {
  readonly timing: ProbeTiming;
}

/** The only handler of a probe. A text of another type is undefined, and so is a port that is absent. */
export type Handler = HttpHandler | TcpHandler | GrpcHandler | ExecHandler;

interface AnyHandler {
  /** After API defaulting, with bounded texts: for copies of the whole handler. */
  readonly spec: JsonObject;
  /** A member has a wrong type. The member is then undefined, or left out of its list. */
  readonly isMalformed: boolean;
}

interface PortHandler extends AnyHandler {
  readonly port: number | string | undefined;
}

export interface TcpHandler extends PortHandler {
  readonly kind: 'tcpSocket';
  /** Empty for the Pod itself. */
  readonly host: string | undefined;
}

export interface HttpHandler extends PortHandler, Readonly<Record<HttpText, string | undefined>> {
  readonly kind: 'httpGet';
  readonly headers: readonly Header[];
}

type HttpText = 'path' | 'host' | 'scheme' | 'protocol';

/** A header with its place in the list. An absent name or value is empty. */
export interface Header extends Readonly<Record<'name' | 'value', string>> {
  readonly index: number;
}

export interface GrpcHandler extends PortHandler, Readonly<Record<'service' | 'mode', string | undefined>> {
  readonly kind: 'grpc';
}

interface ExecHandler extends AnyHandler {
  readonly kind: 'exec';
  /** The elements of the command, whatever their types. `Probe.command` has them as words. */
  readonly elements: readonly unknown[];
}

/** The main container, or why there is none. */
export type MainContainer =
  | { readonly kind: 'found'; readonly container: Container }
  | { readonly kind: 'unknown-default-container'; readonly named: string; readonly candidates: readonly string[] }
  | { readonly kind: 'no-tcp-port' | 'several-with-ports'; readonly candidates: readonly string[] };

/** A container that may have probes of its author's. */
export type ProbedContainer = Container & ProbedRole;
type ProbedRole = { readonly role: 'application' | 'sidecar' };

export function mayHaveProbes<Kind extends Pick<Container, 'role'>>(container: Kind): container is Kind & ProbedRole {
  return container.role === 'application' || container.role === 'sidecar';
}

/** True when the container has any value under the probe's name, even an invalid value. */
export function hasProbe({ written }: Pick<Container, 'written'>, kind: ProbeKind): boolean {
  return written.some((probe) => probe.kind === kind);
}

/** The container's probe of one kind as it is written, if that is an object. */
export function writtenProbe({ written }: Pick<Container, 'written'>, kind: ProbeKind): ProbeObject | undefined {
  return written.filter(isProbeObject).find((probe) => probe.kind === kind);
}

/** False for a value that the API server refuses: a probe is an object. */
export function isProbeObject(probe: WrittenProbe): probe is ProbeObject {
  return isJsonObject(probe.written);
}

/** Returns the container's probe of one kind, if a check may judge that probe. */
export function probeOf({ probes }: Pick<Container, 'probes'>, kind: ProbeKind): Probe | undefined {
  return probes.find((probe) => probe.kind === kind);
}

/** True for a command that may have side effects: no advice lets it run more often, or earlier. */
export function mayAct({ command }: Probe): boolean {
  return sideEffectOf(command) !== undefined;
}

export function isTimed(probe: Probe): probe is TimedProbe {
  return probe.timing !== undefined;
}

/** Returns the container's probe of one kind, if a check may judge that probe and its timing is known. */
export function timedProbe(container: Pick<Container, 'probes'>, kind: ProbeKind): TimedProbe | undefined {
  const probe = probeOf(container, kind);
  return probe !== undefined && isTimed(probe) ? probe : undefined;
}

/** What a kill by a probe depends on. */
export interface ProbeThatKills extends Pick<WrittenProbe, 'graceSeconds'> {
  readonly container: Pick<Container, 'killEndsPod' | 'hasPreStop'> & {
    readonly pod: Pick<PodSettings, 'graceSeconds'>;
  };
}

/**
 * How the kubelet stops a container whose probe has given up: within the probe's own grace period, also when that is
 * longer than the Pod's, else within the Pod's (pkg/kubelet/kuberuntime/kuberuntime_container.go,
 * setTerminationGracePeriod). A kill that ends the Pod uses the Pod's: the kubelet then stops the Pod, not the
 * container (kuberuntime_manager.go, SyncPod; measured with the kubelet 1.36.2, test/fixtures/kubelet/m3).
 *
 * @returns undefined when the grace period that counts is malformed
 */
export function killOf({ graceSeconds, container }: ProbeThatKills): Kill | undefined {
  const { killEndsPod, hasPreStop, pod } = container;
  const counting = killEndsPod || graceSeconds === 'absent' ? pod.graceSeconds : graceSeconds;
  return counting === undefined ? undefined : { graceSeconds: counting, hasPreStop };
}

/** The probe that kills a slow start: startup, else liveness (pkg/kubelet/prober/worker.go, doProbe). */
export function startGateOf(container: Pick<Container, 'written'>): 'startupProbe' | 'livenessProbe' {
  return hasProbe(container, 'startupProbe') ? 'startupProbe' : 'livenessProbe';
}

/** True when a mesh wrote one of the probes. Another beside it would bypass the mesh, and fail under strict mTLS. */
export function hasMeshProbe({ written }: Pick<Container, 'written'>): boolean {
  return written.some(({ isOfMesh }) => isOfMesh);
}
