import { createHash } from 'node:crypto';
import { collectionPath, NATIVE_COLLECTIONS } from '../../cluster/client/api-path.ts';
import { Reflector, type ReflectorContext } from '../../cluster/client/reflector.ts';
import { isJsonObject, listMember, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { compareText } from '../../base/text/cut.ts';
import { CLUSTER_PARAM, PARAM } from '../../native/namespace-probes.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';

/** Equal for specs that are equal as JSON, whatever the order of their members. */
export function digestOf(spec: JsonObject): string {
  const text = JSON.stringify(spec, (_, value: unknown) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b))) : value,
  );
  return createHash('sha256').update(text).digest('base64');
}

/** The params in the cluster that the native policy reads, as digests of their specs. Other names have no effect. */
export class KnownParams {
  readonly reflector: Reflector;
  /** By namespace: that of the namespace itself. */
  readonly namespaces = new Map<string, string>();
  cluster: string | undefined;
  /** The namespaces that the cluster's param leaves to their own. */
  except: ReadonlySet<string> = new Set();

  /**
   * @param home the namespace of the cluster's param
   * @param changed is told each change: the namespace of a param, or undefined for the cluster's
   */
  constructor(
    context: ReflectorContext,
    home: string,
    changed: (namespace: string | undefined) => void,
    troubled: (problem: string | undefined) => void,
  ) {
    let listed: Set<string> | undefined;
    const note = ({ metadata: { name, namespace = '' } }: KubernetesObject, spec?: JsonObject): void => {
      const digest = spec === undefined ? undefined : digestOf(spec);
      if (name === PARAM) {
        if (this.namespaces.get(namespace) === digest) return;
        if (digest === undefined) this.namespaces.delete(namespace);
        else this.namespaces.set(namespace, digest);
        changed(namespace);
      } else if (name === CLUSTER_PARAM && namespace === home && this.cluster !== digest) {
        this.cluster = digest;
        this.except = new Set(listMember(spec ?? {}, 'except').filter((one) => typeof one === 'string'));
        changed(undefined);
      }
    };
    const gone = (object: KubernetesObject): void => note(object);
    const place = ({ metadata: { name, namespace } }: KubernetesObject): string => `${namespace}/${name}`;
    this.reflector = new Reflector(
      context,
      { path: collectionPath(NATIVE_COLLECTIONS.params) },
      {
        listing: () => (listed = new Set()),
        seen: (objects) => {
          for (const object of objects) {
            listed?.add(place(object));
            note(object, objectMember(object as unknown as JsonObject, 'spec') ?? {});
          }
        },
        gone,
        listed: () => {
          const known = [...this.namespaces.keys()].map((namespace) => ({ metadata: { name: PARAM, namespace } }));
          const all = [...known, { metadata: { name: CLUSTER_PARAM, namespace: home } }];
          for (const object of all) if (listed?.has(place(object)) === false) gone(object);
          listed = undefined;
        },
        troubled,
      },
    );
  }
}
