import { fastify, type LightMyRequestResponse } from 'fastify';
import { expect, it } from 'vitest';
import { BODY_LIMIT_BYTES, SHORT_BYTES, limitBytes } from '../../../src/webhook/http/body-limit.ts';

const MIB = 1024 * 1024;

it('unanswered bodies of an address have 16 MiB, and shorter bodies and other addresses are taken', async () => {
  const dropped: string[] = [];
  const app = fastify({ bodyLimit: BODY_LIMIT_BYTES });
  limitBytes(app, (address) => dropped.push(address));
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const answer = Promise.withResolvers<string>();
  let waiting = 0;
  app.post('/slow', () => {
    waiting += 1;
    return answer.promise;
  });
  app.post('/', () => 'done');
  const send = (bytes: number, url = '/', remoteAddress = '10.0.0.1'): Promise<LightMyRequestResponse> =>
    app.inject({
      method: 'POST',
      url,
      payload: Buffer.alloc(bytes),
      remoteAddress,
      headers: { 'content-type': 'text/plain' },
    });
  const slow = [send(7 * MIB, '/slow'), send(7 * MIB, '/slow')];
  await expect.poll(() => waiting).toBe(2);
  const refused = await send(3 * MIB);
  expect([refused.statusCode, refused.body, dropped]).toEqual([
    503,
    expect.stringContaining('too many bytes of requests and answers of 10.0.0.1 are under way'),
    ['10.0.0.1'],
  ]);
  expect((await send(SHORT_BYTES)).statusCode).toBe(200);
  expect((await send(3 * MIB, '/', '10.0.0.2')).statusCode).toBe(200);
  expect((await send(BODY_LIMIT_BYTES + 1)).statusCode).toBe(413);
  expect(dropped).toHaveLength(1);
  answer.resolve('done');
  expect((await Promise.all(slow)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  await app.close();
});
