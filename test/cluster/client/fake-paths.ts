/** A collection of objects, of one namespace or of all. */
export interface Collection {
  /** Empty for the core group. */
  readonly group: string;
  /** `v1`, `coordination.k8s.io/v1`. */
  readonly apiVersion: string;
  /** `secrets`. */
  readonly plural: string;
  /** `secrets`, `leases.coordination.k8s.io`: the same for all namespaces. */
  readonly resource: string;
  readonly namespace: string | undefined;
}

/** What a path leads to: a collection, an object when it has a name, or an object's subresource. */
export interface Target {
  readonly collection: Collection;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Reads a path of the API as kube-apiserver does; undefined for one that is none. */
export function parsePath(path: string): Target | undefined {
  const match = /^\/(?:api\/(?<core>[^/]+)|apis\/(?<group>[^/]+)\/(?<version>[^/]+))\/(?<rest>.+)$/.exec(path);
  if (match === null) return undefined;
  const { core, group = '', version, rest = '' } = match.groups as Record<string, string | undefined>;
  const segments = rest.split('/').map(decodeURIComponent);
  if (segments.includes('')) return undefined;
  // /namespaces/x/status belongs to the namespace itself, /namespaces/x/secrets does not.
  const isNamespaced = segments[0] === 'namespaces' && segments.length > 2 && segments[2] !== 'status';
  const namespace = isNamespaced ? segments[1] : undefined;
  const [plural = '', name, subresource, ...more] = isNamespaced ? segments.slice(2) : segments;
  if (more.length > 0) return undefined;
  const collection = {
    group,
    apiVersion: core ?? `${group}/${version ?? ''}`,
    plural,
    resource: group === '' ? plural : `${plural}.${group}`,
    namespace,
  };
  return { collection, name, subresource };
}
