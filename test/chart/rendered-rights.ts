import { parsePath } from '../cluster/client/fake-paths.ts';
import type { PolicyRule } from '../e2e/written-rbac.ts';
import type { SeenRequest } from '../cluster/client/fake-api-server.ts';
import type { Manifest } from './helm.ts';

/** One verb on one resource: the smallest thing that can be granted. */
export interface Right {
  /** `list deployments.apps`, `get leases.coordination.k8s.io "probewright"`. */
  readonly text: string;
  /** Undefined = in all namespaces. */
  readonly namespace: string | undefined;
  readonly group: string;
  /** With its subresource: `probepolicies/status`. */
  readonly resource: string;
  readonly verb: string;
  /** Undefined = all names. */
  readonly names: readonly string[] | undefined;
}

interface Binding extends Manifest {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

/** The rights of a service account, by the bindings and roles among these manifests. */
export function rightsOf(manifests: readonly Manifest[], account: string, namespace: string): readonly Right[] {
  const bindings = manifests.filter(({ kind }) => /^(Cluster)?RoleBinding$/.test(kind)) as unknown as Binding[];
  return bindings
    .filter(({ subjects }) =>
      subjects.some((each) => each.kind === 'ServiceAccount' && each.name === account && each.namespace === namespace),
    )
    .flatMap(({ kind, roleRef, metadata }) => {
      const role = manifests.find((each) => each.kind === roleRef.kind && each.metadata.name === roleRef.name);
      if (role === undefined) throw new Error(`${kind} ${metadata.name}: there is no ${roleRef.kind} ${roleRef.name}`);
      const scope = kind === 'RoleBinding' ? metadata.namespace : undefined;
      return (role as unknown as { rules: readonly PolicyRule[] }).rules.flatMap((rule) => rightsIn(rule, scope));
    });
}

function rightsIn(rule: PolicyRule, namespace: string | undefined): readonly Right[] {
  const { apiGroups, resources, verbs, resourceNames: names } = rule;
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => {
        const quoted = (names ?? []).map((name) => ` "${name}"`).join('');
        const text = `${verb} ${group === '' ? resource : `${resource}.${group}`}${quoted}`;
        return { text, namespace, group, resource, verb, names };
      }),
    ),
  );
}

/**
 * What the authorizer of kube-apiserver asks about a request; undefined for a path that is no resource. A list or watch
 * with the field selector `metadata.name=web` is about the object web.
 *
 * Source: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go, NewRequestInfo.
 */
export function askedRight({ method, path, query }: SeenRequest): Right | undefined {
  const target = parsePath(path);
  if (target === undefined) return undefined;
  const { collection, name: inPath, subresource } = target;
  const isWatch = query['watch'] === 'true' || query['watch'] === '1';
  const verbs: Readonly<Record<string, string>> = {
    GET: isWatch ? 'watch' : inPath === undefined ? 'list' : 'get',
    POST: 'create',
    PUT: 'update',
    PATCH: 'patch',
    DELETE: inPath === undefined ? 'deletecollection' : 'delete',
  };
  const verb = verbs[method] ?? method.toLowerCase();
  const selected = /(?:^|,)metadata\.name=([^,]+)/.exec(query['fieldSelector'] ?? '')?.[1];
  const name = inPath ?? selected;
  const resource = subresource === undefined ? collection.plural : `${collection.plural}/${subresource}`;
  const { group, namespace } = collection;
  const place = group === '' ? resource : `${resource}.${group}`;
  const text = `${verb} ${place}${name === undefined ? '' : ` "${name}"`} in ${namespace ?? 'all namespaces'}`;
  return { text, namespace, group, resource, verb, names: name === undefined ? undefined : [name] };
}

/** The granted rights that allow what is asked for. */
export function allowing(granted: readonly Right[], asked: Right): readonly Right[] {
  const [name] = asked.names ?? [];
  return granted.filter(
    ({ namespace, group, resource, verb, names }) =>
      (namespace === undefined || namespace === asked.namespace) &&
      group === asked.group &&
      resource === asked.resource &&
      verb === asked.verb &&
      (names === undefined || (name !== undefined && names.includes(name))),
  );
}
