import { describe, expect, it } from 'vitest';
import { AnswerTooLarge, MAX_ANSWER_BYTES, type ApiRequest } from '../../../src/cluster/client/api-client.ts';
import { PagedList, PAGE_SIZE, Unusable, type ListRequest, type Page } from '../../../src/cluster/client/paged-list.ts';

type Query = Readonly<Record<string, string>>;
interface World {
  readonly list: PagedList;
  readonly asked: ApiRequest[];
  readonly queries: () => Query[];
}

/** A list whose pages are answered by this function: a body, or the number of objects that is too long. */
function world(answer: (query: Query) => object | 'too-large', bytes = MAX_ANSWER_BYTES): World {
  const asked: ApiRequest[] = [];
  const measured = (request: ApiRequest): Promise<{ body: unknown; bytes: number }> => {
    asked.push(request);
    const body = answer(request.query ?? {});
    return body === 'too-large' ? Promise.reject(new AnswerTooLarge('too large')) : Promise.resolve({ body, bytes });
  };
  return { list: new PagedList({ measured }), asked, queries: () => asked.map(({ query }) => query as Query) };
}
const body = (next?: string, items: readonly unknown[] = []): object => ({
  metadata: { resourceVersion: '7', ...(next !== undefined && { continue: next }) },
  items,
});
const request: ListRequest = { path: '/api/v1/pods', query: { labelSelector: 'a=b' } };
const pod = (name: string): object => ({ metadata: { name, managedFields: ['x'] }, status: { phase: 'Running' } });
const pageOf = async (given: Partial<ListRequest>): Promise<Page> =>
  await world(() => body('', [pod('a'), null, {}])).list.page({ ...request, ...given }, undefined);

describe('a list in pages', () => {
  it('hands over each page until the last one', async () => {
    const { list, queries } = world(({ continue: from }) => body(from === undefined ? 'second' : undefined));
    const pages: (string | undefined)[] = [];
    await list.forEachPage(request, (page) => pages.push(page.continue));
    expect(pages).toEqual(['second', undefined]);
    expect(queries()).toEqual([
      { labelSelector: 'a=b', limit: String(PAGE_SIZE) },
      { labelSelector: 'a=b', limit: String(PAGE_SIZE), continue: 'second' },
    ]);
  });

  it('ends when nobody wants more', async () => {
    const { list, asked } = world(() => body('more'));
    await list.forEachPage(request, () => false);
    expect(asked).toHaveLength(1);
  });

  it('has a version on its first page only', async () => {
    const cached = { ...request, query: { resourceVersion: '0' } };
    const { list, queries } = world(({ continue: from }) => body(from === undefined ? 'second' : undefined));
    await list.forEachPage(cached, () => true);
    expect(queries().map(({ resourceVersion }) => resourceVersion)).toEqual(['0', undefined]);
  });

  it('has no version any more when the answer from the cache is too long, and then half as many objects', async () => {
    const cached = { ...request, query: { resourceVersion: '0' } };
    const { list, queries } = world(({ resourceVersion, limit }) =>
      resourceVersion === undefined && Number(limit) <= 125 ? body() : 'too-large',
    );
    await list.page(cached, undefined);
    expect(queries()).toEqual([
      { limit: '500', resourceVersion: '0' },
      { limit: '500' },
      { limit: '250' },
      { limit: '125' },
    ]);
  });

  it('gets more objects a page again after short pages', async () => {
    let most = 125;
    const { list, queries } = world(({ limit }) => (Number(limit) <= most ? body() : 'too-large'), 100);
    await list.page(request, undefined);
    most = PAGE_SIZE;
    for (let page = 0; page < 3; page += 1) await list.page(request, undefined);
    expect(queries().map(({ limit }) => limit)).toEqual(['500', '250', '125', '250', '500', '500']);
  });

  it('stays at pages that are a quarter of the longest', async () => {
    let isFull = true;
    const given = { ...request, mostBytes: 400 };
    const { list, queries } = world(({ limit }) => (isFull && Number(limit) > 250 ? 'too-large' : body()), 100);
    await list.page(given, undefined);
    isFull = false;
    await list.page(given, undefined);
    expect(queries().map(({ limit }) => limit)).toEqual(['500', '250', '250']);
  });

  it('gives a single object all the room that there is, and fails if that is not enough', async () => {
    const { list, asked } = world(() => 'too-large');
    await expect(list.page({ ...request, mostBytes: 10 }, undefined)).rejects.toThrow(AnswerTooLarge);
    expect(asked.at(-1)).toMatchObject({ query: { limit: '1' }, mostBytes: MAX_ANSWER_BYTES });
    expect(asked.at(-2)).toMatchObject({ query: { limit: '3' }, mostBytes: 10 });
    const failing = world(() => {
      throw new Error('no');
    });
    await expect(failing.list.page(request, undefined)).rejects.toThrow('no');
    expect(failing.asked).toHaveLength(1);
  });
});

describe('a page', () => {
  it('has the objects, without their managed fields', async () => {
    expect(await pageOf({})).toEqual({
      items: [{ metadata: { name: 'a' }, status: { phase: 'Running' } }],
      resourceVersion: '7',
      continue: undefined,
    });
    expect((await pageOf({ keepsManagedFields: true })).items).toEqual([pod('a')]);
    expect((await pageOf({ dropsStatus: true })).items).toEqual([{ metadata: { name: 'a' }, status: null }]);
  });

  it.each([{ items: [] }, { metadata: {}, items: [] }, { metadata: { resourceVersion: '7' }, items: {} }])(
    'is unusable as %j',
    async (answer) => {
      await expect(world(() => answer).list.page(request, undefined)).rejects.toThrow(Unusable);
    },
  );

  it('has no objects where the list has none', async () =>
    expect((await world(() => ({ metadata: { resourceVersion: '7' } })).list.page(request, undefined)).items).toEqual(
      [],
    ));
});
