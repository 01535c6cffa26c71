import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';

/** A ProbePolicy that tenants have stored. The texts are JSON, and many policies may share one. */
export interface StoredPolicy {
  readonly namespace: string;
  readonly name: string;
  readonly spec: Buffer;
  /** More members of the metadata, each with a comma before it. */
  readonly metadata?: Buffer;
}

const POLICIES = '/apis/probewright.dev/v1alpha1/';

/**
 * An API server that stores whatever tenants like: no schema, no bound. It holds little memory itself, as texts are shared and written
 * one after the other. It serves lists in pages, watches, statuses and the Lease, and knows no other object.
 */
export class TenantsApiServer {
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });
  readonly #policies: StoredPolicy[] = [];
  readonly #statuses = new Map<StoredPolicy, unknown>();
  readonly #watches = new Set<ServerResponse>();
  #lease: unknown;
  #version = 1000;
  async start(): Promise<string> {
    this.#server.requestTimeout = 0;
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Stores policies. Everyone who watches is told, one after the other. */
  async store(policies: Iterable<StoredPolicy>): Promise<void> {
    for (const policy of policies) {
      this.#policies.push(policy);
      await this.#tell('ADDED', policy);
    }
  }

  /** Waits for a watch of policies. A policy that is stored between a list and its watch is not shown to that watch. */
  async untilWatched(): Promise<void> {
    while (this.#watches.size === 0) await pause(10);
  }

  async #tell(type: string, policy: StoredPolicy): Promise<void> {
    this.#version++;
    for (const watch of this.#watches) {
      const head = Buffer.from(`{"type":"${type}","object":`);
      await writeAll(watch, [head, ...this.#pieces(policy), Buffer.from('}\n')]);
    }
  }

  #pieces({ namespace, name, spec, metadata }: StoredPolicy, status?: unknown): Buffer[] {
    const head = `{"apiVersion":"probewright.dev/v1alpha1","kind":"ProbePolicy","metadata":{"name":"${name}","namespace":"${namespace}","uid":"uid-${namespace}-${name}","generation":1,"resourceVersion":"${this.#version}","creationTimestamp":"2026-01-01T00:00:00Z"`;
    const tail = status === undefined ? '}' : `,"status":${JSON.stringify(status)}}`;
    return [Buffer.from(head), metadata ?? Buffer.alloc(0), Buffer.from('},"spec":'), spec, Buffer.from(tail)];
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://api');
    const { pathname, searchParams } = url;
    const isPolicies = pathname.startsWith(POLICIES);
    if (request.method === 'PATCH' && isPolicies) return this.#patch(pathname, await textOf(request), response);
    if (pathname.includes('/leases')) return this.#serveLease(request, response);
    if (request.method !== 'GET') return answer(response, 201, await textOf(request));
    if (searchParams.get('watch') === 'true') return this.#watch(pathname, response);
    if (!isPolicies || pathname.endsWith('/clusterprobepolicies'))
      return answer(response, 200, JSON.stringify({ metadata: { resourceVersion: String(this.#version) }, items: [] }));
    await this.#list(pathname, searchParams, response);
  }

  async #list(path: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
    const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
    const name = query.get('fieldSelector')?.replace('metadata.name=', '');
    const isAsked = (policy: StoredPolicy): boolean =>
      policy.namespace === (namespace ?? policy.namespace) && policy.name === (name ?? policy.name);
    const asksForAll = namespace === undefined && name === undefined;
    const all = asksForAll ? this.#policies : this.#policies.filter(isAsked);
    const start = Number(query.get('continue') ?? '0');
    const end = start + Number(query.get('limit') ?? all.length);
    response.writeHead(200, { 'content-type': 'application/json' });
    await write(response, Buffer.from('{"items":['));
    for (const [index, policy] of all.slice(start, end).entries()) {
      const pieces = this.#pieces(policy, this.#statuses.get(policy));
      await writeAll(response, index > 0 ? [Buffer.from(','), ...pieces] : pieces);
      if (!response.writable) return;
    }
    const next = end < all.length ? `,"continue":"${end}"` : '';
    response.end(`],"metadata":{"resourceVersion":"${this.#version}"${next}}}`);
  }

  /** Statuses come back to everyone who watches, as from any API server. */
  #patch(path: string, text: string, response: ServerResponse): void {
    const [, namespace, , name] = path.slice(POLICIES.length).split('/');
    const policy = this.#policies.find((each) => each.name === name && each.namespace === namespace);
    const patch = JSON.parse(text) as { status?: object } | { path: string; value: unknown }[];
    const fields = Array.isArray(patch)
      ? Object.fromEntries(patch.map((operation) => [operation.path.replace('/status/', ''), operation.value]))
      : patch.status;
    if (policy === undefined) return answer(response, 404, '{}');
    this.#statuses.set(policy, fields);
    answer(response, 200, JSON.stringify({ metadata: { name }, status: fields }));
  }

  #watch(path: string, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (!path.endsWith('/probepolicies')) return;
    this.#watches.add(response);
    response.once('close', () => this.#watches.delete(response));
  }

  async #serveLease(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET') this.#lease = JSON.parse(await textOf(request));
    if (this.#lease === undefined) return answer(response, 404, '{"kind":"Status","code":404,"reason":"NotFound"}');
    answer(response, 200, JSON.stringify(this.#lease));
  }
}

/** Pieces up to this length are copied into one write, because a write takes more time than the copy. */
const COPIED_BYTES = 16 * 1024;

async function writeAll(response: ServerResponse, pieces: readonly Buffer[]): Promise<void> {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (bytes <= COPIED_BYTES) return write(response, Buffer.concat(pieces, bytes));
  for (const piece of pieces) await write(response, piece);
}

function write(response: ServerResponse, piece: Buffer): Promise<void> | undefined {
  if (!response.writable || response.write(piece)) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function answer(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(text);
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  return text;
}
