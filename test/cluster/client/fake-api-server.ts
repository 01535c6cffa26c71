import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import fastJsonPatch from 'fast-json-patch';
import { FakeStore, isBuiltIn, kindOf, without, type FakeObject, type StoredEvent } from './fake-store.ts';
import { parsePath, type Collection, type Target } from './fake-paths.ts';
import { StatusError, statusOf } from './fake-status.ts';
import type { AddressInfo } from 'node:net';
import type { ClusterAccess } from '../../../src/cluster/client/cluster-access.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';

export type { FakeObject } from './fake-store.ts';

/** An API server in memory, over real HTTP on loopback, that answers as kube-apiserver does as far as our client goes. */
export interface FakeApiServer {
  /** For ApiClient; the server is http://127.0.0.1:<port>. */
  readonly access: ClusterAccess;
  /**
   * Creates or replaces an object as some other client would, and always gives it a new resourceVersion. A namespaced object
   * belongs to its namespaced collection (`/api/v1/namespaces/x/secrets`) and shows up in the cluster-wide one too. What status it
   * has is kept when the object has none.
   */
  put(collection: string, object: object): KubernetesObject;
  remove(collection: string, name: string): void;
  get(collection: string, name: string): FakeObject | undefined;
  /** All objects of a collection, also of a cluster-wide one. */
  list(collection: string): readonly FakeObject[];
  /** Every request seen. */
  readonly requests: readonly SeenRequest[];
  /** The kinds that discovery shows. Before the first call, there is no discovery. */
  serve(kinds: readonly ServedKind[]): void;
  /** Decides before the normal handling: a fault is answered, undefined goes on. */
  intercept(fault: ((request: SeenRequest) => Fault | undefined) | undefined): void;
  /**
   * To all open watches: ends them cleanly, cuts their sockets, sends an ERROR event 410, a garbage line in place of what would
   * have come from then on (bookmarks come), half a line and the end, or lets them fall silent with the sockets open.
   */
  disturbWatches(how: Disturbance): void;
  /** Whether watches get bookmarks. kube-apiserver sends none for minutes to some. */
  bookmarks(areSent: boolean): void;
  /** The number of open watches, those that fell silent included. */
  openWatches(): number;
  /** Forgets history before now: a watch from an older resourceVersion, and a list's next page, get 410. */
  compact(): void;
  /** Goes back to what was before, as after a restore from backup: what was written since is undone, resourceVersions too. */
  snapshot(): () => void;
  /** Stops listening and cuts all connections. */
  pause(): Promise<void>;
  /** Listens again on the same port. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** A kind in discovery. */
export interface ServedKind {
  /** `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
}

/** What disturbWatches can do. */
export type Disturbance = 'end' | 'cut' | 'gone' | 'garbage' | 'half-line' | 'silence';

/** An answer that is none: the body goes as JSON, a string as it is. `delay`: the true answer, so many milliseconds later. */
export type Fault =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly delay: number }
  | 'hang'
  | 'cut';

/** A request as it came in. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly contentType: string | undefined;
  /** Parsed when it is JSON, text otherwise, undefined without one. */
  readonly body: unknown;
}

interface Watch {
  readonly collection: Collection;
  readonly response: ServerResponse;
  readonly request: SeenRequest;
  state: 'live' | 'garbled' | 'silent';
}

/** More often than kube-apiserver's, which sends one a minute at best. */
const BOOKMARK_MILLISECONDS = 100;

