import { isJsonObject, listMember, member, stringMember } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { CONTAINER_LISTS, DEFAULT_RESTART_POLICY, type ContainerList } from '../probe/api-defaults.ts';
import { PROBE_KINDS, type ProbeKind } from '../probe/probe.ts';
import { isCount } from '../probe/timing.ts';
import { boundedMember } from './bounded-container.ts';
import type { CommandReader } from './command-reader.ts';
import { hasHook, isSidecar, killEndsPod, mayBeRestarted } from './kill-settings.ts';
import { isMeshProxyName } from './mesh.ts';
import type { Container, PodSettings, Probe, WrittenProbe } from './pod.ts';
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

/** The Pod of a container, with what reads its parts. */
interface ContainerHome extends PodSettings {
  readonly spec: JsonObject;
  readonly commands: CommandReader;
}

/** @param written the container as it is written, without API defaults */
export function readContainer(pod: ContainerHome, placed: PlacedContainer, written: unknown): Container {
  const { list, index, spec } = placed;
  const readablePorts = portsOf(spec);
  let env: Container['env'] = () => {
    const declared = declaredVariables(boundedMember(spec, 'env'));
    env = () => declared;
    return declared;
  };
  const container = {
    ...placed,
    pod,
    place: pod.place.at(list).at(index),
    image: stringMember(spec, 'image') ?? '',
    ports: arePortsSound(spec) ? readablePorts : undefined,
    readablePorts,
    env: () => env(),
    line: () => pod.commands.lineOf(spec),
    runsForever: runsForever(spec),
    mayBeRestarted: mayBeRestarted(spec, pod.spec),
    killEndsPod: killEndsPod(spec, pod.spec),
    hasPreStop: hasHook(spec, 'preStop'),
    hasPostStart: hasHook(spec, 'postStart'),
    probes: [],
    written: [],
  };
  return withReadProbes(container, (kind) => {
    const value = member(spec, kind) ?? undefined;
    if (value === undefined) return undefined;
    return readProbe(container, kind, isJsonObject(written) ? member(written, kind) : undefined, value, pod.commands);
  });
}

/** Fills in the probes of a container that has none yet. They and the container refer to each other. */
function withReadProbes(
  container: Container & { readonly probes: Probe[]; readonly written: WrittenProbe[] },
  probeFor: (kind: ProbeKind) => WrittenProbe | undefined,
): Container {
  for (const kind of PROBE_KINDS) {
    const probe = probeFor(kind);
    if (probe === undefined) continue;
    container.written.push(probe);
    if (mayBeJudged(probe)) container.probes.push(probe);
  }
  return container;
}

/** A probe for a container; `spec` is the same after API defaulting. Without both, the container's is taken out. */
interface OtherProbe {
  readonly kind: ProbeKind;
  readonly written: JsonObject | undefined;
  readonly spec: JsonObject | undefined;
}

/** The same container with other probes. What is read of it already stays. */
export function containerWith(container: Container, others: readonly OtherProbe[], commands: CommandReader): Container {
  const spec: Record<string, unknown> = { ...container.spec };
  for (const other of others)
    if (other.spec === undefined) Reflect.deleteProperty(spec, other.kind);
    else spec[other.kind] = other.spec;
  const changed = { ...container, spec, probes: [], written: [] };
  return withReadProbes(changed, (kind) => {
    const other = others.find((one) => one.kind === kind);
    if (other?.spec !== undefined) return readProbe(changed, kind, other.written, other.spec, commands);
    const own = other === undefined ? container.written.find((probe) => probe.kind === kind) : undefined;
    return own && { ...own, container: changed };
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
