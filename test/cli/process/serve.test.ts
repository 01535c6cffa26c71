import { spawn, type ChildProcess } from 'node:child_process';
import https from 'node:https';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectValidReply } from '../../support/protocol.ts';
import { appContainer, pod, reviewOf } from '../../support/worlds.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const review = reviewOf(pod([appContainer()]));
const uid = String(review.request['uid']);
const main = join(import.meta.dirname, '../../../src/main.ts');
const policies = join(import.meta.dirname, '../../../examples/policies');

let directory: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

afterEach(() => {
  child?.kill('SIGKILL');
});

interface Started {
  readonly port: number;
  readonly stderr: () => string;
  readonly exited: Promise<number | null>;
}

/** Starts the real program in an empty directory; resolves once it serves, or has ended. */
function serve(args: string[], env: Record<string, string> = {}): Promise<Started> {
  const process_ = spawn(process.execPath, [main, 'serve', ...args], { cwd: directory, env });
  child = process_;
  let stderr = '';
  let stdout = '';
  process_.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = new Promise<number | null>((resolve) => process_.on('close', resolve));
  return new Promise((resolve) => {
    void exited.then(() => resolve({ port: 0, stderr: () => stderr, exited }));
    process_.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const port = /"port":(\d+).*"msg":"serving"/.exec(stdout)?.[1];
      if (port !== undefined) resolve({ port: Number(port), stderr: () => stderr, exited });
    });
  });
}

const local = ['--policies', policies, '--host', '127.0.0.1', '--port', '0', '--health-port', '0'];

function ask(port: number, agent: https.Agent): Promise<{ code: number | undefined; closing: boolean; body: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: '/mutate?timeout=10s',
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json' },
    };
    https
      .request(options, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        response.on('end', () =>
          resolve({ code: response.statusCode, closing: response.headers.connection === 'close', body }),
        );
      })
      .on('error', reject)
      .end(JSON.stringify(review));
  });
}

describe('probewright serve', () => {
  it('makes a development pair, names its CA, and answers', async () => {
    const { port, stderr } = await serve(local);
    expect(stderr()).toContain('its CA is certs/ca.crt');
    const { code, body } = await ask(port, new https.Agent({ rejectUnauthorized: false }));
    expect(code).toBe(200);
    expect(expectValidReply('mutate', uid, JSON.parse(body)).patch).toBeDefined();
  });

  it('loses no request when SIGTERM comes under load, and exits 0', async () => {
    const { port, exited } = await serve([...local, '--drain-seconds', '1']);
    let answered = 0;
    // Like the API server: keeps its connection until an answer says that it will be closed, then goes to another replica.
    const client = async (): Promise<void> => {
      const agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
      for (;;) {
        const { code, closing, body } = await ask(port, agent);
        expect(code).toBe(200);
        expectValidReply('mutate', uid, JSON.parse(body));
        answered += 1;
        if (closing) return;
      }
    };
    const clients = Array.from({ length: 8 }, client);
    while (answered < 100) await new Promise((resolve) => setTimeout(resolve, 5));
    child?.kill('SIGTERM');
    await Promise.all(clients);
    expect(await exited).toBe(0);
  });

  it('takes settings from the environment, and a flag wins over it', async () => {
    const env = {
      PROBEWRIGHT_POLICIES: policies,
      PROBEWRIGHT_HOST: '127.0.0.1',
      PROBEWRIGHT_PORT: 'nonsense',
      PROBEWRIGHT_HEALTH_PORT: '0',
    };
    const { port } = await serve(['--port', '0'], env);
    expect((await ask(port, new https.Agent({ rejectUnauthorized: false }))).code).toBe(200);
  });

  it('reports every bad setting at once, by the name it was given under, and exits 2', async () => {
    const { stderr, exited } = await serve(['--prot', '1', 'extra', '--mutation', 'on', '--tls-cert', 'x', '--host'], {
      PROBEWRIGHT_HEALTH_PORT: '70000',
    });
    expect(await exited).toBe(2);
    expect(stderr().trimEnd().split('\n')).toEqual([
      'probewright serve: --prot: unknown flag; did you mean --port?',
      'probewright serve: --host: needs a value',
      'probewright serve: extra: serve takes no arguments, only flags',
      'probewright serve: PROBEWRIGHT_HEALTH_PORT: must be a whole number from 0 to 65535, not "70000"',
      'probewright serve: --mutation: must be On, Audit, Off, not "on"; did you mean "On"?',
      'probewright serve: --policies: must be given, or --kubeconfig for policies in a cluster',
      'probewright serve: --tls-key: must be given together with --tls-cert',
      'Run "probewright serve --help" for the flags.',
    ]);
  });

  it('prints every problem of bad policies as file:line:column and exits 2', async () => {
    const { stderr, exited } = await serve([
      '--policies',
      join(import.meta.dirname, '../../fixtures/policies/bad'),
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--health-port',
      '0',
    ]);
    expect(await exited).toBe(2);
    expect(stderr()).toMatch(/team\.yaml:8:3: spec\.prot: unknown field; did you mean "port"\?\n/);
    expect(stderr()).toMatch(
      /team\.yaml:17:5: spec\.kubernetesProbeEndpoints\.liveness: unknown probe; did you mean "livenessProbe"\?\n/,
    );
    expect(stderr()).toContain('2 problem(s) in the policies');
  });

  it('says so when its port is taken, and exits 2', async () => {
    const { port } = await serve(local);
    const first = child;
    const { stderr, exited } = await serve([
      '--policies',
      policies,
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--health-port',
      '0',
    ]);
    expect(await exited).toBe(2);
    expect(stderr()).toContain(
      `probewright serve: --port: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
    );
    first?.kill('SIGKILL');
  });
});
