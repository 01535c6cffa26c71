import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { COMMAND_TABLE, type CommandName } from '../../src/cli/command-table.ts';
import { makeServingPair } from '../support/certificate.ts';
import { freePorts } from '../e2e/processes.ts';
import { kubeconfigOf, startFakeApiServer, type FakeApiServer } from '../cluster/client/fake-api-server.ts';
import { deployment, deploymentsOf, DEPLOYMENTS, OPEN_REPORTS, PODS } from '../observer/observed-cluster.ts';
import { endOf, ENDS } from '../support/no-result.ts';
import { oldNode } from '../support/old-node.ts';
import { askHealth } from './client.ts';
import { POLICY } from './program.ts';
import type { CommandDefinition } from '../../src/cli/flags/flag.ts';

const program = join(inject('builtProgram'), 'probewright.js');
let directory: string;
let api: FakeApiServer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'probewright-entry-points-'));
  api = await startFakeApiServer();
  api.serve([DEPLOYMENTS, PODS, OPEN_REPORTS]);
  api.put(deploymentsOf('apps'), deployment('web', 'http'));
  const { certPem, keyPem } = await makeServingPair();
  await mkdir(join(directory, 'policies'));
  await mkdir(join(directory, 'manifests'));
  const files: Readonly<Record<string, string>> = {
    config: kubeconfigOf(api.access.server, 'apps'),
    'tls.crt': certPem,
    'tls.key': keyPem,
    'policies/all.yaml': POLICY,
    'manifests/web.json': JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', ...deployment('web', 'http') }),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
});
afterAll(async () => {
  await api.stop();
  await rm(directory, { recursive: true });
});

const FILES = ['manifests', '--policies', 'policies'];
const CLUSTER = ['--kubeconfig', 'config', '--all-namespaces'];
/** The only input of krm-function; the other commands read no standard input. */
const RESOURCE_LIST = JSON.stringify({ apiVersion: 'config.kubernetes.io/v1', kind: 'ResourceList', items: [] });
const TLS = ['--tls-cert', 'tls.crt', '--tls-key', 'tls.key'];

/** How each command is started: once without a cluster and once with one, where it has the choice. */
const STARTS: Readonly<Record<CommandName, readonly (readonly string[])[]>> = {
  serve: [
    ['--policies', 'policies', ...TLS],
    ['--kubeconfig', 'config', ...TLS],
    ['--kubeconfig', 'config'],
  ],
  observe: [['--kubeconfig', 'config']],
  check: [FILES, CLUSTER],
  fix: [FILES],
  try: [['manifests', '--address', '127.0.0.1', '--count', '1']],
  explain: [FILES, CLUSTER],
  plan: [FILES, ['--policies', 'policies', ...CLUSTER]],
  export: [['--policies', 'policies']],
  report: [FILES, CLUSTER],
  snapshot: [['manifests'], CLUSTER],
  starts: [['manifests'], CLUSTER],
  lsp: [['--stdio']],
  'krm-function': [[]],
  checks: [[], ['named-port']],
  completion: [['bash'], ['zsh'], ['fish']],
  help: [[], ['check']],
  version: [[]],
};

/** The first message of an editor. */
const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { processId: null, rootUri: null, capabilities: {} },
});
const HELLO = `Content-Length: ${INITIALIZE.length}\r\n\r\n${INITIALIZE}`;

const portFlags = ({ flags }: CommandDefinition): string[] =>
  Object.entries(flags).flatMap(([flag, { isRepeatable }]) =>
    !isRepeatable && /^(.+-)?port$/.test(flag) ? [flag] : [],
  );
const isServer = (definition: CommandDefinition): boolean => portFlags(definition).length > 0;
const DEFINITIONS: Readonly<Record<CommandName, CommandDefinition>> = COMMAND_TABLE;
const cases = Object.values(DEFINITIONS).flatMap((definition) =>
  STARTS[definition.name as CommandName].map((args) => ({
    definition,
    args,
    line: [definition.name, ...args].join(' '),
  })),
);

describe('the bundle', () => {
  it('is started here with every command of the table', () =>
    expect(Object.keys(STARTS).sort()).toEqual(Object.keys(COMMAND_TABLE).sort()));

  it.each(cases.filter(({ definition }) => !isServer(definition)))('runs $line', async ({ definition, args }) => {
    const child = spawn(process.execPath, [program, definition.name, ...args], { cwd: directory, env: {} });
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    // An editor waits for the answer before it goes.
    if (definition.name === 'lsp') child.stdout.once('data', () => child.stdin.end());
    if (definition.name === 'lsp') child.stdin.write(HELLO);
    else child.stdin.end(RESOURCE_LIST);
    const [code] = (await once(child, 'close')) as [number];
    // 1 = a violation is denied, or something would change.
    expect([0, 1], errors).toContain(code);
    expect(output, errors).not.toBe('');
    expect(errors).not.toMatch(/^\s+at /m);
  });

  it.each(cases.filter(({ definition }) => isServer(definition)))(
    'runs $line, and answers on every port',
    async ({ definition, args }) => {
      const flags = portFlags(definition);
      const ports: number[] = [];
      for (let index = 0; index < flags.length; index++) ports.push(...(await freePorts(1)));
      const given = flags.flatMap((flag, index) => [`--${flag}`, String(ports[index])]);
      const line = [program, definition.name, ...args, '--host', '127.0.0.1', ...given];
      const child = spawn(process.execPath, line, { cwd: directory, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text));
      const exited = once(child, 'exit');
      try {
        for (const port of ports)
          await untilConnected(
            port,
            () => child.exitCode ?? undefined,
            () => output,
          );
        const health = ports[flags.indexOf('health-port')] ?? 0;
        expect((await askHealth(health, '/livez')).code).toBe(200);
        const page = ports[flags.indexOf('dashboard-port')];
        // 503 until the policies are read.
        if (page !== undefined) expect([200, 503]).toContain((await askHealth(page, '/')).code);
      } finally {
        child.kill('SIGKILL');
        await exited;
      }
    },
  );

  it.each(ENDS)('ends with the code 2 and says so for a command $how', ({ before, says }) => {
    const { code, stdout, stderr } = endOf(program, before);
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
  });

  it('tells an old Node which Node it needs, and how to get it', () => {
    const { command, version } = oldNode();
    const [node, ...first] = command;
    const { status, stdout, stderr } = spawnSync(node, [...first, program, 'check', '.'], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr:
        `probewright: needs Node.js 22 or later, not ${version}; install one from https://nodejs.org, ` +
        'or with a version manager, for example "nvm install 24"\n',
    });
  });
});

/** Resolves once a port accepts connections. Rejects when the program has ended. */
async function untilConnected(port: number, ended: () => number | undefined, output: () => string): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    if (ended() !== undefined) throw new Error(`ended with ${ended() ?? ''}: ${output()}`);
    await sleep(50);
  }
}
