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
import { defaultedPodSpec, withProbePort } from '../probe/api-defaults.ts';
import type { ProbeKind } from '../probe/probe.ts';
import { CommandReader } from './command-reader.ts';
import { isPod, type PlacedTemplate, type WorkloadKind } from './kinds.ts';
import { podGraceSeconds } from './kill-settings.ts';
import { mainContainerOf } from './main-container.ts';
import { isMeshProxyName, meshProxyTest } from './mesh.ts';
import type { Container, MainContainer, Pod } from './pod.ts';
import { portsOf } from './ports.ts';
import { containersOf, readContainer, runsForever } from './read-container.ts';

/** Reads a Pod, or the Pods that a template makes. */
export function readPod(template: JsonObject, kind: WorkloadKind, path: FieldPath = []): Pod {
  return lazyPod({ template, path }, kind, new CommandReader(), readContainers);
}

/** Reads the templates of one object, which share one budget for their commands. */
export function readPods(templates: readonly PlacedTemplate[], kind: WorkloadKind): readonly Pod[] {
  const commands = new CommandReader();
  let read: ReadonlyMap<Pod, readonly Container[]> | undefined;
  const containersOfAll = (pod: Pod): readonly Container[] =>
    (read ??= new Map(pods.map((one) => [one, readContainers(one)]))).get(pod) ?? [];
  const pods = templates.map((placed) => lazyPod(placed, kind, commands, containersOfAll));
  return pods;
}

/** What is costly is read at the first question: many requests are answered without a look at a container. */
function lazyPod(
  { template, path }: PlacedTemplate,
  kind: WorkloadKind,
  commands: CommandReader,
  read: (pod: Pod) => readonly Container[],
  given?: JsonObject,
): Pod {
  const metadata = objectMember(template, 'metadata') ?? {};
  let spec = given;
  let annotations: Pod['annotations'] | undefined;
  let containers: Pod['containers'] | undefined;
  let main: MainContainer | undefined;
  return {
    ...{ template, path, kind, commands },
    place: new FieldPlace(path, 'spec'),
    labels: stringMembers(metadata, 'labels'),
    hasOwner: listMember(metadata, 'ownerReferences').length > 0,
    get labelNames() {
      return Object.keys(objectMember(metadata, 'labels') ?? {});
    },
    get annotations() {
      return (annotations ??= stringMap(metadata, 'annotations'));
    },
    get spec() {
      return (spec ??= apiSpecOf(specOf(template), kind));
    },
    get runsForever() {
      return !kind.runsToCompletion && runsForever(this.spec);
    },
    get graceSeconds() {
      return podGraceSeconds(this.spec);
    },
    get hostNetwork() {
      return member(this.spec, 'hostNetwork') === true;
    },
    get containers() {
      return (containers ??= read(this));
    },
    get main() {
      return (main ??= mainContainerOf(this.containers, this.annotations));
    },
  };
}

function readContainers(pod: Pod): readonly Container[] {
  const written = specOf(pod.template);
  return containersOf(pod.spec, meshProxyTest(pod.template, isPod(pod.kind))).map((placed) =>
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

/** The same Pod with other probes. Only the containers that get a probe, or lose one, are read again. */
export function withProbes(pod: Pod, given: readonly ProbeToAdd[]): Pod {
  if (given.length === 0) return pod;
  const edits = given.map(({ container: { list, index }, kind, probe = null }) => {
    return { path: [list, index, kind], value: probe };
  });
  const written = withEdits(specOf(pod.template), edits);
  const spec = apiSpecOf(withEdits(pod.spec, edits), pod.kind);
  const containers = pod.containers.map((own) => {
    const changed = listMember(spec, own.list)[own.index];
    if (changed === own.spec || !isJsonObject(changed)) return own;
    return readContainer(pod, { ...own, spec: changed }, listMember(written, own.list)[own.index]);
  });
  const placed = { path: pod.path, template: { ...pod.template, spec: written } };
  return lazyPod(placed, pod.kind, pod.commands, () => containers, spec);
}

/** The Pod as a controller creates it: there, the injector of a mesh owns the container with the name of its proxy. */
export function asCreated(pod: Pod): Pod {
  const isTakenOver = ({ name, role }: Container): boolean =>
    role !== 'mesh' && role !== 'ephemeral' && isMeshProxyName(name);
  if (isPod(pod.kind) || !pod.containers.some(isTakenOver)) return pod;
  const containers = pod.containers.map((one): Container => (isTakenOver(one) ? { ...one, role: 'mesh' } : one));
  return lazyPod(pod, pod.kind, pod.commands, () => containers, pod.spec);
}

function apiSpecOf(podSpec: JsonObject, { defaultProbePort: port }: WorkloadKind): JsonObject {
  return defaultedPodSpec(port === undefined ? podSpec : withProbePorts(podSpec, port));
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
