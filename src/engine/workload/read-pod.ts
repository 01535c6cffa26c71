import { FieldPlace, withEdits, type FieldPath } from '../../base/json/field-path.ts';
import {
  isJsonObject,
  listMember,
  member,
  objectMember,
  stringMap,
  stringMembers,
} from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { defaultedPodSpec, defaultedProbe, withProbePort } from '../probe/api-defaults.ts';
import type { ProbeKind } from '../probe/probe.ts';
import { CommandReader } from './command-reader.ts';
import { isPod, type PlacedTemplate, type WorkloadKind } from './kinds.ts';
import { podGraceSeconds } from './kill-settings.ts';
import { mainContainerOf } from './main-container.ts';
import { isMeshProxyName, meshProxyTest, redirectedProbes } from './mesh.ts';
import type { Container, MainContainer, Pod } from './pod.ts';
import { portsOf } from './ports.ts';
import { containersOf, readContainer, runsForever, withProbesOf } from './read-container.ts';

/** Reads a Pod, or the Pods that a template makes. */
export function readPod(template: JsonObject, kind: WorkloadKind, path: FieldPath = []): Pod {
  return new TemplatePod({ template, path }, kind, new CommandReader(), readContainers);
}

/** Reads the templates of one object, which share one budget for their commands. */
export function readPods(templates: readonly PlacedTemplate[], kind: WorkloadKind): readonly Pod[] {
  const commands = new CommandReader();
  let read: ReadonlyMap<Pod, readonly Container[]> | undefined;
  const containersOfAll = (pod: Pod): readonly Container[] =>
    (read ??= new Map(pods.map((one) => [one, readContainers(one)]))).get(pod) ?? [];
  const pods = templates.map((placed) => new TemplatePod(placed, kind, commands, containersOfAll));
  return pods;
}

/** What is costly is read at the first question: many requests are answered without a look at a container. */
class TemplatePod implements Pod {
  readonly template: JsonObject;
  readonly path: FieldPath;
  readonly kind: WorkloadKind;
  readonly commands: CommandReader;
  readonly place: FieldPlace;
  readonly labels: Pod['labels'];
  readonly #metadata: JsonObject;
  readonly #read: (pod: Pod) => readonly Container[];
  #spec: JsonObject | undefined;
  #annotations: ReadonlyMap<string, string> | undefined;
  #containers: readonly Container[] | undefined;
  #redirected: { readonly list: JsonObject | undefined } | undefined;
  #main: MainContainer | undefined;

  constructor(
    { template, path }: PlacedTemplate,
    kind: WorkloadKind,
    commands: CommandReader,
    read: (pod: Pod) => readonly Container[],
    spec?: JsonObject,
  ) {
    this.template = template;
    this.path = path;
    this.kind = kind;
    this.commands = commands;
    this.place = new FieldPlace(path, 'spec');
    this.#metadata = objectMember(template, 'metadata') ?? {};
    this.labels = stringMembers(this.#metadata, 'labels');
    this.#read = read;
    this.#spec = spec;
  }

  get labelNames(): readonly string[] {
    return Object.keys(objectMember(this.#metadata, 'labels') ?? {});
  }

  get annotations(): ReadonlyMap<string, string> {
    return (this.#annotations ??= stringMap(this.#metadata, 'annotations'));
  }

  get hasOwner(): boolean {
    return listMember(this.#metadata, 'ownerReferences').length > 0;
  }

  get spec(): JsonObject {
    return (this.#spec ??= defaultedPodSpec(withPortsOf(specOf(this.template), this.kind)));
  }

  get runsForever(): boolean {
    return !this.kind.runsToCompletion && runsForever(this.spec);
  }

  get graceSeconds(): number | undefined {
    return podGraceSeconds(this.spec);
  }

  get hostNetwork(): boolean {
    return member(this.spec, 'hostNetwork') === true;
  }

  get redirected(): JsonObject | undefined {
    return (this.#redirected ??= { list: isPod(this.kind) ? redirectedProbes(this.spec) : undefined }).list;
  }

  get containers(): readonly Container[] {
    return (this.#containers ??= this.#read(this));
  }

  get main(): MainContainer {
    return (this.#main ??= mainContainerOf(this.containers, this.annotations));
  }
}

function readContainers(pod: Pod): readonly Container[] {
  const written = specOf(pod.template);
  return containersOf(pod.spec, meshProxyTest(pod)).map((placed) =>
    readContainer(pod, placed, listMember(written, placed.list)[placed.index]),
  );
}

function specOf(template: JsonObject): JsonObject {
  return objectMember(template, 'spec') ?? {};
}

/** A probe for the container at a place; undefined takes the container's own out. */
export interface ProbeToAdd {
  readonly container: Pick<Container, 'list' | 'index'>;
  readonly kind: ProbeKind;
  readonly probe: JsonObject | undefined;
}

const placeOf = ({ list, index }: ProbeToAdd['container']): string => `${list} ${index}`;

/** The same Pod with other probes. Only the probes of containers that get one, or lose one, are read again. */
export function withProbes(pod: Pod, given: readonly ProbeToAdd[]): Pod {
  if (given.length === 0) return pod;
  const byPlace = Map.groupBy(given, ({ container }) => placeOf(container));
  const lists: Record<string, unknown[]> = {};
  for (const { list, index, spec } of pod.containers) {
    const edits = byPlace
      .get(placeOf({ list, index }))
      ?.map(({ kind, probe }) => ({ path: [kind], value: probe === undefined ? null : defaultedProbe(probe) }));
    if (edits !== undefined) (lists[list] ??= [...listMember(pod.spec, list)])[index] = withEdits(spec, edits);
  }
  const spec = withPortsOf({ ...pod.spec, ...lists }, pod.kind);
  const containers = pod.containers.map((own) => {
    const changed = listMember(spec, own.list)[own.index];
    if (changed === own.spec || !isJsonObject(changed)) return own;
    const ofOwn = byPlace.get(placeOf(own)) ?? [];
    const writtenAs = (wanted: ProbeKind): unknown =>
      ofOwn.find(({ kind }) => kind === wanted)?.probe ?? own.written.find(({ kind }) => kind === wanted)?.written;
    return withProbesOf(own, changed, writtenAs, pod.commands);
  });
  return new TemplatePod(pod, pod.kind, pod.commands, () => containers, spec);
}

/** The Pod that may get probes: a container with the name of a mesh's proxy gets none, since injectors own the name. */
export function asCreated(pod: Pod): Pod {
  const isTakenOver = ({ name, role }: Container): boolean =>
    role !== 'mesh' && role !== 'ephemeral' && isMeshProxyName(name);
  if (!pod.containers.some(isTakenOver)) return pod;
  const containers = pod.containers.map((one): Container => (isTakenOver(one) ? { ...one, role: 'mesh' } : one));
  return new TemplatePod(pod, pod.kind, pod.commands, () => containers, pod.spec);
}

function withPortsOf(podSpec: JsonObject, { defaultProbePort: port }: WorkloadKind): JsonObject {
  return port === undefined ? podSpec : withProbePorts(podSpec, port);
}

/** Fills in the port of HTTP and TCP probes that have none, as Knative Serving does. */
export function withProbePorts(podSpec: JsonObject, fallback: number): JsonObject {
  const containers = member(podSpec, 'containers');
  if (!Array.isArray(containers)) return podSpec;
  const filled = containers.map((container: unknown) =>
    isJsonObject(container) ? withProbePort(container, portsOf(container)[0]?.number ?? fallback) : container,
  );
  return { ...podSpec, containers: filled };
}