/** Starts one on a free port. */
export async function startFakeApiServer(bookmarkMilliseconds = BOOKMARK_MILLISECONDS): Promise<FakeApiServer> {
  const store = new FakeStore();
  const watches = new Set<Watch>();
  const requests: SeenRequest[] = [];
  const pages = new Map<string, { objects: readonly FakeObject[]; version: number }>();
  /** The types of the conditions that each manager has applied to an object. */
  const managed = new Map<string, readonly string[]>();
  let served: readonly ServedKind[] | undefined;
  let interceptor: ((request: SeenRequest) => Fault | undefined) | undefined;

  const sendTo = (watch: Watch, event: object): void => {
    watch.response.write(`${JSON.stringify(event)}\n`);
  };
  const bookmark = (watch: Watch): void => {
    const version = String(store.version);
    const object = { kind: kindOf(watch.collection), apiVersion: watch.collection.apiVersion, metadata: {} };
    const shown = { ...shape(watch, object), metadata: { resourceVersion: version, creationTimestamp: null } };
    sendTo(watch, { type: 'BOOKMARK', object: shown });
  };
  const deliver = (watch: Watch, event: StoredEvent): void => {
    if (watch.state !== 'live' || !concerns(watch, event)) return;
    // To a watch with a selector, an object that is selected no longer is gone.
    const type = isSelected(watch.request, event.object) ? event.type : 'DELETED';
    sendTo(watch, { type, object: shape(watch, event.object) });
  };
  store.onEvent = (event) => {
    for (const watch of watches) deliver(watch, event);
  };

  function openWatch(collection: Collection, request: SeenRequest, response: ServerResponse): void {
    const from = Number(request.query['resourceVersion'] ?? '0');
    if (from > store.version) throw StatusError.tooLargeVersion(from, store.version);
    const watch: Watch = { collection, request, response, state: 'live' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (from === 0) {
      for (const object of store.list(collection))
        deliver(watch, { collection, type: 'ADDED', version: store.version, object });
    } else if (from < store.oldestVersion) {
      sendTo(watch, { type: 'ERROR', object: statusOf(410, 'Expired', `too old resource version: ${from}`) });
      response.end();
      return;
    } else for (const event of store.eventsAfter(from)) deliver(watch, event);
    const seconds = Number(request.query['timeoutSeconds'] ?? '1800');
    const end = setTimeout(() => {
      if (watch.state !== 'silent') response.end();
    }, seconds * 1000);
    watches.add(watch);
    response.once('close', () => {
      clearTimeout(end);
      watches.delete(watch);
    });
  }

  function listPage(collection: Collection, request: SeenRequest): object {
    const { limit, continue: token } = request.query;
    const found = token === undefined ? undefined : pages.get(token);
    if (token !== undefined && found === undefined) throw StatusError.expiredContinue();
    const version = found?.version ?? store.version;
    const objects = found?.objects ?? store.list(collection).filter((object) => isSelected(request, object));
    const size = limit === undefined || limit === '0' ? objects.length : Number(limit);
    const rest = objects.slice(size);
    const metadata: Record<string, unknown> = { resourceVersion: String(version) };
    if (rest.length > 0) {
      const next = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: version, start: randomUUID() })).toString(
        'base64',
      );
      pages.set(next, { objects: rest, version });
      metadata['continue'] = next;
      metadata['remainingItemCount'] = rest.length;
    }
    const items = objects.slice(0, size);
    if (isMetadataOnly(request)) {
      const kind = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' };
      return { ...kind, metadata, items: items.map(metadataOf) };
    }
    // The lists of built-in kinds leave out what is the same for all their items.
    const shown = isBuiltIn(collection) ? items.map((object) => without(object, 'kind', 'apiVersion')) : items;
    return { kind: `${kindOf(collection)}List`, apiVersion: collection.apiVersion, metadata, items: shown };
  }

  function patched(request: SeenRequest, current: FakeObject): unknown {
    const type = request.contentType?.split(';')[0];
    if (type === 'application/apply-patch+yaml') return withConditions(request, current);
    if (type === 'application/merge-patch+json') return mergePatch(current, request.body);
    if (type !== 'application/json-patch+json') throw StatusError.unsupportedMediaType(type);
    if (!Array.isArray(request.body)) throw StatusError.badRequest('a JSON patch is an array');
    try {
      const copy = structuredClone(current);
      return fastJsonPatch.applyPatch(copy, request.body as fastJsonPatch.Operation[], true).newDocument;
    } catch {
      throw StatusError.unprocessable();
    }
  }

  /** Of a status, this fake knows the conditions alone: a manager has those of its last apply. */
  function withConditions(request: SeenRequest, current: FakeObject): object {
    const applied = conditionsOf(request.body as FakeObject);
    const manager = `${request.query['fieldManager']} ${current.metadata.uid}`;
    const had = new Set([...(managed.get(manager) ?? []), ...applied.map(({ type }) => type)]);
    managed.set(
      manager,
      applied.map(({ type }) => type),
    );
    const others = conditionsOf(current).filter(({ type }) => !had.has(type));
    return { ...current, status: { ...(current['status'] as object), conditions: [...others, ...applied] } };
  }

  function handle(target: Target, request: SeenRequest, response: ServerResponse): void {
    const { collection, name, subresource } = target;
    checkAccept(request, name);
    checkSelectors(request);
    if (name === undefined) {
      if (request.method === 'GET' && isWatch(request)) return openWatch(collection, request, response);
      if (request.method === 'GET') return answer(response, 200, listPage(collection, request));
      if (request.method === 'POST') return answer(response, 201, store.create(collection, request.body));
      throw StatusError.methodNotAllowed();
    }
    if (subresource !== undefined && subresource !== 'status') throw StatusError.noSuchPath();
    switch (request.method) {
      case 'GET': {
        const object = store.read(collection, name);
        return answer(response, 200, isMetadataOnly(request) ? metadataOf(object) : object);
      }
      case 'PUT':
        return answer(response, 200, store.update(target, request.body));
      case 'PATCH':
        // By one manager who always writes all that it has: then an apply is a replacement.
        if (request.contentType === 'application/apply-patch+yaml' && subresource === undefined)
          return answer(response, 200, store.put(collection, request.body as object));
        return answer(response, 200, store.update(target, patched(request, store.read(collection, name))));
      case 'DELETE': {
        const { metadata } = store.delete(collection, name);
        const details = { name, group: collection.group, kind: collection.plural, uid: metadata.uid };
        return answer(response, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
      }
      default:
        throw StatusError.methodNotAllowed();
    }
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    requests.push(request);
    const fault = interceptor?.(request);
    if (fault === 'hang') return;
    if (fault === 'cut') {
      incoming.socket.destroy();
      return;
    }
    if (fault !== undefined && 'status' in fault) return answer(response, fault.status, fault.body, fault.headers);
    if (fault !== undefined) await sleep(fault.delay);
    try {
      const discovered = served === undefined ? undefined : discovery(served, request.path);
      if (discovered !== undefined) return answer(response, 200, discovered);
      const target = parsePath(request.path);
      if (target === undefined) throw StatusError.noSuchPath();
      handle(target, request, response);
    } catch (error) {
      const status = error instanceof StatusError ? error : new StatusError(500, 'InternalError', String(error));
      answer(response, status.code, status.toStatus());
    }
  }

  const server = createServer((incoming, response) => {
    // The client may be gone before it has sent its request whole.
    serve(incoming, response).catch(() => incoming.socket.destroy());
  });
  // A watch that is still open does not count as a connection that takes too long.
  server.requestTimeout = 0;
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  let hasBookmarks = true;
  const ticking = setInterval(() => {
    for (const watch of hasBookmarks ? watches : [])
      if (watch.state !== 'silent' && watch.request.query['allowWatchBookmarks'] === 'true') bookmark(watch);
  }, bookmarkMilliseconds);

  function disturb(watch: Watch, how: Disturbance): void {
    const { response } = watch;
    switch (how) {
      case 'end':
        response.end();
        return;
      case 'cut':
        response.socket?.destroy();
        return;
      case 'gone':
        sendTo(watch, { type: 'ERROR', object: statusOf(410, 'Expired', 'too old resource version: 1 (2)') });
        response.end();
        return;
      case 'garbage':
        watch.state = 'garbled';
        response.write('{"type":"MODIFIED","object":{"metadata":\u0000}\n');
        return;
      case 'half-line':
        response.end(`{"type":"MODIFIED","object":{"kind":"${kindOf(watch.collection)}","meta`);
        return;
      case 'silence':
        watch.state = 'silent';
    }
  }

  const collectionAt = (path: string): Collection => {
    const target = parsePath(path);
    if (target === undefined || target.name !== undefined) throw new Error(`${path} is no collection`);
    return target.collection;
  };
  // As client-node's: a connection for each request.
  const agent = new Agent({ keepAlive: false });
  return {
    access: {
      server: `http://127.0.0.1:${port}`,
      namespace: undefined,
      requestOptions: () => Promise.resolve({ agent, headers: { Authorization: 'Bearer fake-token' } }),
    },
    put: (path, object) => structuredClone(store.put(collectionAt(path), object)),
    remove: (path, name) => {
      store.delete(collectionAt(path), name);
    },
    get: (path, name) => structuredClone(store.find(collectionAt(path), name)),
    list: (path) => structuredClone(store.list(collectionAt(path))),
    requests,
    serve: (kinds) => {
      served = kinds;
    },
    intercept: (fault) => {
      interceptor = fault;
    },
    disturbWatches: (how) => {
      for (const watch of [...watches]) {
        if (watch.state === 'silent' && how !== 'cut') continue;
        disturb(watch, how);
        // Nothing may follow an end, even before the socket has noticed.
        if (how !== 'garbage' && how !== 'silence') watches.delete(watch);
      }
    },
    bookmarks: (areSent) => {
      hasBookmarks = areSent;
    },
    openWatches: () => watches.size,
    compact: () => {
      store.compact();
      pages.clear();
    },
    snapshot: () => store.snapshot(),
    pause: close,
    resume: () => listen(port),
    stop: async () => {
      clearInterval(ticking);
      await close();
      agent.destroy();
    },
  };
}

