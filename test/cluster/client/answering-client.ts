import { ApiClient, type ApiRequest, type LineStream } from '../../../src/cluster/client/api-client.ts';

const access = {
  server: 'https://api.test',
  namespace: undefined,
  requestOptions: (): Promise<never> => Promise.reject(new Error('nothing is sent')),
};

/**
 * A client without a server: a function answers each request. A request whose answer is an error rejects. A watch stays
 * open until its signal.
 */
export class AnsweringClient extends ApiClient {
  readonly requests: ApiRequest[] = [];
  readonly watches = new Map<string, LineStream>();
  readonly #answer: (request: ApiRequest) => unknown;

  /** @param answer returns or throws what the API server refuses with */
  constructor(answer: (request: ApiRequest) => unknown) {
    super(access, 'test');
    this.#answer = answer;
  }

  override async measured(request: ApiRequest): Promise<{ readonly body: unknown; readonly bytes: number }> {
    this.requests.push(request);
    const body = await this.#answer(request);
    if (body instanceof Error) throw body;
    return { body, bytes: JSON.stringify(body ?? null).length };
  }

  /** The requests, as `GET /api/v1/pods`. */
  get sent(): readonly string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }

  override async lines({ path, query, signal }: ApiRequest, stream: LineStream): Promise<void> {
    const key = `${path} ${query?.['fieldSelector'] ?? ''}`.trim();
    this.watches.set(key, stream);
    stream.opened();
    const closed = Promise.withResolvers<never>();
    const close = (): void => closed.reject(new Error('the watch is closed'));
    signal?.addEventListener('abort', close);
    if (signal?.aborted === true) close();
    await closed.promise.finally(() => this.watches.delete(key));
  }
}

/** A list of the API server, whole in one page. */
export const listOf = (...items: readonly object[]): object => ({ metadata: { resourceVersion: '1' }, items });
