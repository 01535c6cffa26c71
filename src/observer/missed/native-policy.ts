import { collectionPath, NATIVE_COLLECTIONS, objectPath } from '../../cluster/client/api-path.ts';
import { hasCode, unlessMissing, type ApiClient } from '../../cluster/client/api-client.ts';
import { METADATA_LIST, PagedList } from '../../cluster/client/paged-list.ts';
import { objectsAt, textAt, valueAt } from '../../base/json/field-path.ts';
import { isJsonObject, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { NATIVE_POLICY_NAME } from '../../engine/policy/injection-tier.ts';
import { selects } from '../../engine/policy/label-selector.ts';
import { NAMESPACE_NAME_LABEL } from '../../engine/policy/policy-set.ts';
import { specChangedAt } from './policy-times.ts';
import { matchedScope, type WebhookScope } from './webhook-scope.ts';

/** The native policy of a cluster with its bindings, as the API server has them. */
export interface NativePolicy {
  /** Of the binding that leaves out the fewest namespaces: those of the others are among them. */
  readonly scope: WebhookScope;
  /**
   * When what decides about a namespace last changed: the policy, a binding or a parameter. In milliseconds since the
   * epoch; undefined when that is not known.
   */
  readonly changedAt: (namespace: string) => number | undefined;
  /** Another text whenever the scope or a time has changed. */
  readonly identity: string;
}

interface Binding {
  readonly scope: WebhookScope;
  readonly changedAt: number | undefined;
  /** The parameter, by its namespace and name. The namespace is undefined for that of each Pod. */
  readonly param: readonly [namespace: string | undefined, name: string];
}

/**
 * Reads the native policy. Undefined where the cluster has none, or none that a binding puts in force. Rejects as
 * ApiClient.request does, also when the rights are missing.
 */
export async function readNativePolicy(client: ApiClient): Promise<NativePolicy | undefined> {
  const path = objectPath(NATIVE_COLLECTIONS.policies, { name: NATIVE_POLICY_NAME });
  const policy = await unlessMissing(client.request({ method: 'GET', path }));
  if (!isJsonObject(policy)) return undefined;
  const bindings: Binding[] = [];
  await new PagedList(client).forEachPage(
    { path: collectionPath(NATIVE_COLLECTIONS.bindings), keepsManagedFields: true },
    ({ items }) => {
      const objects = items as unknown as readonly JsonObject[];
      const own = objects.filter((one) => textAt(one, 'spec', 'policyName') === NATIVE_POLICY_NAME);
      bindings.push(...own.map((one) => bindingOf(one, policy)));
    },
  );
  const [widest] = bindings.toSorted((one, other) => valuesIn(one) - valuesIn(other));
  if (widest === undefined) return undefined;
  const ofPolicy = changeOf(policy);
  const params = await readParamTimes(client);
  return {
    scope: widest.scope,
    identity: JSON.stringify([ofPolicy, bindings, [...params]]),
    changedAt: (namespace) => {
      const labels = new Map([[NAMESPACE_NAME_LABEL, namespace]]);
      const inForce = bindings.filter(({ scope }) => selects(scope.namespaces, labels));
      // The cluster's parameter leaves out the namespaces with their own.
      const own = inForce.filter(({ param: [home, name] }) => home === undefined && params.has(`${namespace}/${name}`));
      const times = (own.length > 0 ? own : inForce).flatMap(({ param: [home = namespace, name], changedAt }) => {
        const key = `${home}/${name}`;
        return [changedAt, ...(params.has(key) ? [params.get(key)] : [])];
      });
      const known = [ofPolicy, ...times].filter((time) => time !== undefined);
      return known.length === times.length + 1 ? Math.max(...known) : undefined;
    },
  };
}

const valuesIn = ({ scope }: Binding): number => scope.namespaces.reduce((sum, { values }) => sum + values.length, 0);

const changeOf = (object: JsonObject): number | undefined => specChangedAt(objectMember(object, 'metadata') ?? {});

/** The selectors of a binding restrict those of the policy further. */
function bindingOf(binding: JsonObject, policy: JsonObject): Binding {
  const places = [
    [policy, 'matchConstraints'],
    [binding, 'matchResources'],
  ] as const;
  const selectors = (field: string): JsonObject => ({
    matchExpressions: places.flatMap(([object, place]) => objectsAt(object, 'spec', place, field, 'matchExpressions')),
    matchLabels: Object.assign(
      {},
      ...places.map(([object, place]) => valueAt(object, ['spec', place, field, 'matchLabels'])),
    ),
  });
  const scope = matchedScope({
    namespaceSelector: selectors('namespaceSelector'),
    objectSelector: selectors('objectSelector'),
    matchConditions: objectsAt(policy, 'spec', 'matchConditions'),
  });
  const ref = (field: string): string | undefined => textAt(binding, 'spec', 'paramRef', field);
  return { scope, changedAt: changeOf(binding), param: [ref('namespace'), ref('name') ?? ''] };
}

/** When the parameters last changed, by namespace and name. Without the right to list them, none is known. */
async function readParamTimes(client: ApiClient): Promise<ReadonlyMap<string, number | undefined>> {
  const times = new Map<string, number | undefined>();
  const path = collectionPath(NATIVE_COLLECTIONS.params);
  const take = ({ items }: { readonly items: readonly { readonly metadata: object }[] }): void => {
    for (const { metadata } of items) {
      const own = metadata as JsonObject;
      times.set(`${textAt(own, 'namespace') ?? ''}/${textAt(own, 'name') ?? ''}`, specChangedAt(own));
    }
  };
  try {
    await new PagedList(client).forEachPage({ path, accept: METADATA_LIST, keepsManagedFields: true }, take);
  } catch (error) {
    if (!hasCode(error, 403) && !hasCode(error, 404)) throw error;
  }
  return times;
}
