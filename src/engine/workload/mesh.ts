import { isPresent, member, objectMember, stringMembers, type JsonObject } from '../../base/json/json-value.ts';
import { HANDLER_KINDS } from '../probe/probe.ts';
import type { Pod } from './pod.ts';

/**
 * By container name (Istio: manifests/charts/istio-control; Linkerd: charts/partials/templates/_proxy.tpl; Consul:
 * control-plane/connect-inject/webhook; Kuma: pkg/plugins/runtime/k8s/containers). The annotation is that of the mesh's
 * injector in a Pod, or of `istioctl kube-inject` or `linkerd inject --manual`. `answers` matches port and path of the
 * proxy's own probes. `redirects`: the injector points the kubelet's probes of applications at the proxy.
 */
export const MESH_PROXIES = new Map([
  ['istio-proxy', mesh('sidecar.istio.io/status', /^1502[01] \/healthz\/(?:ready|live)$/, true)],
  ['linkerd-proxy', mesh('linkerd.io/proxy-version', /^4191 \/(?:live|ready)$/, false)],
  ['consul-dataplane', mesh('consul.hashicorp.com/connect-inject-status', /^21\d{3} \/ready$/, true)],
  ['kuma-sidecar', mesh('kuma.io/sidecar-injected', /^990[12] \/ready$/, true)],
]);

interface Mesh {
  readonly statusAnnotation: string;
  readonly answers: RegExp;
  readonly redirects: boolean;
}

function mesh(statusAnnotation: string, answers: RegExp, redirects: boolean): Mesh {
  return { statusAnnotation, answers, redirects };
}

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
  const httpGet = objectMember(probe, 'httpGet');
  const port = httpGet && member(httpGet, 'port');
  if (httpGet === undefined || typeof port !== 'number') return false;
  const path = member(httpGet, 'path');
  if (typeof path !== 'string' || (member(httpGet, 'host') ?? '') !== '') return false;
  const asked = `${port} ${path}`;
  if (MESH_PROXIES.get(container)?.answers.test(asked) !== true && REWRITTEN.exec(asked)?.[1] !== container)
    return false;
  return HANDLER_KINDS.every((kind) => kind === 'httpGet' || !isPresent(member(probe, kind)));
}

/** Istio reads the value as Go's strconv.ParseBool does (pkg/kube/inject/app_probe.go). */
export const REWRITE_ANNOTATION = 'sidecar.istio.io/rewriteAppHTTPProbers';
const SAYS_NO = /^(?:0|f|F|false|FALSE|False)$/;

/** True when the Pod's author has switched the redirection of probes off. */
export function leavesProbesPlain({ annotations }: Pod): boolean {
  return SAYS_NO.test(annotations.get(REWRITE_ANNOTATION) ?? '');
}

/** The image of a proxy that an author configures before the injection (Istio, "Customizing injection"). */
const TO_BE_INJECTED = 'auto';

/**
 * Why no mesh will redirect a probe that is added to a Pod now; undefined when a mesh still may. Under strict mTLS the
 * proxy refuses the kubelet's connection to the application. Only exec probes do not need that connection.
 */
export function meshObstacle(pod: Pod): string | undefined {
  const proxy = pod.containers.find(
    ({ role, name, image }) =>
      role !== 'ephemeral' && MESH_PROXIES.get(name)?.redirects === true && image !== TO_BE_INJECTED,
  );
  if (proxy !== undefined)
    return `the Pod already has ${proxy.name}, whose injector redirects earlier probes only; ${CURE}`;
  if (!leavesProbesPlain(pod)) return undefined;
  return `the annotation ${REWRITE_ANNOTATION}: "${pod.annotations.get(REWRITE_ANNOTATION)}" keeps Istio from redirecting it; remove the annotation, or use exec`;
}

const CURE =
  "sort Probewright's MutatingWebhookConfiguration before the injector's, write the probe before the injection, or use exec";

/** The obstacle in a container whose probes a mesh has redirected. */
export const REDIRECTED =
  "its probes ask the mesh's agent, and another beside them would bypass the mesh; write them as before the injection, or use exec";
