import { isJsonObject, member, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { isSidecar } from '../probe/grace-period.ts';
import { isMeshProxyName } from './mesh.ts';

/**
 * The purpose of a container. Only applications and native sidecars may have probes. The API server refuses probes on
 * plain init and ephemeral containers (pkg/apis/core/validation/validation.go, validateInitContainers), and a mesh
 * proxy brings its own probes.
 */
export type ContainerRole = 'application' | 'sidecar' | 'init' | 'mesh';

/** A container of a Pod spec, with its place and its purpose. */
export interface Container {
  readonly name: string;
  readonly role: ContainerRole;
  readonly list: 'containers' | 'initContainers';
  readonly index: number;
  readonly spec: JsonObject;
}

/**
 * The containers of a Pod spec, init containers included. Ephemeral containers are left out, because they can have no
 * probe, and so are entries that are no objects. A container without a usable name is called '': the API server refuses
 * it in a Pod, but Knative allows it.
 *
 * @param isMeshProxy whether a container of this name is a mesh's proxy; as in a Pod when left out
 */
export function containersOf(
  podSpec: JsonObject,
  isMeshProxy: (name: string) => boolean = isMeshProxyName,
): Container[] {
  const containers: Container[] = [];
  addContainers(containers, podSpec, 'containers', isMeshProxy);
  addContainers(containers, podSpec, 'initContainers', isMeshProxy);
  return containers;
}

function addContainers(
  containers: Container[],
  podSpec: JsonObject,
  list: Container['list'],
  isMeshProxy: (name: string) => boolean,
): void {
  const entries = member(podSpec, list);
  if (!Array.isArray(entries)) return;
  for (let index = 0; index < entries.length; index++) {
    const spec: unknown = entries[index];
    if (!isJsonObject(spec)) continue;
    const name = containerName(spec);
    containers.push({ name, role: isMeshProxy(name) ? 'mesh' : roleOf(spec, list), list, index, spec });
  }
}

/** Most characters of a name that messages repeat. The API server accepts 63 (a DNS label). */
const MAX_NAME_LENGTH = 253;

/** The container's name; '' for a missing one, and for one that is far too long for any cluster. */
export function containerName(container: JsonObject): string {
  const name = stringMember(container, 'name') ?? '';
  return name.length > MAX_NAME_LENGTH ? '' : name;
}

function roleOf(spec: JsonObject, list: Container['list']): ContainerRole {
  if (list === 'containers') return 'application';
  return isSidecar(spec) ? 'sidecar' : 'init';
}
