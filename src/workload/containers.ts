import { isJsonObject, member, stringMember } from '../probes/json.ts';
import { isMeshProxyName } from './mesh.ts';
import type { JsonObject } from '../probes/json.ts';

/**
 * What a container is for. Only applications and native sidecars may have probes: the API server refuses them on plain init
 * and ephemeral containers (pkg/apis/core/validation/validation.go, validateInitContainers), and a mesh proxy brings its own.
 */
export type ContainerRole = 'application' | 'sidecar' | 'init' | 'mesh';

/** A container of a Pod spec, where it stands and what it is for. */
export interface Container {
  readonly name: string;
  readonly role: ContainerRole;
  readonly list: 'containers' | 'initContainers';
  readonly index: number;
  readonly spec: JsonObject;
}

/**
 * The containers of a Pod spec that a kubelet would run for as long as the Pod, and the plain init containers before them.
 * Ephemeral containers are not listed: they can have no probe. Entries that are not objects are left out; one without a
 * usable name, which the API server refuses in a Pod but Knative allows, is called ''.
 *
 * @param isMeshProxy whether a container of this name is a mesh's proxy; as in a Pod when left out
 */
export function containersOf(
  podSpec: JsonObject,
  isMeshProxy: (name: string) => boolean = isMeshProxyName,
): Container[] {
  return [...listOf(podSpec, 'containers', isMeshProxy), ...listOf(podSpec, 'initContainers', isMeshProxy)];
}

function listOf(podSpec: JsonObject, list: Container['list'], isMeshProxy: (name: string) => boolean): Container[] {
  const entries = member(podSpec, list);
  if (!Array.isArray(entries)) return [];
  const containers: Container[] = [];
  entries.forEach((spec: unknown, index) => {
    if (!isJsonObject(spec)) return;
    const name = containerName(spec);
    containers.push({ name, role: isMeshProxy(name) ? 'mesh' : roleOf(spec, list), list, index, spec });
  });
  return containers;
}

/** The API server takes 63 characters (a DNS label). */
const MAX_NAME_LENGTH = 253;

/** The container's name, which every message about it repeats. One that is far longer than any that a cluster knows is none. */
export function containerName(container: JsonObject): string {
  const name = stringMember(container, 'name') ?? '';
  return name.length > MAX_NAME_LENGTH ? '' : name;
}

function roleOf(spec: JsonObject, list: Container['list']): ContainerRole {
  if (list === 'containers') return 'application';
  return member(spec, 'restartPolicy') === 'Always' ? 'sidecar' : 'init';
}
