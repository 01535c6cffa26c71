import type { ApiClient, ApiRequest } from '../../src/cluster/client/api-client.ts';

/** A client whose answers a test gives. It keeps the requests. A request whose answer is an error rejects. */
export class AnsweringClient {
  readonly requests: ApiRequest[] = [];
  readonly client: ApiClient;

  constructor(answerTo: (request: ApiRequest) => unknown) {
    const request = async (sent: ApiRequest): Promise<unknown> => {
      this.requests.push(sent);
      const answer = await answerTo(sent);
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const measured = async (sent: ApiRequest): Promise<object> => ({ body: await request(sent), bytes: 0 });
    this.client = { request, measured } as unknown as ApiClient;
  }

  /** The requests, as `GET /api/v1/pods`. */
  get sent(): readonly string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }
}

/** A list of the API server, whole in one page. */
export const listOf = (...items: readonly object[]): object => ({ metadata: { resourceVersion: '1' }, items });