function conditionsOf({ status }: FakeObject): readonly { readonly type: string }[] {
  return (status as { conditions?: { type: string }[] } | undefined)?.conditions ?? [];
}

/** The answers of discovery. Undefined for a path that is not discovery, or a group that is not served. */
function discovery(served: readonly ServedKind[], path: string): object | undefined {
  const versions = [...new Set(served.map(({ apiVersion }) => apiVersion))].filter((version) => version.includes('/'));
  if (path === '/apis') {
    const groups = versions.map((groupVersion) => {
      const version = { groupVersion, version: groupVersion.split('/')[1] };
      return { name: groupVersion.split('/')[0], versions: [version], preferredVersion: version };
    });
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }
  const resources = served.filter(
    ({ apiVersion }) => path === `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`,
  );
  if (resources.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    groupVersion: resources[0]?.apiVersion,
    resources: resources.map(({ kind, resource }) => ({
      name: resource,
      singularName: kind.toLowerCase(),
      kind,
      namespaced: true,
    })),
  };
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const url = new URL(incoming.url ?? '/', 'http://api');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: incoming.headers,
    contentType: incoming.headers['content-type'],
    body: text === '' ? undefined : parsedOr(text),
  };
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { ...headers, 'content-type': isText ? 'text/plain' : 'application/json' });
  response.end(isText ? body : body === undefined ? '' : `${JSON.stringify(body)}\n`);
}

