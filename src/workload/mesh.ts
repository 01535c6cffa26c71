import { isJsonObject, member, objectMember, stringMap, stringMember } from '../probes/json.ts';
import { HANDLER_KINDS } from '../probes/probe.ts';
import type { JsonObject } from '../probes/json.ts';

/** A service mesh's proxy: how to know it, and the probes that the mesh gives it. */
interface MeshProxy {
  /** The annotation that the mesh's injector leaves in a Pod, or in a template that `istioctl kube-inject` or `linkerd inject --manual` wrote. */
  readonly statusAnnotation: string;
  readonly ports: readonly number[];
  readonly paths: readonly string[];
}

/** By the proxy container's name. Istio: manifests/charts/istio-control; Linkerd: charts/partials/templates/_proxy.tpl. */
const MESH_PROXIES: ReadonlyMap<string, MeshProxy> = new Map([
  [
    'istio-proxy',
    { statusAnnotation: 'sidecar.istio.io/status', ports: [15020, 15021], paths: ['/healthz/ready', '/healthz/live'] },
  ],
  ['linkerd-proxy', { statusAnnotation: 'linkerd.io/proxy-version', ports: [4191], paths: ['/live', '/ready'] }],
]);

/** True for the name of a mesh's proxy. In a Pod it is reserved for the proxy: the mesh's injector adds a container of this name to each Pod. */
export function isMeshProxyName(name: string): boolean {
  return MESH_PROXIES.has(name);
}

/**
 * True when a template may contain the mesh's proxy under this name: it carries the status annotation of that mesh. In any other template the author
 * wrote the container, and its name excuses nothing.
 */
export function hasMeshStatus(template: JsonObject, name: string): boolean {
  const proxy = MESH_PROXIES.get(name);
  return (
    proxy !== undefined &&
    stringMap(objectMember(template, 'metadata') ?? {}, 'annotations').has(proxy.statusAnnotation)
  );
}

/** Where Istio's agent asks the application in the kubelet's place (istio, pkg/kube/inject, and cmd/pilot-agent/status/server.go). */
const REWRITTEN_PREFIX = '/app-health/';
const REWRITTEN_ENDPOINTS = ['livez', 'readyz', 'startupz'];
const AGENT_PORTS = [15020, 15021];

/**
 * True when a probe is exactly what a mesh writes: one of its proxy's own, or an application's that Istio has redirected to its agent
 * (`/app-health/<container>/livez`). Such a probe is the mesh's responsibility.
 *
 * @param container the name of the container that has the probe
 */
export function isMeshProbe(container: string, probe: JsonObject): boolean {
  const httpGet = objectMember(probe, 'httpGet');
  const path = httpGet && stringMember(httpGet, 'path');
  if (httpGet === undefined || path === undefined || !isMeshPath(container, path, member(httpGet, 'port')))
    return false;
  if (isSet(member(httpGet, 'host')) && member(httpGet, 'host') !== '') return false;
  return HANDLER_KINDS.every((kind) => kind === 'httpGet' || !isSet(member(probe, kind)));
}

function isMeshPath(container: string, path: string, port: unknown): boolean {
  if (typeof port !== 'number') return false;
  const proxy = MESH_PROXIES.get(container);
  if (proxy?.ports.includes(port) === true && proxy.paths.includes(path)) return true;
  if (!path.startsWith(REWRITTEN_PREFIX) || !AGENT_PORTS.includes(port)) return false;
  return REWRITTEN_ENDPOINTS.some((endpoint) => path === `${REWRITTEN_PREFIX}${container}/${endpoint}`);
}

/** True when one of the probes is the mesh's: a probe added beside it would go to the application directly, and fail under strict mTLS. */
export function hasMeshProbe(container: string, probes: readonly unknown[]): boolean {
  return probes.some((probe) => isJsonObject(probe) && isMeshProbe(container, probe));
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
