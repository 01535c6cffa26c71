import { fastify, type FastifyInstance } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { limitAnswers } from '../../../src/webhook/http/answer-limit.ts';
import { expectValidReply } from '../../support/protocol.ts';

const MIB = 1024 * 1024;
let app: FastifyInstance | undefined;
afterEach(() => app?.close());

const reply = (response: object): object => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });

it('an answer beyond what an address has not read has its verdict without the details', async () => {
  const dropped: string[] = [];
  app = fastify();
  limitAnswers(app, (address) => dropped.push(address));
  const status = { code: 403, reason: 'Forbidden', message: 'm'.repeat(7 * MIB), details: { causes: [] } };
  const patch = Buffer.from('[]')
    .toString('base64')
    .repeat(2 * MIB);
  app.post('/denied', () => reply({ uid: 'u', allowed: false, status, auditAnnotations: {} }));
  app.post('/patched', () => reply({ uid: 'u', allowed: true, patchType: 'JSONPatch', patch }));
  app.post('/short', () => reply({ uid: 'u', allowed: true }));
  // An answer counts until it is sent; an injected one is sent when the next turn begins.
  let held = 0;
  app.addHook('onSend', async () => {
    held += 1;
    while (held < 4) await new Promise((resolve) => setImmediate(resolve));
  });
  const ask = async (url: string, remoteAddress = '10.0.0.1'): Promise<Record<string, unknown>> => {
    const { statusCode, body } = await (app as FastifyInstance).inject({ method: 'POST', url, remoteAddress });
    expect(statusCode).toBe(200);
    const { response } = JSON.parse(body) as { response: Record<string, unknown> };
    return { ...response, length: body.length };
  };
  const answers = await Promise.all([ask('/denied'), ask('/denied'), ask('/denied'), ask('/patched')]);
  expect(answers.map(({ allowed }) => allowed)).toEqual([false, false, false, true]);
  const [whole, second, short, lost] = answers;
  expect([whole['length'], second['length']].every((length) => Number(length) > 7 * MIB)).toBe(true);
  expect(Number(short['length'])).toBeLessThan(5000);
  expect(lost).toMatchObject({
    warnings: ['too many long answers are under way, so the Pod gets no probes; try again'],
  });
  expect(lost['patch']).toBeUndefined();
  expect(dropped).toEqual(['10.0.0.1', '10.0.0.1']);
  // Nothing is held any more.
  expect(Number((await ask('/denied'))['length'])).toBeGreaterThan(7 * MIB);
});

it('a short reply is a reply that the API server takes', async () => {
  const { shortReply } = await import('../../../src/webhook/review/response.ts');
  const uid = '705ab4f5-6393-11e8-b7cc-42010a800002';
  const details = { causes: [{ reason: 'FieldValueForbidden', field: 'spec', message: 'no' }] };
  const status = { code: 403, reason: 'Forbidden', message: 'x'.repeat(10_000), details } as const;
  const denied = shortReply({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: false, status },
  });
  expect(expectValidReply('validate', uid, denied).allowed).toBe(false);
  const allowed = shortReply({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: true, warnings: ['x'] },
  });
  expect(expectValidReply('validate', uid, allowed).warnings).toEqual([
    'too many long answers are under way, so the warnings are left out; try again',
  ]);
});
