import type { ControlPlane } from './control-plane.ts';

/** Requests for single objects, as the administrator. */
export interface ObjectRequests {
  /** kubectl apply, of objects or YAML. */
  apply(...manifests: readonly (object | string)[]): Promise<void>;
  /** The object's JSON, as the API server has it. */
  read<T>(path: string): Promise<T>;
  /** Deletes the object if it is there. */
  delete(path: string): Promise<void>;
}

/** Each request throws the answer when it fails. */
export function objectRequests(cluster: Pick<ControlPlane, 'kubectl' | 'request'>): ObjectRequests {
  return {
    apply: async (...manifests) => {
      const texts = manifests.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
      await cluster.kubectl(['apply', '--filename=-'], { input: texts.join('\n---\n') });
    },
    read: async <T>(path: string) => {
      const { status, body } = await cluster.request('GET', path);
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${body}`);
      return JSON.parse(body) as T;
    },
    delete: async (path) => {
      const { status, body } = await cluster.request('DELETE', path);
      if (status >= 300 && status !== 404) throw new Error(`DELETE ${path}: ${status} ${body}`);
    },
  };
}
