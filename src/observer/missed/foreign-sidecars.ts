import { isJsonObject, member, objectMember, stringMap, stringMember } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** A container that another webhook adds, and the annotation that the webhook leaves in the Pod. */
interface ForeignSidecar {
  readonly annotation: string;
  readonly container: string;
}

/** Without the proxies of src/engine/workload/mesh.ts: the engine leaves those out itself. */
const FOREIGN_SIDECARS: readonly ForeignSidecar[] = [
  { annotation: 'vault.hashicorp.com/agent-inject-status', container: 'vault-agent' },
  { annotation: 'dapr.io/enabled', container: 'daprd' },
  { annotation: 'consul.hashicorp.com/connect-inject-status', container: 'consul-dataplane' },
  { annotation: 'sidecar.opentelemetry.io/injected', container: 'otc-container' },
  { annotation: 'kuma.io/sidecar-injected', container: 'kuma-sidecar' },
  { annotation: 'appmesh.k8s.aws/sidecarInjectorWebhook', container: 'envoy' },
];

/**
 * The Pod without the containers that known injectors have added. Such a container may declare a port, and the engine
 * could then not tell the main container of a Pod that the webhook saw before the injector did.
 */
export function withoutForeignSidecars(pod: JsonObject): JsonObject {
  const annotations = stringMap(objectMember(pod, 'metadata') ?? {}, 'annotations');
  const added = FOREIGN_SIDECARS.filter(({ annotation }) => annotations.has(annotation)).map(
    ({ container }) => container,
  );
  const spec = objectMember(pod, 'spec');
  if (added.length === 0 || spec === undefined) return pod;
  const own = (list: string): JsonObject => {
    const containers = member(spec, list);
    if (!Array.isArray(containers)) return {};
    const isOwn = (one: unknown): boolean => !isJsonObject(one) || !added.includes(stringMember(one, 'name') ?? '');
    return { [list]: (containers as unknown[]).filter(isOwn) };
  };
  return { ...pod, spec: { ...spec, ...own('containers'), ...own('initContainers') } };
}
