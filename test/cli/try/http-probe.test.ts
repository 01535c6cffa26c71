import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { eventMessage, type Answer } from '../../../src/cli/try/answer.ts';
import { dial } from '../../../src/cli/try/connection.ts';
import { httpProbe, type HttpProbe } from '../../../src/cli/try/http-probe.ts';
import { sendOver } from '../../../src/cli/try/http-request.ts';
import { startDescribed, type DescribedServer } from './described-servers.ts';
import { http } from './probe-servers.ts';

interface Case {
  readonly name: string;
  readonly server: DescribedServer;
  readonly probe?: Partial<HttpProbe>;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly event?: string;
}

const CASES = parse(readFileSync('test/fixtures/try/http.yaml', 'utf8')) as readonly Case[];

async function ask({ server, ...given }: Case): Promise<{ readonly answer: Answer; readonly port: number }> {
  const port = await startDescribed(server);
  return { answer: await askAt(port, given), port };
}

async function askAt(port: number, { probe, timeout = 3000 }: Partial<Case> = {}): Promise<Answer> {
  const asked: HttpProbe = { isHttps: false, host: '127.0.0.1', port, path: '/', headers: [], ...probe };
  const send = sendOver((to, signal) => dial({ ...asked, port: to }, { ...asked, port: to }, signal));
  return await httpProbe(asked, timeout, send);
}

describe('an HTTP probe', () => {
  it.each(CASES)('gets the verdict of the kubelet from $name', async (given) => {
    const { answer, port } = await ask(given);
    const message = eventMessage('livenessProbe', answer)
      .replace(/read tcp [\d.:]+->/, 'read tcp LOCAL->')
      .replaceAll(String(port), 'PORT');
    const get = `failed: Get "http${given.probe?.isHttps === true ? 's' : ''}://127.0.0.1:PORT/":`;
    const expected = given.event === undefined ? '' : `Liveness probe ${given.event.replace(/^GET/, get)}`;
    // Go prints more of the bytes of HTTP/2, in parts of its own.
    expect(given.server.protocol === 'h2c' ? message.slice(0, expected.length) : message).toBe(expected);
  });

  it('follows a redirect to the host and port that it asked', async () => {
    const port = await http(({ url, headers }, response) =>
      url === '/up' ? response.end() : response.writeHead(302, { location: `http://${headers.host}/up` }).end(),
    );
    expect((await askAt(port)).result).toBe('success');
  });

  it('takes a header of 32 KiB', async () => {
    const says = `HTTP/1.1 200 OK\r\nA: ${'b'.repeat(32 * 1024)}\r\n\r\n`;
    expect((await ask({ name: '', server: { protocol: 'tcp', says } })).answer.result).toBe('success');
  });

  it('says when a body is longer than what the kubelet reads', async () => {
    const { answer } = await ask({ name: '', server: { bytes: 10 * 1024 + 1 } });
    expect(answer).toEqual({ result: 'success', text: '', code: 200, isLong: true });
  });
});
