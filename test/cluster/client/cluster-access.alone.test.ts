import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { dirname, join, relative } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { IN_CLUSTER, loadClusterAccess } from '../../../src/cluster/client/cluster-access.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { makeServingPair, type ServingPair } from '../../support/certificate.ts';
import type { AddressInfo } from 'node:net';

let directory: string;
let pair: ServingPair;
let server: Server;
let port: number;

beforeEach(async () => {
  directory = await temporaryDirectory();
  pair = await makeServingPair({ commonName: 'api' });
  // Answers who asked.
  server = createServer({ cert: pair.certPem, key: pair.keyPem, requestCert: true, rejectUnauthorized: false });
  server.on('request', (request, response) => {
    const certificate = request.socket instanceof TLSSocket ? request.socket.getPeerX509Certificate() : undefined;
    const subject = certificate?.subject.replace('CN=', '');
    response.end(JSON.stringify({ path: request.url, authorization: request.headers.authorization, subject }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

async function file(name: string, content: string): Promise<string> {
  const path = join(directory, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

interface Parts {
  readonly user?: object;
  readonly cluster?: object;
  readonly context?: object;
  readonly top?: object;
}

/** A kubeconfig for the server above, as kubectl would write it. */
async function kubeconfig({ user, cluster, context, top }: Parts = {}): Promise<string> {
  const address = { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': base64(pair.caPem) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'team', ...context } }],
    clusters: [{ name: 'c', cluster: { ...address, ...cluster } }],
    users: [{ name: 'u', user: user ?? {} }],
    ...top,
  };
  return file('config', stringify(config));
}

/** Whom the server takes us for. */
async function whoAmI(path: string, root?: string): Promise<unknown> {
  return ask(await loadClusterAccess(path, root));
}

function ask(access: Awaited<ReturnType<typeof loadClusterAccess>>): Promise<unknown> {
  return new ApiClient(access, 'test', 10_000).request({ method: 'GET', path: '/api' });
}

async function refusal(path: string, root?: string): Promise<string> {
  const error: unknown = await loadClusterAccess(path, root).catch((problem: unknown) => problem);
  expect(error).toBeInstanceOf(Error);
  return (error as Error).message;
}

describe('a kubeconfig', () => {
  it('gives server, namespace and token', async () => {
    const access = await loadClusterAccess(await kubeconfig({ user: { token: 'secret' } }));
    expect(access).toMatchObject({ server: `https://127.0.0.1:${port}`, namespace: 'team' });
    expect(await ask(access)).toEqual({ path: '/api', authorization: 'Bearer secret' });
  });

  it('may have a server below a path, with a slash at its end', async () => {
    const path = await kubeconfig({ cluster: { server: `https://127.0.0.1:${port}/k8s/clusters/c-1//` } });
    expect(await whoAmI(path)).toMatchObject({ path: '/k8s/clusters/c-1/api' });
  });

  it('gives a client certificate', async () => {
    const data = { 'client-certificate-data': base64(pair.certPem), 'client-key-data': base64(pair.keyPem) };
    expect(await whoAmI(await kubeconfig({ user: data }))).toMatchObject({ subject: 'api' });
  });

  it('names files relative to itself, wherever the process runs', async () => {
    await file('keys/ca.crt', pair.caPem);
    await file('keys/client.crt', pair.certPem);
    await file('keys/client.key', pair.keyPem);
    const user = { 'client-certificate': 'keys/client.crt', 'client-key': './keys/client.key' };
    const cluster = { 'certificate-authority-data': undefined, 'certificate-authority': 'keys/ca.crt' };
    const path = await kubeconfig({ user, cluster });
    expect(await whoAmI(path)).toMatchObject({ subject: 'api' });
    expect(await whoAmI(relative(process.cwd(), path))).toMatchObject({ subject: 'api' });
  });

  it('gives certificates as they are now when their files have been renewed', async () => {
    const write = async ({ certPem, keyPem }: ServingPair): Promise<void> => {
      await file('client.crt', certPem);
      await file('client.key', keyPem);
    };
    await write(pair);
    const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
    const access = await loadClusterAccess(await kubeconfig({ user }));
    expect(await ask(access)).toMatchObject({ subject: 'api' });
    await write(await makeServingPair({ commonName: 'renewed' }));
    expect(await ask(access)).toMatchObject({ subject: 'renewed' });
  });

  it('may keep its token in a file, which comes before a token that stands beside it', async () => {
    await file('token', 'from-file\n');
    const path = await kubeconfig({ user: { tokenFile: 'token', token: 'beside' } });
    expect(await whoAmI(path)).toMatchObject({ authorization: 'Bearer from-file' });
  });

  it('does not trust a server that its certificate authority does not vouch for', async () => {
    const { caPem } = await makeServingPair();
    const path = await kubeconfig({ cluster: { 'certificate-authority-data': base64(caPem) } });
    await expect(whoAmI(path)).rejects.toThrow(/^GET \/api: .*(certificate|signature)/);
  });
});

describe('a kubeconfig that cannot be used is refused by name and reason:', () => {
  it('no such file', async () => {
    const path = join(directory, 'nowhere');
    expect(await refusal(path)).toBe(
      `kubeconfig ${path} cannot be used: ENOENT: no such file or directory, stat '${path}'`,
    );
  });

  it('no YAML, without quoting what may be a credential', async () => {
    const path = await file('config', 'users:\n- user: {token: swordfish\nclusters: []\n');
    const message = await refusal(path);
    expect(message).toMatch(/^kubeconfig \S+ cannot be used: it is no YAML: .* at line \d+, column \d+/);
    expect(message).not.toContain('swordfish');
  });

  it.each(['', '# nothing\n', 'just text', '[1, 2]'])('no object', async (content) =>
    expect(await refusal(await file('config', content))).toMatch(/ cannot be used: it is no kubeconfig$/),
  );

  it('no current context', async () => {
    const message = / cannot be used: it has no current-context$/;
    for (const context of [undefined, ''])
      expect(await refusal(await kubeconfig({ top: { 'current-context': context } }))).toMatch(message);
  });

  it.each<[string, Parts, string]>([
    [
      'a context that it does not define',
      { top: { 'current-context': 'there' } },
      'current context "there" names no cluster that it defines',
    ],
    [
      'a cluster that it does not define',
      { context: { cluster: 'other' } },
      'current context "here" names no cluster that it defines',
    ],
    [
      'a user that it does not define',
      { context: { user: 'other' } },
      'current context "here" names the user "other", which it does not define',
    ],
    [
      'no user, whom nobody would allow anything',
      { context: { user: undefined } },
      'current context "here" names no user',
    ],
    ['a server that is no URL', { cluster: { server: '10.0.0.1' } }, 'server "10.0.0.1" is no URL'],
  ])('%s', async (_, parts, problem) => {
    const path = await kubeconfig(parts);
    expect(await refusal(path)).toBe(`kubeconfig ${path} cannot be used: its ${problem}`);
  });

  it.each([
    ['key', { 'client-certificate': 'c.crt', 'client-key': 'c.key' }, 'c.crt'],
    ['token', { tokenFile: 'token' }, 'token'],
  ])('a %s file that is missing', async (_, user, name) =>
    expect(await refusal(await kubeconfig({ user }))).toContain(
      `no such file or directory, open '${join(directory, name)}'`,
    ),
  );

  it('a certificate that is none', async () => {
    const user = { 'client-certificate-data': base64('no certificate'), 'client-key-data': base64(pair.keyPem) };
    expect(await refusal(await kubeconfig({ user }))).toMatch(/ cannot be used: its certificates are unusable: /);
  });
});

describe('in a Pod', () => {
  const account = 'var/run/secrets/kubernetes.io/serviceaccount';

  beforeEach(async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '127.0.0.1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', String(port));
    await file(`${account}/ca.crt`, pair.caPem);
    await file(`${account}/token`, 'first');
    await file(`${account}/namespace`, 'probewright\n');
  });

  it('the service account gives server, namespace and token', async () => {
    const access = await loadClusterAccess(IN_CLUSTER, directory);
    expect(access).toMatchObject({ server: `https://127.0.0.1:${port}`, namespace: 'probewright' });
    expect(await ask(access)).toEqual({ path: '/api', authorization: 'Bearer first' });
  });

  it('a token is read anew, at the latest a minute after it was renewed', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const access = await loadClusterAccess(IN_CLUSTER, directory);
    await file(`${account}/token`, 'second\n');
    vi.setSystemTime(Date.now() + 61_000);
    expect(await ask(access)).toMatchObject({ authorization: 'Bearer second' });
  });

  it('the certificate authority is read anew, so that a cluster can change it', async () => {
    const access = await loadClusterAccess(IN_CLUSTER, directory);
    const renewed = await makeServingPair({ commonName: 'api' });
    server.setSecureContext({ cert: renewed.certPem, key: renewed.keyPem });
    await expect(ask(access)).rejects.toThrow(/certificate|signature/);
    await file(`${account}/ca.crt`, renewed.caPem);
    expect(await ask(access)).toMatchObject({ authorization: 'Bearer first' });
  });

  it('an IPv6 address gets its brackets', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1');
    expect(await loadClusterAccess(IN_CLUSTER, directory)).toMatchObject({ server: `https://[fd00::1]:${port}` });
  });

  it('a missing file is told by name', async () => {
    await rm(join(directory, account, 'token'));
    expect(await refusal(IN_CLUSTER, directory)).toBe(
      'the service account of this Pod cannot be used: ENOENT: no such file or directory, ' +
        `open '${join(directory, account, 'token')}'`,
    );
  });

  it('outside of any it is said so', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
    expect(await refusal(IN_CLUSTER, directory)).toBe(
      'the service account of this Pod cannot be used: KUBERNETES_SERVICE_HOST is not set: this is no Pod of a cluster',
    );
  });
});
