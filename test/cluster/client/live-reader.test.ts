import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/cluster/client/api-client.ts';
import { listLive, reasonForOthers, refusal, resourceOf, scopeWords } from '../../../src/cluster/client/live-reader.ts';
import { AnsweringClient } from './answering-client.ts';

const DEPLOYMENTS = { apiVersion: 'apps/v1', resource: 'deployments' };
const NODES = { apiVersion: 'v1', resource: 'nodes', isNamespaced: false };
const forbidden = new ApiError(403, '', 'user "jane" cannot list');
const page = (names: readonly string[], next = ''): object => ({
  metadata: { resourceVersion: '1', continue: next },
  items: names.map((name) => ({ metadata: { name } })),
});

describe('a list', () => {
  it('hands over each page, and asks in the scope of the kind', async () => {
    const client = new AnsweringClient(({ query }) => (query?.['continue'] ? page(['b']) : page(['a'], 'more')));
    const names: string[][] = [];
    expect(
      await listLive(
        client,
        DEPLOYMENTS,
        'shop',
        (items) => void names.push(items.map(({ metadata: { name } }) => name)),
      ),
    ).toBeUndefined();
    expect(names).toEqual([['a'], ['b']]);
    await listLive(client, NODES, 'shop', () => false);
    const path = '/apis/apps/v1/namespaces/shop/deployments';
    expect(client.sent).toEqual([`GET ${path}`, `GET ${path}`, 'GET /api/v1/nodes']);
  });

  it('that fails is told with its scope and its error', async () => {
    const client = new AnsweringClient(() => forbidden);
    const list = (namespace: string | undefined, kind: object = DEPLOYMENTS) =>
      listLive(client, { ...DEPLOYMENTS, ...kind }, namespace, () => undefined);
    expect(await list('shop')).toEqual({ what: 'cannot list deployments.apps in namespace shop', error: forbidden });
    expect(await list(undefined)).toMatchObject({ what: 'cannot list deployments.apps in all namespaces' });
    expect(await list('shop', NODES)).toMatchObject({ what: 'cannot list nodes in the cluster' });
  });
});

it('a resource has its group, and a scope its words', () => {
  expect([{ apiVersion: 'v1', resource: 'pods' }, DEPLOYMENTS].map(resourceOf)).toEqual(['pods', 'deployments.apps']);
  expect([scopeWords('shop'), scopeWords(undefined)]).toEqual(['in namespace shop', 'in all namespaces']);
});

it('a refusal does not repeat what the API server says about a user', () => {
  expect(refusal('cannot list', forbidden)).toBe('cannot list: forbidden');
  expect(refusal('cannot list', new ApiError(404, '', 'not found'))).toBe('cannot list: not found');
  expect(refusal('cannot list', new Error('reset'))).toBe('cannot list: reset');
});

it('other people get no words of the API server at all', () => {
  expect(reasonForOthers(forbidden)).toBe('forbidden');
  expect(reasonForOthers(new ApiError(500, '', 'user "jane"'))).toBe('HTTP 500');
  expect(reasonForOthers(new Error('x'.repeat(200))).length).toBeLessThanOrEqual(100);
});
