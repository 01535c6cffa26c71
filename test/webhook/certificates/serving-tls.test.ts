import { constants } from 'node:crypto';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import {
  callerProblem,
  secureContextOptions,
  servingTls,
  type CertificateListener,
  type CertificateSource,
  type ServingTls,
} from '../../../src/webhook/certificates/serving-tls.ts';
import { createLogger } from '../../../src/process/log.ts';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly problem: string;
}

interface World {
  readonly tls: ServingTls;
  readonly lines: Line[];
  readonly listener: CertificateListener;
  at(time: number): void;
  trouble(problem: string | undefined, isPassing?: boolean): void;
}

const NOT_AFTER = 600_000;
const NOT_RENEWED = 'the certificate cannot be renewed; the last good one stays in use';

/** A server that has served a certificate since 0, and is reminded every 5 ms. */
async function world(more: Partial<CertificateSource>, began = 0): Promise<World> {
  let time = began;
  let problem: string | undefined;
  let listener: CertificateListener | undefined;
  const lines: Line[] = [];
  const source: CertificateSource = {
    start: (given) => {
      listener = given;
      given.changed({ cert: 'c', key: 'k', notAfter: NOT_AFTER });
      return Promise.resolve();
    },
    stop: () => undefined,
    problem: () => problem,
    ...more,
  };
  const log = createLogger('warn', { write: (line) => void lines.push(JSON.parse(line) as Line) });
  const tls = servingTls(
    log,
    source,
    undefined,
    () => undefined,
    () => time,
    5,
  );
  for (const part of tls.parts) await part.start();
  if (listener === undefined) throw new Error('the source was not started');
  const given = listener;
  return {
    tls,
    lines,
    listener: given,
    at: (now) => void (time = now),
    trouble: (text, isPassing) => {
      problem = text;
      if (text !== undefined) given.failed(text, isPassing);
    },
  };
}

const stop = async ({ tls }: World): Promise<void> => {
  for (const part of tls.parts) await part.stop();
};

const ofCluster = { status: () => ({ bundleSynced: { mutating: true, validating: true } }) };

it('an expired certificate is an error of the log again and again, a problem, and a figure', async () => {
  const server = await world({});
  const expired = 'the serving certificate has expired at 1970-01-01T00:10:00.000Z';
  expect(server.tls.figures(NOT_AFTER - 1).problem).toBeUndefined();
  server.at(NOT_AFTER);
  await waitUntil('it was logged twice', () => server.lines.length > 1);
  const line = {
    level: 'error',
    msg: 'the certificate has expired, so every call of the API server fails',
    problem: expired,
  };
  expect(server.lines[1]).toMatchObject(line);
  expect(server.tls.details(NOT_AFTER)).toMatchObject({ expired: true, problems: [expired] });
  expect(server.tls.figures(NOT_AFTER).problem).toBe(expired);
  await stop(server);
});

it('a certificate that has expired before the start is logged at once', async () => {
  const server = await world({}, NOT_AFTER + 1);
  expect(server.lines).toEqual([expect.objectContaining({ level: 'error' })]);
  await stop(server);
});

it('lost contact is a warning while there is time, and an error when the certificate should have been renewed long ago', async () => {
  const server = await world(ofCluster);
  server.at(NOT_AFTER / 2);
  server.trouble('ECONNREFUSED', true);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(server.lines).toEqual([expect.objectContaining({ level: 'warn', msg: NOT_RENEWED, problem: 'ECONNREFUSED' })]);
  // A sixth of the life is left, and then less.
  server.at((NOT_AFTER * 5) / 6);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(server.lines).toHaveLength(1);
  server.at((NOT_AFTER * 5) / 6 + 1);
  await waitUntil('time is short', () => server.lines.length > 1);
  expect(server.lines[1]).toMatchObject({ level: 'error', msg: NOT_RENEWED });
  await stop(server);
});

it('another problem of a renewal is an error at once', async () => {
  const server = await world(ofCluster);
  server.trouble('the Secret cannot be used');
  expect(server.lines).toEqual([expect.objectContaining({ level: 'error', msg: NOT_RENEWED })]);
  await stop(server);
});

describe('a caller', () => {
  const caller = (certificate: { readonly CN: unknown } | undefined, authorizationError?: string): TLSSocket =>
    Object.create(TLSSocket.prototype, {
      getPeerX509Certificate: { value: () => certificate },
      getPeerCertificate: { value: () => ({ subject: certificate }) },
      authorized: { value: authorizationError === undefined },
      authorizationError: { value: authorizationError },
    }) as TLSSocket;

  it.each([
    ['with a name of the list', caller({ CN: 'api' }), ['web', 'api'], undefined],
    ['with any name where there is no list', caller({ CN: 'other' }), [], undefined],
    [
      'with another name',
      caller({ CN: 'other' }),
      ['api'],
      'the client certificate is for "other", which is none of --client-cn',
    ],
    [
      'with several names',
      caller({ CN: ['api', 'web'] }),
      ['api'],
      'the client certificate is for ["api","web"], which is none of --client-cn',
    ],
    ['without TLS', new Socket(), ['api'], 'a client certificate is needed, and this connection has no TLS'],
    ['without a certificate', caller(undefined), [], 'a client certificate is needed, and none was sent'],
    [
      'with a certificate that is not good',
      caller({ CN: 'api' }, 'CERT_HAS_EXPIRED'),
      [],
      'the client certificate is not good: CERT_HAS_EXPIRED; it must be valid and signed by a CA of --client-ca',
    ],
  ])('%s: %#', (_, socket, names, problem) => expect(callerProblem(socket, names)).toBe(problem));

  it('whose certificate counts resumes no session, and other callers may', () => {
    const pair = { cert: 'c', key: 'k' };
    expect(secureContextOptions(pair, undefined)).toEqual({ ...pair, minVersion: 'TLSv1.2' });
    expect(secureContextOptions(pair, 'ca')).toEqual({
      ...{ ...pair, minVersion: 'TLSv1.2', ca: 'ca' },
      secureOptions: constants.SSL_OP_NO_TICKET,
    });
  });
});

it('the CAs of callers replace each other in a server that has a certificate, and wait for one', async () => {
  const contexts: unknown[] = [];
  const server = { setSecureContext: ({ ca }: { ca?: string }) => contexts.push(ca) };
  const given: { pair?: CertificateListener; cas?: CertificateListener<string> } = {};
  const sourceOf = <Value>(keep: (listener: CertificateListener<Value>) => void): CertificateSource<Value> => ({
    start: (listener) => Promise.resolve(keep(listener)),
    stop: () => undefined,
    problem: () => undefined,
  });
  const log = createLogger('fatal', { write: () => undefined });
  const { parts } = servingTls(
    log,
    sourceOf((listener) => (given.pair = listener)),
    sourceOf<string>((listener) => (given.cas = listener)),
    () => server as never,
    () => 0,
  );
  for (const part of parts) await part.start();
  given.cas?.changed('first');
  expect(contexts).toEqual([]);
  given.pair?.changed({ cert: 'c', key: 'k', notAfter: NOT_AFTER });
  given.cas?.changed('second');
  expect(contexts).toEqual(['first', 'second']);
  for (const part of parts) await part.stop();
});
