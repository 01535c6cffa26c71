import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/cli/flags/parse-command-line.ts';
import { observeConfig, runObserve } from '../../../src/cli/process/observe.ts';
import { OBSERVE } from '../../../src/cli/process/observe-definition.ts';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { BUILT_INS, discovery, POLICIES, writeKubeconfig } from '../input/discovery.ts';
import { runProbewright } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let api: FakeApiServer;
beforeEach(async () => {
  api = await startFakeApiServer();
  api.intercept(discovery([...BUILT_INS, ...POLICIES]));
});
afterEach(() => api.stop());

const PORTS = ['--host', '127.0.0.1', '--health-port', '0'];

it('observe ends with 0 after a signal', async () => {
  const kubeconfig = await writeKubeconfig(await temporaryDirectory(), api, 'apps');
  const { code, stderr } = await runProbewright(['observe', '--kubeconfig', kubeconfig, ...PORTS]);
  expect([code, stderr]).toEqual([0, '']);
});

it('observe runs until the signal comes, and logs from the level of --log-level', async () => {
  const kubeconfig = await writeKubeconfig(await temporaryDirectory(), api, 'apps');
  const line = parseCommandLine(OBSERVE, ['--kubeconfig', kubeconfig, ...PORTS], {});
  if (line.kind !== 'command') throw new Error('no command line');
  let signal: (name: 'SIGTERM') => void = () => undefined;
  let stdout = '';
  let isLogged: () => void = () => undefined;
  const logged = new Promise<void>((resolve) => (isLogged = resolve));
  const running = runObserve(line, {
    env: {},
    stdout: { write: (text) => ((stdout += text), isLogged()) },
    stderr: { write: () => undefined },
    stdoutColumns: undefined,
    stderrColumns: undefined,
    readStdin: () => Promise.resolve(''),
    now: () => 0,
    monotonic: () => 0,
    isKubectlPlugin: false,
    untilSignal: () => new Promise((resolve) => (signal = resolve)),
  });
  let isEnded = false;
  void running.then(() => (isEnded = true));
  await logged;
  await new Promise((resolve) => setImmediate(resolve));
  expect([isEnded, stdout.includes('"level"')]).toEqual([false, true]);
  signal('SIGTERM');
  expect(await running).toBe(0);
});

it('observe ends with 2 and says why when it cannot start', async () => {
  const { code, stderr } = await runProbewright(['observe', '--kubeconfig', 'nowhere.yaml', ...PORTS]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^probewright observe: .*nowhere\.yaml/);
});

it('observe names each problem of policies in files, and ends with 2', async () => {
  const directory = await temporaryDirectory();
  const kubeconfig = await writeKubeconfig(directory, api, 'apps');
  const policy =
    'apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: p, namespace: a }\nspec: { prot: 1 }\n';
  await mkdir(join(directory, 'policies'));
  await writeFile(join(directory, 'policies', 'p.yaml'), policy);
  const args = ['observe', '--kubeconfig', kubeconfig, '--policies', join(directory, 'policies'), ...PORTS];
  const { code, stderr } = await runProbewright(args, { directory });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^DIR\/policies\/p\.yaml:4:\d+: .*prot.*\nprobewright observe: /);
});

it('the settings of observe have the connection apart, and learn start times unless --startups is false', () => {
  const config = (...more: string[]): ReturnType<typeof observeConfig> => {
    const line = parseCommandLine(OBSERVE, ['--kubeconfig', 'k', ...more], {});
    if (line.kind !== 'command') throw new Error('no command line');
    return observeConfig(line.flags);
  };
  expect(config()).toMatchObject({
    learnsStarts: true,
    scanInterval: 3_600_000,
    webhookConfiguration: '00-probewright',
    cluster: { kubeconfig: 'k', lease: 'probewright-observer', readsServices: true, policyBudget: 8_388_608 },
  });
  expect(config('--startups', 'false', '--services', 'false')).toMatchObject({
    learnsStarts: false,
    cluster: { readsServices: false },
  });
});
