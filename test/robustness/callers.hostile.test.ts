import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import https from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseServe } from '../cli/parse-serve.ts';
import { makeServingPair } from '../support/certificate.ts';
import { expectValidReply } from '../support/protocol.ts';
import { UID, ask, askHealth, collect, keepAlive, requestBytes, tls } from './client.ts';
import { ClientAuthority } from './client-certificates.ts';
import { report } from './figures.ts';
import { Program } from './program.ts';

type Identity = Readonly<{ cert: string; key: string }>;

let directory: string;
let caFile: string;
let trusted: ClientAuthority;
let foreign: ClientAuthority;
let apiserver: Identity;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'probewright-callers-'));
  caFile = join(directory, 'client-ca.crt');
  [trusted, foreign] = await Promise.all([ClientAuthority.create('callers'), ClientAuthority.create('callers')]);
  apiserver = await trusted.issue();
});
afterAll(() => rm(directory, { recursive: true }));

async function start(...args: string[]): Promise<Program> {
  await writeFile(caFile, trusted.pem);
  return Program.startForTest({ args: ['--log-level', 'error', ...args] });
}

async function askAs(
  port: number,
  identity: Identity | undefined,
  path = '/mutate',
): Promise<{ code: number; message: string; body: string }> {
  const agent = new https.Agent({ rejectUnauthorized: false, keepAlive: false, maxCachedSessions: 0, ...identity });
  const { code, body } = await ask(port, { agent, path });
  agent.destroy();
  const { message = '' } = JSON.parse(body) as { message?: string };
  return { code, message, body };
}

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  for (let count = 0; !(await holds()); count += 1) {
    if (count > 100) throw new Error('gave up');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe('without --client-ca', () => {
  it('everybody is answered, with a certificate or without', async () => {
    const { port } = await start();
    expect((await askAs(port, undefined)).code).toBe(200);
    expect((await askAs(port, apiserver)).code).toBe(200);
  });
});

describe('with --client-ca', () => {
  it('only a valid client certificate from one of its CAs is answered, and the others are told why, at every path', async () => {
    const { port, healthPort } = await start('--client-ca', caFile);
    const { code, body } = await askAs(port, apiserver);
    expect(code).toBe(200);
    expectValidReply('mutate', UID, JSON.parse(body));
    const callers: readonly (readonly [string, Identity | undefined, string])[] = [
      ['none', undefined, 'a client certificate is needed, and none was sent'],
      ['of a CA of the same name', await foreign.issue(), 'the client certificate is not good'],
      ['expired', await trusted.issue({ notAfter: new Date(Date.now() - 60_000) }), 'CERT_HAS_EXPIRED'],
      ['for servers only', await trusted.issue({ forServers: true }), 'INVALID_PURPOSE'],
      ['self-signed serving certificate', await selfMade(), 'the client certificate is not good'],
    ];
    for (const [, identity, reason] of callers) {
      for (const path of ['/mutate', '/validate', '/elsewhere']) {
        const refused = await askAs(port, identity, path);
        expect([refused.code, refused.message]).toEqual([401, expect.stringContaining(reason)]);
        expect(JSON.parse(refused.body)).toMatchObject({ kind: 'Status', reason: 'Unauthorized' });
      }
    }
    expect((await askHealth(healthPort, '/readyz')).code).toBe(200);
    report(
      'Who may call',
      '--client-ca: certificates none, foreign, expired, for servers, self-made',
      `${callers.length * 3} calls refused with 401 and the reason, the right one answered`,
    );
  });

  it('a body is not read from somebody who may not call', async () => {
    const { port } = await start('--client-ca', caFile);
    const socket = await tls(port);
    socket.write(requestBytes('', { 'content-length': String(9 * 1024 * 1024) }));
    const { text, ended } = await collect(socket, 5000);
    expect(text).toMatch(/^HTTP\/1.1 401 /);
    expect(text.toLowerCase()).toContain('connection: close');
    expect(ended).toBe(true);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'a %s session cannot be resumed into a verdict that its holder never had',
    async (version) => {
      const { port } = await start('--client-ca', caFile);
      const options = { minVersion: version, maxVersion: version };
      const first = await tls(port, options);
      const session = await new Promise<Buffer | undefined>((resolve) => {
        first.once('session', resolve);
        setTimeout(() => resolve(first.getSession()), 300);
        first.write(requestBytes('{}').replace('content-length: 2', 'content-length: 9'));
      });
      first.destroy();
      const second = await tls(port, { ...options, ...(session && { session }) });
      expect(second.isSessionReused()).toBe(false);
      second.write(requestBytes('{}'));
      expect((await collect(second, 3000)).text).toMatch(/^HTTP\/1.1 401 /);
    },
  );

  it('a change of the file counts without a restart, a change of the serving pair changes nothing about it, and a broken file changes nothing at all', async () => {
    const program = await start('--client-ca', caFile);
    const { port } = program;
    const other = await foreign.issue();
    expect((await askAs(port, other)).code).toBe(401);

    await writeFile(caFile, `${trusted.pem}${foreign.pem}`);
    await eventually(async () => (await askAs(port, other)).code === 200);
    expect((await askAs(port, apiserver)).code).toBe(200);

    const pair = await makeServingPair({ commonName: 'next' });
    await writeFile(join(program.directory, 'tls.key'), pair.keyPem);
    await writeFile(join(program.directory, 'tls.crt'), pair.certPem);
    await eventually(async () => (await peerName(port)) === 'next');
    expect([(await askAs(port, undefined)).code, (await askAs(port, other)).code]).toEqual([401, 200]);

    await writeFile(caFile, 'nonsense');
    await eventually(async () =>
      (await askHealth(program.healthPort, '/readyz')).body.includes('no PEM-encoded X.509 certificates'),
    );
    expect([(await askAs(port, undefined)).code, (await askAs(port, apiserver)).code]).toEqual([401, 200]);

    await writeFile(caFile, foreign.pem);
    await eventually(async () => (await askAs(port, apiserver)).code === 401);
    expect((await askAs(port, other)).code).toBe(200);
    report(
      'Who may call',
      'file of --client-ca extended, broken, replaced; serving pair replaced',
      'each counts within 2 s, a broken one not at all',
    );
  });

  it('a file that cannot be used keeps the server from starting', async () => {
    const file = join(directory, 'bad.crt');
    await writeFile(file, apiserver.cert);
    await expect(Program.start({ args: ['--client-ca', file] })).rejects.toThrow(/is not the certificate of a CA/);
    await expect(Program.start({ args: ['--client-ca', join(directory, 'missing')] })).rejects.toThrow(/ENOENT/);
  });
});

describe('with --client-cn', () => {
  it('only the named ones of those are answered', async () => {
    const { port } = await start('--client-ca', caFile, '--client-cn', 'apiserver, second');
    expect((await askAs(port, apiserver)).code).toBe(200);
    expect((await askAs(port, await trusted.issue({ names: ['second'] }))).code).toBe(200);
    for (const names of [
      ['apiserver2'],
      ['APISERVER'],
      ['other', 'apiserver'],
      ['apiserver', 'other'],
      ['apiserver, second'],
      [],
    ]) {
      const { code, message } = await askAs(port, await trusted.issue({ names }));
      expect([names, code, message]).toEqual([names, 401, expect.stringContaining('none of --client-cn')]);
    }
    expect((await askAs(port, await foreign.issue())).code).toBe(401);
    report(
      'Who may call',
      '--client-cn: two names',
      'both answered; six others, lists and look-alikes refused with 401',
    );
  });

  it('needs --client-ca, and names', () => {
    const problems = (...args: string[]): unknown => parseServe(['--policies', 'p', ...args], {});
    expect(problems('--client-cn', 'a')).toEqual({
      kind: 'problems',
      problems: ['--client-cn: needs --client-ca, for the CAs whose certificates have these names'],
    });
    expect(problems('--client-ca', 'f', '--client-cn', 'a,,b')).toEqual({
      kind: 'problems',
      problems: ['--client-cn: must be a comma list of names, not "a,,b"'],
    });
    expect(problems('--client-ca', 'f', '--client-cn', 'a, b')).toMatchObject({
      config: { clientCa: 'f', clientNames: ['a', 'b'] },
    });
  });
});

async function selfMade(): Promise<Identity> {
  const { certPem, keyPem } = await makeServingPair({ commonName: 'apiserver' });
  return { cert: certPem, key: keyPem };
}

async function peerName(port: number): Promise<string> {
  const socket = await tls(port);
  const name: unknown = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return String(name);
}

it('kept connections of a caller that may call are served one request after the other', async () => {
  const { port } = await start('--client-ca', caFile);
  const agent = keepAlive(apiserver);
  for (let count = 0; count < 50; count += 1) expect((await ask(port, { agent })).code).toBe(200);
  agent.destroy();
});
