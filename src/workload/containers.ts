import { isJsonObject, member, objectMember, stringMember } from '../probes/json.ts';
import { PROBE_KINDS, ownProbe } from '../probes/probe.ts';
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

const MESH_PROXIES: ReadonlySet<string> = new Set(['istio-proxy', 'linkerd-proxy']);

/**
 * The containers of a Pod spec that a kubelet would run for as long as the Pod, and the plain init containers before them.
 * Ephemeral containers are not listed: they can have no probe. Entries that are not objects are left out; one without a
 * usable name, which the API server refuses in a Pod but Knative allows, is called ''.
 */
export function containersOf(podSpec: JsonObject): Container[] {
  return [...listOf(podSpec, 'containers'), ...listOf(podSpec, 'initContainers')];
}

function listOf(podSpec: JsonObject, list: Container['list']): Container[] {
  const entries = member(podSpec, list);
  if (!Array.isArray(entries)) return [];
  const containers: Container[] = [];
  entries.forEach((spec: unknown, index) => {
    if (!isJsonObject(spec)) return;
    const name = containerName(spec);
    containers.push({ name, role: roleOf(spec, name, list), list, index, spec });
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

function roleOf(spec: JsonObject, name: string, list: Container['list']): ContainerRole {
  if (MESH_PROXIES.has(name)) return 'mesh';
  if (list === 'containers') return 'application';
  return member(spec, 'restartPolicy') === 'Always' ? 'sidecar' : 'init';
}

/**
 * True when a probe has been redirected to Istio's agent, which asks the application in the kubelet's place
 * (`/app-health/<container>/livez` on the agent's port). Such a container is the mesh's: a probe added beside it would go to the
 * application directly and fail under strict mTLS.
 */
export function hasMeshRewrittenProbe(container: Container): boolean {
  return PROBE_KINDS.some((kind) => {
    const probe = ownProbe(container.spec, kind);
    const httpGet = isJsonObject(probe) ? objectMember(probe, 'httpGet') : undefined;
    return httpGet !== undefined && (stringMember(httpGet, 'path')?.startsWith('/app-health/') ?? false);
  });
}
