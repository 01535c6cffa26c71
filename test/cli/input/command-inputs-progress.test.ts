import { expect, it } from 'vitest';
import { startFakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { runProbewright } from '../run-probewright.ts';
import { BUILT_INS, discovery, writeKubeconfig } from './discovery.ts';

/** A terminal on which each look at the clock is a second later. */
function terminal(): { readonly columns: number; readonly monotonic: () => number } {
  let now = 0;
  return { columns: 80, monotonic: () => (now += 1000) };
}

const CLEARED = '\r\u001b[K';

it('the line of progress is gone before a message says why a cluster cannot be read', async () => {
  const api = await startFakeApiServer();
  api.intercept(discovery(BUILT_INS));
  const kubeconfig = await writeKubeconfig(await temporaryDirectory(), api, 'shop');
  const { code, stderr } = await runProbewright(['check', '--kubeconfig', kubeconfig, '-n', 'shop'], terminal());
  await api.stop();
  expect(code).toBe(2);
  expect(stderr.split(CLEARED).slice(-2)).toEqual([
    expect.stringMatching(/^reading {2}/),
    expect.stringMatching(/^probewright check: namespace "shop" does not exist/),
  ]);
});

it('the line of progress is gone before a message says that a file cannot be read', async () => {
  const stdin = 'kind: Pod\napiVersion: v1\n---\na: [';
  const { stderr } = await runProbewright(['check', '-'], { stdin, ...terminal() });
  expect(stderr).toContain('reading ');
  expect(stderr.split(CLEARED).filter((part) => part.startsWith('reading ') && part.includes('\n'))).toEqual([]);
});

it('a file of values that cannot be read ends the command before a manifest is read', async () => {
  const { code, stderr } = await runProbewright(['check', '-', '--values', 'nowhere.yaml'], { stdin: '' });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^probewright check: --values: nowhere\.yaml cannot be read: /);
});