function isWatch(request: SeenRequest): boolean {
  return request.query['watch'] === 'true' || request.query['watch'] === '1';
}

function isMetadataOnly(request: SeenRequest): boolean {
  return request.headers.accept?.includes('as=PartialObjectMetadata') === true;
}

/** A list is asked for as a PartialObjectMetadataList, all else as PartialObjectMetadata; kube-apiserver insists. */
function checkAccept(request: SeenRequest, name: string | undefined): void {
  if (!isMetadataOnly(request)) return;
  const isList = request.method === 'GET' && name === undefined && !isWatch(request);
  const asksList = request.headers.accept?.includes('as=PartialObjectMetadataList;') === true;
  if (isList !== asksList) throw StatusError.notAcceptable();
}

function checkSelectors(request: SeenRequest): void {
  for (const term of [...termsOf(request.query['fieldSelector']), ...termsOf(request.query['labelSelector'])])
    if (!TERM.test(term)) throw StatusError.badRequest(`this fake knows no such selector: ${term}`);
}

/** `metadata.name=web`, `status.phase!=Failed`, `app.kubernetes.io/managed-by=probewright`. */
const TERM = /^(?<name>[\w./-]+?)(?<operator>!?=)(?<value>[^=]*)$/;

function termsOf(selector: string | undefined): readonly string[] {
  return selector === undefined ? [] : selector.split(',');
}

function isSelected({ query: { fieldSelector, labelSelector } }: SeenRequest, object: FakeObject): boolean {
  return (
    termsOf(fieldSelector).every((term) => holds(term, (name) => fieldOf(object, name.split('.')))) &&
    termsOf(labelSelector).every((term) => holds(term, (name) => object.metadata.labels?.[name]))
  );
}

function holds(term: string, valueOf: (name: string) => unknown): boolean {
  const { name = '', operator, value = '' } = TERM.exec(term)?.groups ?? {};
  return ((valueOf(name) ?? '') === value) === (operator === '=');
}

function fieldOf(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return value;
  return typeof value === 'object' && value !== null
    ? fieldOf((value as Record<string, unknown>)[step], rest)
    : undefined;
}

function concerns(watch: Watch, event: StoredEvent): boolean {
  const { collection } = watch;
  const sameNamespace = collection.namespace === undefined || collection.namespace === event.collection.namespace;
  if (collection.resource !== event.collection.resource || !sameNamespace) return false;
  return isSelected(watch.request, event.object) || (event.type === 'MODIFIED' && !isNamed(watch.request));
}

/** The name of an object never changes: a watch of one object gets no events of others. */
function isNamed({ query }: SeenRequest): boolean {
  return query['fieldSelector']?.startsWith('metadata.name=') === true;
}

function shape<T extends { readonly metadata: object }>(watch: Watch, object: T): T | object {
  return isMetadataOnly(watch.request) ? metadataOf(object) : object;
}

function metadataOf(object: { readonly metadata: object }): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

/** RFC 7396. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result: Record<string, unknown> = isObject ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null)
      delete result[key]; // eslint-disable-line @typescript-eslint/no-dynamic-delete
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** A kubeconfig for this API server, as JSON. */
export function kubeconfigOf(server: string, namespace?: string): string {
  const cluster = { server, 'insecure-skip-tls-verify': true };
  const context = { cluster: 'fake', user: 'fake', ...(namespace !== undefined && { namespace }) };
  return JSON.stringify({
    'current-context': 'fake',
    clusters: [{ name: 'fake', cluster }],
    contexts: [{ name: 'fake', context }],
    users: [{ name: 'fake', user: { token: 'fake' } }],
  });
}
