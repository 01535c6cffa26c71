import { ApiClient, type ApiRequest, type LineStream } from '../../../src/cluster/client/api-client.ts';

const access = {
  server: 'https://api.test',
  namespace: undefined,
  requestOptions: (): Promise<never> => Promise.reject(new Error('nothing is sent')),
};

/** A client without a server: a function answers each request. A watch stays open until its signal. */
export class AnsweringClient extends ApiClient {
  readonly requests: ApiRequest[] = [];
  readonly watches = new Map<string, LineStream>();
  readonly #answer: (request: ApiRequest) => unknown;

  /** @param answer throws what the API server refuses with */
  constructor(answer: (request: ApiRequest) => unknown) {
    super(access, 'test');
    this.#answer = answer;
  }

  override async measured(request: ApiRequest): Promise<{ readonly body: unknown; readonly bytes: number }> {
    this.requests.push(request);
    const body = await this.#answer(request);
    return { body, bytes: JSON.stringify(body ?? null).length };
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
