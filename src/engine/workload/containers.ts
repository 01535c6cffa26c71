import { DEFAULT_RESTART_POLICY } from '../probe/api-defaults.ts';
import { isSidecar } from '../probe/grace-period.ts';
import { isMeshProxyName } from './mesh.ts';
import { tcpPortsOf } from './ports.ts';
import { isJsonObject, listMember, member, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { CUT_MARK } from './bounded-container.ts';

/**
 * The purpose of a container. Only applications and native sidecars may have probes
 * (pkg/apis/core/validation/validation.go, validateInitContainers). A mesh proxy brings its own.
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
 * The containers and init containers of a Pod spec; ephemeral containers can have no probe. A container without a
 * usable name is called '': the API server refuses it in a Pod, but Knative allows it.
 *
 * @param isMeshProxy whether a container of this name is a mesh's proxy; as in a Pod when left out
 */
export function containersOf(
  podSpec: JsonObject,
  isMeshProxy: (name: string) => boolean = isMeshProxyName,
): Container[] {
  return (['containers', 'initContainers'] as const).flatMap((list) =>
    listMember(podSpec, list).flatMap((spec, index): Container[] => {
      if (!isJsonObject(spec)) return [];
      const name = containerName(spec);
      return [{ name, role: isMeshProxy(name) ? 'mesh' : roleOf(spec, list), list, index, spec }];
    }),
  );
}

/** Most characters of a name that messages repeat. The API server accepts 63 (a DNS label). */
const MAX_NAME_LENGTH = 253;

export function containerName(container: JsonObject): string {
  const name = stringMember(container, 'name') ?? '';
  return name.length > MAX_NAME_LENGTH ? '' : name;
}

function roleOf(spec: JsonObject, list: Container['list']): ContainerRole {
  if (list === 'containers') return 'application';
  return isSidecar(spec) ? 'sidecar' : 'init';
}

/**
 * True when a Pod, or a container by its own restartPolicy (since Kubernetes 1.34, ContainerRestartRules), is meant to
 * run for ever: its restartPolicy is Always, which is the default.
 */
export function runsForever(spec: JsonObject): boolean {
  return (member(spec, 'restartPolicy') ?? DEFAULT_RESTART_POLICY) === 'Always';
}

/** kubectl's own way to say which container a Pod is about (kubectl logs, kubectl exec). */
export const DEFAULT_CONTAINER_ANNOTATION = 'kubectl.kubernetes.io/default-container';

export type MainContainer =
  | { readonly kind: 'found'; readonly container: Container }
  | { readonly kind: 'unknown-default-container'; readonly named: string; readonly candidates: readonly string[] }
  | { readonly kind: 'no-tcp-port' | 'several-with-ports'; readonly candidates: readonly string[] };

/**
 * The main container: the one that the default-container annotation names, else the only application container with a
 * TCP port. An annotation without a match is an error: a guess could put a probe where it cannot work.
 */
export function mainContainerOf(
  containers: readonly Container[],
  annotations: { readonly get: (name: string) => string | undefined },
): MainContainer {
  const applications = containers.filter((container) => container.role === 'application');
  const named = annotations.get(DEFAULT_CONTAINER_ANNOTATION);
  if (named !== undefined && named !== '') {
    const container = applications.find((candidate) => candidate.name === named);
    if (container !== undefined) return { kind: 'found', container };
    return { kind: 'unknown-default-container', named, candidates: names(applications) };
  }
  const withPorts = applications.filter((container) => tcpPortsOf(container.spec).length > 0);
  const [container, ...others] = withPorts;
  if (container === undefined) return { kind: 'no-tcp-port', candidates: names(applications) };
  if (others.length > 0) return { kind: 'several-with-ports', candidates: names(withPorts) };
  return { kind: 'found', container };
}

const names = (containers: readonly Container[]): readonly string[] => containers.map(({ name }) => name);

/** Where the value of an environment variable comes from: written in the manifest, or read by the kubelet. */
export type VariableSource =
  { readonly from: 'value'; readonly value: string } | { readonly from: 'reference'; readonly isOptional: boolean };

/**
 * The environment variables that a container declares by name; the last entry of a name counts. Undefined for a cut
 * list: nobody knows which entry is the last.
 */
export function declaredVariables(container: JsonObject): ReadonlyMap<string, VariableSource> | undefined {
  const variables = new Map<string, VariableSource>();
  for (const entry of listMember(container, 'env')) {
    const name = isJsonObject(entry) ? stringMember(entry, 'name') : undefined;
    if (name !== undefined && isJsonObject(entry)) variables.set(name, sourceOf(entry));
  }
  // The name of the last entry of a cut list.
  return variables.has(CUT_MARK) ? undefined : variables;
}

function sourceOf(entry: JsonObject): VariableSource {
  const reference = member(entry, 'valueFrom');
  if (!isJsonObject(reference)) return { from: 'value', value: stringMember(entry, 'value') ?? '' };
  const isOptional = Object.values(reference).some((key) => isJsonObject(key) && member(key, 'optional') === true);
  return { from: 'reference', isOptional };
}

/**
 * The names in `$(NAME)` references, as the kubelet reads them; `$$` stands for a dollar sign
 * (k8s.io/kubernetes/third_party/forked/golang/expansion, Expand).
 */
export function variableReferences(text: string): readonly string[] {
  // A name without an end is none; to look for each would take quadratic time.
  const ended = text.slice(0, text.lastIndexOf(')') + 1);
  return [...ended.matchAll(/\$(?:\$|\(([^)]*)\))/g)].flatMap(([, name]) => name ?? []);
}
