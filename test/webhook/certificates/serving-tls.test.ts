import { expect, it } from 'vitest';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import {
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
  server.at((NOT_AFTER * 6) / 7);
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
