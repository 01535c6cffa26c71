import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { makeServingPair } from '../support/certificate.ts';
import { isWithoutHelm, one, render, valuesFiles, type Manifest } from './helm.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { AddressInfo } from 'node:net';

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { kind: string; metadata: { name: string; namespace: string } };
}

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Record<string, string>;
}

interface TestPod extends Manifest {
  readonly spec: {
    readonly containers: readonly { env: { name: string; value: string }[]; volumeMounts: object[] }[];
    readonly volumes: readonly object[];
  };
}

/** An API server with webhooks as they should be. */
function goodServer({ body }: Asked): Answer {
  if (body.metadata.name === 'probewright-test-bad') {
    const message = 'admission webhook "validate-workloads.probewright.dev" denied the request: ... (named-port)';
    return { status: 403, body: { kind: 'Status', message } };
  }
  if (body.kind !== 'Pod') return { status: 201, body };
  const containers = [{ name: 'app', livenessProbe: { httpGet: { path: '/live', port: 'http' } } }];
  return { status: 201, body: { ...body, spec: { containers } } };
}

describe('the script of `helm test`', () => {
  let directory: string;
  let server: Server;
  let asked: Asked[];
  let answer: (request: Asked) => Answer;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    const { certPem, keyPem, caPem } = await makeServingPair({
      commonName: 'api',
      ipAddresses: ['127.0.0.1'],
      dnsNames: ['localhost'],
    });
    await writeFile(join(directory, 'ca.crt'), caPem);
    await writeFile(join(directory, 'token'), 'secret-token\n');
    asked = [];
    server = createServer({ cert: certPem, key: keyPem }, (incoming, outgoing) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
      incoming.on('end', () => {
        const request = {
          path: incoming.url ?? '',
          authorization: incoming.headers.authorization,
          body: JSON.parse(text) as Asked['body'],
        };
        asked.push(request);
        const { status, body, headers } = answer(request);
        outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });

  afterEach(async () => {
    server.close();
    await rm(directory, { recursive: true });
  });

  /** As the Pod runs it: loaded before the program, with the program's own arguments. */
  function prove(env: Record<string, string> = {}): Promise<{ code: number | null; output: string }> {
    const script = join(import.meta.dirname, '../..', CHART, 'files/prove.mjs');
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), 'version'], {
      env: {
        NODE_OPTIONS: `--import=file://${script}`,
        KUBERNETES_SERVICE_HOST: '127.0.0.1',
        KUBERNETES_SERVICE_PORT: String((server.address() as AddressInfo).port),
        SERVICE_ACCOUNT_DIRECTORY: directory,
        TEST_NAMESPACE: 'shop',
        WAIT_SECONDS: '0',
        ...env,
      },
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
  }

  it('passes where the webhooks are at work, and stores nothing', async () => {
    answer = goodServer;
    const { code, output } = await prove();
    expect(output).toContain('ok   a Deployment without faults: accepted');
    expect(output).toContain('denied, as it should be: admission webhook "validate-workloads.probewright.dev"');
    expect(output).toContain('ok   a Pod with an annotation for a probe');
    expect(output).toMatch(/Probewright is at work\.\n$/);
    expect(code).toBe(0);
    expect(asked.map(({ path }) => path)).toEqual([
      '/apis/apps/v1/namespaces/shop/deployments?dryRun=All',
      '/apis/apps/v1/namespaces/shop/deployments?dryRun=All',
      '/api/v1/namespaces/shop/pods?dryRun=All',
    ]);
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer secret-token']));
  });

  it('fails where nothing is called, and says what to look at', async () => {
    answer = ({ body }) => ({ status: 201, body });
    const { code, output } = await prove();
    expect(code).toBe(1);
    expect(output).toContain('FAIL a Deployment whose probe names a port that it has not: accepted');
    expect(output).toContain('has it a caBundle');
    expect(output).toContain('2 of 3 failed.');
  });

  it('waits for webhooks that are not at work yet', async () => {
    answer = (request) => (asked.length < 4 ? { status: 201, body: request.body } : goodServer(request));
    expect(await prove({ WAIT_SECONDS: '30' })).toMatchObject({ code: 0 });
    expect(asked.length).toBe(5);
  });

  it('expects a warning under Warn, and no patch under Audit', async () => {
    answer = ({ body }) => {
      const isBad = body.metadata.name === 'probewright-test-bad';
      return { status: 201, body, ...(isBad && { headers: { warning: '299 - "... (named-port)"' } }) };
    };
    const { code, output } = await prove({ ENFORCEMENT: 'Warn', MUTATION: 'Audit' });
    expect(output).toContain('accepted with a warning');
    expect(output).toContain('left alone, as mutation Audit says');
    expect(code).toBe(0);
  });

  it('says so under Audit, where an answer tells nothing', async () => {
    answer = ({ body }) => ({ status: 201, body });
    const { code, output } = await prove({ ENFORCEMENT: 'Audit', TEST_MUTATION: 'false' });
    expect(output).toContain('audit log and metrics only');
    expect(code).toBe(0);
  });

  it('tells a namespace that is not there, and an API server that does not answer', async () => {
    answer = () => ({ status: 404, body: { message: 'namespaces "shop" not found' } });
    expect((await prove()).output).toContain('is there a namespace shop? tests.namespace names it');
    const { code, output } = await prove({ KUBERNETES_SERVICE_PORT: '1' });
    expect(output).toContain('the API server cannot be asked: connect ECONNREFUSED');
    expect(code).toBe(1);
  });

  it.skipIf(isWithoutHelm('prove.tools.test.ts'))('is what the Pod of the chart runs, with what it needs', () => {
    const manifests = render();
    const pod = one<TestPod>(manifests, 'Pod');
    const [container] = pod.spec.containers;
    const script = readFileSync(`${CHART}/files/prove.mjs`, 'utf8').trim();
    expect(pod.metadata.annotations?.['prove.mjs']).toBe(script);
    const fieldRef = { fieldPath: "metadata.annotations['prove.mjs']" };
    expect(pod.spec.volumes).toContainEqual({
      name: 'test',
      downwardAPI: { items: [{ path: 'prove.mjs', fieldRef }] },
    });
    expect(container?.volumeMounts).toContainEqual({
      name: 'test',
      mountPath: '/etc/probewright/test',
      readOnly: true,
    });
    expect(Object.fromEntries(container?.env.map(({ name, value }) => [name, value]) ?? [])).toEqual({
      NODE_OPTIONS: '--import=file:///etc/probewright/test/prove.mjs',
      TEST_NAMESPACE: 'default',
      TEST_MUTATION: 'true',
      WAIT_SECONDS: '60',
      ENFORCEMENT: 'Deny',
      MUTATION: 'On',
    });
    expect(render({ namespace: 'default' }).some(({ kind }) => kind === 'Pod')).toBe(false);
  });
  // Helm prints the log of a Pod once for each hook of its name, whatever the hook's kind.
  it.skipIf(isWithoutHelm('prove.tools.test.ts')).each(valuesFiles())(
    'is in the one hook of the chart, with %s',
    (file) => {
      const hooksOf = (...set: string[]): string[] =>
        render({ values: [file], set }).flatMap(({ kind, metadata }) => {
          const hook = metadata.annotations?.['helm.sh/hook'];
          return hook === undefined ? [] : [`${kind} ${hook}`];
        });
      expect(hooksOf('tests.enabled=true', 'tests.namespace=shop')).toEqual(['Pod test']);
      expect(hooksOf('tests.enabled=false')).toEqual([]);
    },
  );
});
