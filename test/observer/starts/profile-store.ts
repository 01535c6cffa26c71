import { ApiError } from '../../../src/cluster/client/api-client.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { ApiRequest } from '../../../src/cluster/client/api-client.ts';

/** StartupProfiles of one API server, with the conflicts of writes that are late. */
export class ProfileStore {
  readonly objects = new Map<string, JsonObject>();
  readonly requests: string[] = [];
  #version = 0;

  /** @param isCutOff whether the answer to this request is lost: the request counts all the same */
  client(isCutOff: () => boolean = () => false): { request(request: ApiRequest): Promise<unknown> } {
    return {
      request: ({ method, path, body }) => {
        this.requests.push(`${method} ${path.split('/').slice(-2).join('/')}`);
        const answer = this.#answer(method, path, body as JsonObject);
        if (isCutOff()) return Promise.reject(new Error('killed'));
        return answer instanceof ApiError ? Promise.reject(answer) : Promise.resolve(structuredClone(answer));
      },
    };
  }

  #answer(method: string, path: string, body: JsonObject): JsonObject | ApiError {
    const name =
      path
        .replace(/\/status$/, '')
        .split('/')
        .at(-1) ?? '';
    const known = this.objects.get(name);
    if (method === 'GET') return known ?? new ApiError(404, 'NotFound', 'none');
    const metadata = body['metadata'] as JsonObject;
    if (method === 'POST') {
      const own = String(metadata['name']);
      if (this.objects.has(own)) return new ApiError(409, 'AlreadyExists', 'there');
      return this.#put(own, { ...body, metadata: { ...metadata, uid: `uid-${own}` } });
    }
    if (known === undefined) return new ApiError(404, 'NotFound', 'none');
    if ((known['metadata'] as JsonObject)['resourceVersion'] !== metadata['resourceVersion'])
      return new ApiError(409, 'Conflict', 'changed');
    return this.#put(name, { ...known, status: body['status'] });
  }

  #put(name: string, object: JsonObject): JsonObject {
    const metadata = { ...(object['metadata'] as JsonObject), resourceVersion: String((this.#version += 1)) };
    const stored = { ...object, metadata };
    this.objects.set(name, stored);
    return stored;
  }
}
