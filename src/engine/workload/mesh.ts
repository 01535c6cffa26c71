import { objectsAt } from '../../base/json/field-path.ts';
import { equalJson, isJsonObject, isPresent, jsonOf, member } from '../../base/json/json-value.ts';
import { objectMember, stringMember, without, type JsonObject } from '../../base/json/json-value.ts';
import { defaultedProbe } from '../probe/api-defaults.ts';
import { HANDLER_KINDS, handlerKindsOf, type ProbeKind } from '../probe/probe.ts';
import { isPod } from './kinds.ts';
import { isSidecar } from './kill-settings.ts';
import type { Container, Pod } from './pod.ts';

/**
 * By container name (Istio: manifests/charts/istio-control; Linkerd: charts/partials/templates/_proxy.tpl; Consul:
 * control-plane/connect-inject/webhook; Kuma: pkg/plugins/runtime/k8s/containers). The annotation is that of the mesh's
 * injector. `answers` matches port and path of the proxy's own probes. `redirects`: the injector points the kubelet's
 * probes of applications at the proxy.
 */
export const MESH_PROXIES = new Map([
  ['istio-proxy', mesh('sidecar.istio.io/status', /^1502[01] \/healthz\/(?:ready|live)$/, true)],
  ['linkerd-proxy', mesh('linkerd.io/proxy-version', /^4191 \/(?:live|ready)$/, false)],
  ['consul-dataplane', mesh('consul.hashicorp.com/connect-inject-status', /^(?:21\d{3} \/ready|20\d{3} tcp)$/, true)],
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

export const ISTIO_PROXY = 'istio-proxy';

/**
 * The test for the names of a mesh's proxies in a Pod: only the work of an injector makes a container a proxy. That is
 * the injector's annotation. Istio's injector also lists the redirected probes, unless the Pod switches this off. In a
 * template the author wrote the container.
 */
export function meshProxyTest(pod: Pod): (name: string) => boolean {
  return (name) => {
    const proxy = isPod(pod.kind) ? MESH_PROXIES.get(name) : undefined;
    if (proxy === undefined) return false;
    if (name === ISTIO_PROXY && !leavesProbesPlain(pod)) return pod.redirected !== undefined;
    return pod.annotations.has(proxy.statusAnnotation);
  };
}

/** Istio's variable with the redirected probes: JSON, by the path at which its agent answers for the application. */
export const REDIRECTED_PROBES = 'ISTIO_KUBE_APP_PROBERS';

/** No list is longer: 300 containers have 900 probes, and few of them are redirected. */
const MOST_CHARACTERS = 65_536;

/** The list, its entries, handlers, headers and one header. A deeper value would exhaust the stack of later readers. */
const MOST_LEVELS = 5;

/** The probes that Istio's proxy in a Pod lists. Undefined without a proxy, and for a list that no injector writes. */
export function redirectedProbes(podSpec: JsonObject): JsonObject | undefined {
  const running = [...objectsAt(podSpec, 'containers'), ...objectsAt(podSpec, 'initContainers').filter(isSidecar)];
  const proxy = running.find((container) => member(container, 'name') === ISTIO_PROXY);
  // The kubelet lets the last one of a name count.
  const variable = proxy && objectsAt(proxy, 'env').findLast((each) => member(each, 'name') === REDIRECTED_PROBES);
  const text = variable && stringMember(variable, 'value');
  const list = text !== undefined && text.length <= MOST_CHARACTERS ? jsonOf(text) : undefined;
  return isJsonObject(list) && isWithin(list, MOST_LEVELS) ? list : undefined;
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isWithin(each, levels - 1));
}

/** Where Istio's agent answers for a container (istio, cmd/pilot-agent/status/server.go). */
const ENDPOINTS = { livenessProbe: 'livez', readinessProbe: 'readyz', startupProbe: 'startupz' } as const;

/**
 * The probe in whose place the kubelet asks Istio's agent: the listed handler with the times of the Pod's probe.
 * Undefined for a probe that is not redirected: one of another form, or one that the Pod's proxy does not list. The
 * injector copies headers, and the agent runs no commands (istio, pkg/kube/inject/app_probe.go).
 *
 * @param probe the container's probe after API defaulting
 */
export function originalProbe({ name, pod }: Owner, kind: ProbeKind, probe: JsonObject): JsonObject | undefined {
  const path = `/app-health/${name}/${ENDPOINTS[kind]}`;
  const listed = pod.redirected && objectMember(pod.redirected, path);
  if (listed === undefined || ![`15020 ${path}`, `15021 ${path}`].includes(askedPlace(probe) ?? '')) return undefined;
  const [handler, ...others] = handlerKindsOf(listed);
  if (handler === undefined || handler === 'exec' || others.length > 0) return undefined;
  if (!equalJson(headersOf(probe), headersOf(listed))) return undefined;
  return defaultedProbe({ ...without(probe, 'httpGet'), [handler]: listed[handler] });
}

type Owner = Pick<Container, 'name'> & { readonly pod: Pick<Container['pod'], 'redirected'> };

function headersOf(probe: JsonObject): unknown {
  return member(objectMember(probe, 'httpGet') ?? {}, 'httpHeaders') ?? undefined;
}

/** The port and the path that a probe of plain HTTP asks without a host, or the port and `tcp`. Else undefined. */
function askedPlace(probe: JsonObject): string | undefined {
  const [kind, ...others] = HANDLER_KINDS.filter((each) => isPresent(member(probe, each)));
  const handler = kind && others.length === 0 ? objectMember(probe, kind) : undefined;
  const port = handler && member(handler, 'port');
  if (handler === undefined || typeof port !== 'number' || (member(handler, 'host') ?? '') !== '') return undefined;
  if (kind === 'tcpSocket') return `${port} tcp`;
  const isPlain = kind === 'httpGet' && (member(handler, 'scheme') ?? 'HTTP') === 'HTTP';
  return isPlain ? `${port} ${stringMember(handler, 'path') ?? ''}` : undefined;
}

/** The highest numbers that injectors write by default, where these are not 60. They write no grace period. */
const HIGHEST: Numbers = { timeoutSeconds: 10, failureThreshold: 600, terminationGracePeriodSeconds: 0 };
type Numbers = Readonly<Record<string, number>>;

/**
 * True when a probe of a mesh's proxy is as the injector writes it. The mesh is responsible for such a probe.
 *
 * @param proxy the name of the proxy
 * @param probe the probe after API defaulting
 */
export function isProxyProbe(proxy: string, probe: JsonObject): boolean {
  const asked = askedPlace(probe);
  if (asked === undefined || MESH_PROXIES.get(proxy)?.answers.test(asked) !== true || headersOf(probe)) return false;
  return Object.entries(without(probe, 'httpGet', 'tcpSocket')).every(([field, value]) => {
    return !isPresent(value) || (typeof value === 'number' && value <= (HIGHEST[field] ?? 60));
  });
}

/** Istio reads the value as Go's strconv.ParseBool does (pkg/kube/inject/app_probe.go). */
export const REWRITE_ANNOTATION = 'sidecar.istio.io/rewriteAppHTTPProbers';
const SAYS_NO = /^(?:0|f|F|false|FALSE|False)$/;

/** Istio's other annotations about probes. */
export const INJECT = 'sidecar.istio.io/inject';
export const EXCLUDED = 'traffic.sidecar.istio.io/excludeInboundPorts';
export const INCLUDED = 'traffic.sidecar.istio.io/includeInboundPorts';
export const ISTIO_ANNOTATIONS: readonly string[] = [REWRITE_ANNOTATION, INJECT, EXCLUDED, INCLUDED];

/** True when the Pod's author has switched the redirection of probes off. */
export function leavesProbesPlain({ annotations }: Pod): boolean {
  return isLeftPlain(annotations);
}

/** The same, from the annotations of a live Pod. */
export function isLeftPlain(annotations: Pick<Pod['annotations'], 'get'>): boolean {
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
