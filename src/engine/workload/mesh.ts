import { isPresent, member, objectMember, stringMembers, type JsonObject } from '../../base/json/json-value.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../probe/probe.ts';

/**
 * By container name (Istio: manifests/charts/istio-control; Linkerd: charts/partials/templates/_proxy.tpl). The
 * annotation is that of the mesh's injector in a Pod, or of `istioctl kube-inject` or `linkerd inject --manual`.
 * `answers` matches port and path of the proxy's own probes.
 */
export const MESH_PROXIES = new Map([
  ['istio-proxy', { statusAnnotation: 'sidecar.istio.io/status', answers: /^1502[01] \/healthz\/(?:ready|live)$/ }],
  ['linkerd-proxy', { statusAnnotation: 'linkerd.io/proxy-version', answers: /^4191 \/(?:live|ready)$/ }],
]);

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
const REWRITTEN = /^1502[01] \/app-health\/([^]*)\/(?:livez|readyz|startupz)$/;

/**
 * True when a probe is exactly as a mesh writes it: a probe of the proxy, or one that Istio has redirected to its agent
 * (`/app-health/<container>/livez`). The mesh is responsible for such a probe.
 *
 * @param container the name of the container that has the probe
 */
export function isMeshProbe(container: string, probe: JsonObject): boolean {
  const httpGet = objectMember(probe, 'httpGet') ?? {};
  const [port, path, host] = ['port', 'path', 'host'].map((field) => member(httpGet, field));
  if (typeof port !== 'number' || typeof path !== 'string' || (host ?? '') !== '') return false;
  const asked = `${port} ${path}`;
  if (MESH_PROXIES.get(container)?.answers.test(asked) !== true && REWRITTEN.exec(asked)?.[1] !== container)
    return false;
  return HANDLER_KINDS.every((kind) => kind === 'httpGet' || !isPresent(member(probe, kind)));
}

/** True when a mesh wrote one of the probes. Another beside it would bypass the mesh, and fail under strict mTLS. */
export function hasMeshProbe({ name, spec }: { readonly name: string; readonly spec: JsonObject }): boolean {
  return PROBE_KINDS.some((kind) => isMeshProbe(name, objectMember(spec, kind) ?? {}));
}
