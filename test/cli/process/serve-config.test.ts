import { describe, expect, it } from 'vitest';
import { parseServe } from '../parse-serve.ts';
import { runProbewright } from '../run-probewright.ts';
import type { ServeConfig } from '../../../src/webhook/config.ts';

function configOf(line: string): ServeConfig {
  const parsed = parseServe(line.split(' '), {});
  if ('problems' in parsed) throw new Error(parsed.problems.join());
  return parsed.config;
}

describe('the settings of the server', () => {
  it('accept all names of clients, and no more controllers, unless flags say so', () => {
    expect(configOf('--policies p')).toMatchObject({
      clientNames: [],
      controllers: { accounts: [], foreignServiceAccounts: true },
      cluster: undefined,
    });
    const flags = '--client-ca c --client-cn a,b --trusted-controllers x,y --trust-foreign-service-accounts false';
    expect(configOf(`--policies p ${flags}`)).toMatchObject({
      clientNames: ['a', 'b'],
      controllers: { accounts: ['x', 'y'], foreignServiceAccounts: false },
    });
  });

  it('have a cluster with a kubeconfig only', () => {
    expect(configOf('--kubeconfig in-cluster --services false --policy-budget 1').cluster).toMatchObject({
      kubeconfig: 'in-cluster',
      readsServices: false,
      readsStartupProfiles: true,
      policyBudget: 1_048_576,
    });
  });
});

it('serve says in its own name why it cannot start, and ends with 2', async () => {
  const { code, stderr } = await runProbewright([
    'serve',
    '--policies',
    'nowhere',
    '--port',
    '0',
    '--health-port',
    '0',
  ]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/probewright serve: .*nowhere/);
});
