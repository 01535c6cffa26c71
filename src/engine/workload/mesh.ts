import {
  isJsonObject,
  isPresent,
  member,
  objectMember,
  stringMember,
  stringMembers,
  type JsonObject,
} from '../../base/json/json-value.ts';
import { HANDLER_KINDS } from '../probe/probe.ts';

interface MeshProxy {
  /** The annotation of the mesh's injector in a Pod, or of `istioctl kube-inject` or `linkerd inject --manual`. */
  readonly statusAnnotation: string;
  readonly ports: readonly number[];
  readonly paths: readonly string[];
}

/** By container name. Istio: manifests/charts/istio-control; Linkerd: charts/partials/templates/_proxy.tpl. */
const MESH_PROXIES: ReadonlyMap<string, MeshProxy> = new Map([
  [
    'istio-proxy',
    { statusAnnotation: 'sidecar.istio.io/status', ports: [15020, 15021], paths: ['/healthz/ready', '/healthz/live'] },
  ],
  ['linkerd-proxy', { statusAnnotation: 'linkerd.io/proxy-version', ports: [4191], paths: ['/live', '/ready'] }],
]);

/** The annotations that mark the Pods of a mesh. Only their presence matters. */
export const MESH_STATUS_ANNOTATIONS: readonly string[] = Array.from(
  MESH_PROXIES.values(),
  ({ statusAnnotation }) => statusAnnotation,
);

/** True for the name of a mesh's proxy, which is reserved in a Pod. */
export function isMeshProxyName(name: string): boolean {
  return MESH_PROXIES.has(name);
}

/** The test for the names of a mesh's proxies among the containers of one Pod template, or of a Pod. */
export function meshProxyTest(template: JsonObject, isPod: boolean): (name: string) => boolean {
  if (isPod) return isMeshProxyName;
  // In a template without the status annotation of the mesh, the author wrote the container.
  const annotations = stringMembers(objectMember(template, 'metadata') ?? {}, 'annotations');
  return (name) => annotations.get(MESH_PROXIES.get(name)?.statusAnnotation ?? '') !== undefined;
}

/** Where Istio's agent answers for the application (istio, pkg/kube/inject, cmd/pilot-agent/status/server.go). */
const REWRITTEN_PREFIX = '/app-health/';
const REWRITTEN_ENDPOINTS = ['livez', 'readyz', 'startupz'];
const AGENT_PORTS = [15020, 15021];

/**
 * True when a probe is exactly as a mesh writes it: a probe of the proxy, or one that Istio has redirected to its agent
 * (`/app-health/<container>/livez`). The mesh is responsible for such a probe.
 *
 * @param container the name of the container that has the probe
 */
export function isMeshProbe(container: string, probe: JsonObject): boolean {
  const httpGet = objectMember(probe, 'httpGet');
  const path = httpGet && stringMember(httpGet, 'path');
  if (httpGet === undefined || path === undefined || !isMeshPath(container, path, member(httpGet, 'port')))
    return false;
  if ((member(httpGet, 'host') ?? '') !== '') return false;
  return HANDLER_KINDS.every((kind) => kind === 'httpGet' || !isPresent(member(probe, kind)));
}

function isMeshPath(container: string, path: string, port: unknown): boolean {
  if (typeof port !== 'number') return false;
  const proxy = MESH_PROXIES.get(container);
  if (proxy?.ports.includes(port) === true && proxy.paths.includes(path)) return true;
  if (!path.startsWith(REWRITTEN_PREFIX) || !AGENT_PORTS.includes(port)) return false;
  return REWRITTEN_ENDPOINTS.some((endpoint) => path === `${REWRITTEN_PREFIX}${container}/${endpoint}`);
}

/** True when a mesh wrote one of the probes. Another beside it would bypass the mesh, and fail under strict mTLS. */
export function hasMeshProbe(container: string, probes: readonly unknown[]): boolean {
  return probes.some((probe) => isJsonObject(probe) && isMeshProbe(container, probe));
}
