import { answerOnce, type Answers } from '../../base/once.ts';
import { textAt, valuesAt } from '../../base/json/field-path.ts';
import { isJsonObject, listMember, member, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { CONTAINER_LISTS, DEFAULT_RESTART_POLICY, type ContainerList } from '../probe/api-defaults.ts';
import { PROBE_KINDS, type ProbeKind } from '../probe/probe.ts';
import { isCount } from '../time/timing.ts';
import { readSettings } from '../command/settings.ts';
import { MOST_LIST_ENTRIES, boundedMembersOf } from './bounded-container.ts';
import type { CommandReader } from './command-reader.ts';
import { hasHook, isSidecar, killEndsPod, mayBeRestarted } from './kill-settings.ts';
import { isMeshProxyName } from './mesh.ts';
import type { BareContainer, Container, Pod, Probe, WrittenProbe } from './pod.ts';
import { portsOf } from './ports.ts';
import { mayBeJudged, readProbe } from './read-probe.ts';
import { declaredVariables } from './variables.ts';

/** A container of which only the place and the purpose are read. */
export type PlacedContainer = Pick<Container, 'name' | 'role' | 'list' | 'index' | 'spec'>;

/**
 * The containers of a Pod spec, in the API server's order.
 *
 * @param isMeshProxy whether a container of this name is a mesh's proxy; as in a Pod when left out
 */
export function containersOf(
  podSpec: JsonObject,
  isMeshProxy: (name: string) => boolean = isMeshProxyName,
): PlacedContainer[] {
  return CONTAINER_LISTS.flatMap((list) =>
    listMember(podSpec, list).flatMap((spec, index): PlacedContainer[] => {
      if (!isJsonObject(spec)) return [];
      const name = nameOf(spec);
      return [{ name, role: roleOf(list, spec, isMeshProxy(name)), list, index, spec }];
    }),
  );
}

/** Most characters of a name that messages repeat. The API server accepts 63 (a DNS label). */
const MAX_NAME_LENGTH = 253;

function nameOf(container: JsonObject): string {
  const name = stringMember(container, 'name') ?? '';
  return name.length > MAX_NAME_LENGTH ? '' : name;
}

function roleOf(list: ContainerList, spec: JsonObject, isMeshProxy: boolean): Container['role'] {
  if (list === 'ephemeralContainers') return 'ephemeral';
  if (isMeshProxy) return 'mesh';
  if (list === 'containers') return 'application';
  return isSidecar(spec) ? 'sidecar' : 'init';
}

/** @param written the container as it is written, without API defaults */
export function readContainer(pod: Pod, placed: PlacedContainer, written: unknown): Container {
  const { list, index, spec } = placed;
  const readablePorts = portsOf(spec);
  const answers: Answers = new Map();
  const variables = (): ReturnType<Container['env']> =>
    declaredVariables(boundedMembersOf({ env: member(spec, 'env') }));
  const mounted = (): readonly string[] =>
    mountsOf(pod.spec, boundedMembersOf({ volumeMounts: member(spec, 'volumeMounts') }));
  const container: BareContainer = {
    ...placed,
    pod,
    place: pod.place.at(list).at(index),
    image: stringMember(spec, 'image') ?? '',
    ports: arePortsSound(spec) ? readablePorts : undefined,
    readablePorts,
    env: () => container.once(variables),
    line: pod.commands.lineOf(boundedMembersOf({ command: member(spec, 'command'), args: member(spec, 'args') })),
    settings: () => container.once(readSettings),
    mounts: () => container.once(mounted),
    runsForever: runsForever(spec),
    mayBeRestarted: mayBeRestarted(spec, pod.spec),
    killEndsPod: killEndsPod(spec, pod.spec),
    hasPreStop: hasHook(spec, 'preStop'),
    hasPostStart: hasHook(spec, 'postStart'),
    once: (work) => answerOnce(answers, container, work),
  };
  const writtenAs = (kind: ProbeKind): unknown => (isJsonObject(written) ? member(written, kind) : undefined);
  return withProbesOf(container, spec, writtenAs, pod.commands);
}

/**
 * A container with the probes of a spec. All other parts are read already, and stay.
 *
 * @param writtenAs a probe without API defaults
 */
export function withProbesOf(
  read: BareContainer,
  spec: JsonObject,
  writtenAs: (kind: ProbeKind) => unknown,
  commands: CommandReader,
): Container {
  const probes: Probe[] = [];
  const all: WrittenProbe[] = [];
  const container = { ...read, spec, probes, written: all };
  for (const kind of PROBE_KINDS) {
    const value = member(spec, kind) ?? undefined;
    if (value === undefined) continue;
    const probe = readProbe(container, kind, writtenAs(kind), value, commands);
    all.push(probe);
    if (mayBeJudged(probe)) probes.push(probe);
  }
  return container;
}

/** Each volume that a container mounts, as `name path`, with its Secrets and its CSI driver. */
export function mountsOf(podSpec: JsonObject, container: JsonObject): readonly string[] {
  const mounts = listMember(container, 'volumeMounts').filter(isJsonObject);
  const volumes = mounts.length === 0 ? [] : listMember(podSpec, 'volumes').slice(0, MOST_LIST_ENTRIES);
  const sources = new Map(
    volumes.filter(isJsonObject).map((volume) => {
      const projected = valuesAt(volume, ['projected', 'sources', '*', 'secret', 'name']).map(({ value }) => value);
      const words = [textAt(volume, 'secret', 'secretName'), textAt(volume, 'csi', 'driver'), ...projected];
      return [stringMember(volume, 'name'), words.filter((word) => typeof word === 'string').join(' ')];
    }),
  );
  return mounts.map((mount) => {
    const name = stringMember(mount, 'name') ?? '';
    return [name, stringMember(mount, 'mountPath') ?? '', sources.get(name) ?? ''].join(' ');
  });
}

/** True when the restartPolicy of a Pod spec, or of a container, is Always or absent. */
export function runsForever(spec: JsonObject): boolean {
  return (member(spec, 'restartPolicy') ?? DEFAULT_RESTART_POLICY) === 'Always';
}

function arePortsSound(container: JsonObject): boolean {
  const entries = member(container, 'ports') ?? [];
  return (
    Array.isArray(entries) && entries.every((entry) => isJsonObject(entry) && isCount(member(entry, 'containerPort')))
  );
}
