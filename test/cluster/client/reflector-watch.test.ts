import { expect, it, onTestFinished } from 'vitest';
import { Reflector } from '../../../src/cluster/client/reflector.ts';
import { AnsweringClient } from './answering-client.ts';
import type { ApiRequest, LineStream } from '../../../src/cluster/client/api-client.ts';

class WatchedClient extends AnsweringClient {
  readonly asked: ApiRequest[] = [];

  override lines(request: ApiRequest, stream: LineStream): Promise<void> {
    this.asked.push(request);
    return super.lines(request, stream);
  }
}

it.each<[renewal: number | undefined, random: number, seconds: string]>([
  [undefined, 0, '240'],
  [undefined, 0.5, '300'],
  [undefined, 1, '360'],
  [10_000, 0.5, '10'],
  [2999, 0.5, '2'],
  [500, 0, '1'],
])(
  'a watch that is renewed after %s ms lasts a fifth less to more: with %d, %s s',
  async (renewal, random, seconds) => {
    const client = new WatchedClient(() => ({ metadata: { resourceVersion: '7' }, items: [] }));
    const context = { client, now: () => 0, random: () => random, watchRenewal: renewal };
    const reflector = new Reflector(
      context,
      { path: '/api/v1/pods', labelSelector: 'a=b' },
      {
        seen: () => undefined,
        troubled: () => undefined,
      },
    );
    onTestFinished(() => reflector.stop());
    await reflector.start();
    await expect.poll(() => client.asked.length).toBe(1);
    expect(client.asked).toMatchObject([
      {
        method: 'GET',
        path: '/api/v1/pods',
        accept: 'application/json',
        query: {
          watch: 'true',
          allowWatchBookmarks: 'true',
          resourceVersion: '7',
          labelSelector: 'a=b',
          timeoutSeconds: seconds,
        },
      },
    ]);
    expect(reflector.status()).toEqual({ synced: true, watching: true, lastContact: 0, problem: undefined });
  },
);
