import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sendReview } from '../../scripts/review/send-review.ts';
import { developmentPair, type DevelopmentPair } from '../../src/webhook/certificates/open-certificates.ts';
import type { AddressInfo } from 'node:net';

const FILE = 'examples/reviews/pod-create.json';
const directory = mkdtempSync(join(tmpdir(), 'probewright-review-'));
let pair: DevelopmentPair;

beforeAll(async () => {
  pair = await developmentPair(directory, Date.now());
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

interface Review {
  readonly request: {
    readonly object: {
      readonly metadata: { managedFields?: unknown };
      readonly spec: { readonly containers: object[] };
    };
  };
}

/** A server on loopback that gives each path an answer, for as long as one review takes. `bodies` are what it got. */
async function reviewedBy(
  answers: Readonly<Record<string, object>>,
  status = 200,
): Promise<Awaited<ReturnType<typeof sendReview>> & { readonly bodies: Readonly<Record<string, unknown>> }> {
  const bodies: Record<string, unknown> = {};
  const server = createServer(
    { cert: readFileSync(pair.certFile), key: readFileSync(pair.keyFile) },
    (request, response) => {
      const { url = '' } = request;
      void json(request).then((body) => {
        bodies[url] = body;
        response.writeHead(status).end(JSON.stringify(answers[url] ?? {}));
      });
    },
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    return { ...(await sendReview(FILE, (server.address() as AddressInfo).port, pair.caFile)), bodies };
  } finally {
    server.close();
  }
}

describe('npm run review', () => {
  it('prints the object with the patch as YAML, asks /validate about this object, and says that the object is allowed', async () => {
    const patch = [{ op: 'add', path: '/spec/containers/0/livenessProbe', value: { periodSeconds: 10 } }];
    const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
    const { code, text, bodies } = await reviewedBy({
      '/mutate': { response: { allowed: true, patch: encoded } },
      '/validate': { response: { allowed: true } },
    });
    const sent = JSON.parse(readFileSync(FILE, 'utf8')) as Review;
    const stored = structuredClone(sent.request.object);
    Object.assign(stored.spec.containers[0] ?? {}, { livenessProbe: { periodSeconds: 10 } });
    expect(bodies).toEqual({
      '/mutate': sent,
      '/validate': { ...sent, request: { ...sent.request, object: stored } },
    });
    const lines = text.split('\n');
    expect([lines[0], lines.at(-2)]).toEqual(['# /mutate: the API server stores this object', '# /validate: allowed']);
    delete stored.metadata.managedFields;
    expect(parse(text)).toEqual(stored);
    expect(code).toBe(0);
  });

  it('prints why an object is denied, and warnings', async () => {
    const { code, text } = await reviewedBy({
      '/mutate': { response: { allowed: true } },
      '/validate': { response: { allowed: false, warnings: ['a warning'], status: { message: 'one\ntwo' } } },
    });
    expect(text).toBe('# /mutate: no patch\n# /validate: denied\n# warning: a warning\n# one\n# two\n');
    expect(code).toBe(1);
  });

  it('says what to do when nobody answers, and what an error says', async () => {
    // Port 1 needs rights that nobody here has taken.
    const { code, text } = await sendReview(FILE, 1, pair.caFile);
    expect(text).toBe('review: nobody answers at https://127.0.0.1:1; run "npm start" in another terminal first\n');
    expect(code).toBe(2);
    expect((await reviewedBy({ '/mutate': { message: 'no' } }, 500)).text).toContain('(HTTP 500: {"message":"no"})');
  });

  it('names a file that cannot be read, and the CA that is missing', async () => {
    expect((await sendReview('none.json', 1, pair.caFile)).text).toBe('review: none.json cannot be read\n');
    expect((await sendReview(FILE, 1, 'none.crt')).text).toContain('run "npm start" first');
  });
});
