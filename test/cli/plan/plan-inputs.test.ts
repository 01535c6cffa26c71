import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const policy = (spec: string): string =>
  `apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: all }\nspec: ${spec}\n`;
const POD =
  'apiVersion: v1\nkind: Pod\nmetadata: { name: web, labels: { a: b } }\nspec: { containers: [{ name: app }] }\n';
const DENY = policy('{ checks: { required-liveness: { action: Deny } } }');

interface Options {
  readonly from?: string;
  readonly args?: readonly string[];
  readonly run?: Parameters<typeof runProbewright>[1];
}

/** Plans a change to a policy for a text, with an old policy if there is one. */
async function plan(text: string, change: string | undefined, { from, args = [], run }: Options = {}): Promise<Ran> {
  const write = async (name: string, content: string): Promise<string> => {
    await writeFile(join(directory, name), content);
    return join(directory, name);
  };
  const given = [
    ...(change === undefined ? [] : ['--policies', await write('new.yaml', change)]),
    ...(from === undefined ? [] : ['--from', await write('old.yaml', from)]),
    await write('web.yaml', text),
  ];
  return await runProbewright(['plan', ...given, ...args], { directory, ...run });
}

describe('the exit code of a plan', () => {
  const warn = DENY.replace('Deny', 'Warn');
  const probe = policy('{ containers: ["*"], probes: { livenessProbe: { exec: { command: [a] } } } }');

  it.each([
    ['any', DENY, 1],
    ['any', warn, 1],
    ['any', probe, 1],
    ['warned', DENY, 1],
    ['warned', warn, 1],
    ['warned', probe, 0],
    ['denied', DENY, 1],
    ['denied', warn, 0],
    ['denied', probe, 0],
  ])('with --fail-on %s for a policy', async (failOn, change, code) => {
    expect((await plan(POD, change, { args: ['--fail-on', failOn] })).code).toBe(code);
  });

  it('is 0 without an effect, for every --fail-on', async () => {
    for (const failOn of ['any', 'warned', 'denied'])
      expect((await plan(POD, DENY, { from: DENY, args: ['--fail-on', failOn] })).code).toBe(0);
  });

  it('is 2 if an input cannot be read, although the plan of the others is printed', async () => {
    const { code, stdout, stderr } = await plan(`${POD}---\n- no object\n`, DENY);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^1 workload violates required-liveness \(Deny\)\n/);
    expect(stderr).toMatch(/^DIR\/web\.yaml:\d+:1: is no Kubernetes object\n$/);
  });

  it('is 2 without a plan if a policy cannot be read', async () => {
    const { code, stdout, stderr } = await plan(POD, DENY.replace('Deny', 'Denied'));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('DIR/new.yaml:4:');
  });
});

describe('inputs without an object', () => {
  const hint = 'probewright plan: the inputs have no Kubernetes object, so the plan is empty\n';

  it('are told, and the plan is empty', async () => {
    const { code, stdout, stderr } = await plan('# nothing\n', DENY);
    expect([code, stderr]).toEqual([0, hint]);
    expect(stdout).toMatch(/^Plan: /);
  });

  it('are not told where one object is there, or where one cannot be read', async () => {
    expect((await plan(POD, DENY)).stderr).toBe('');
    expect((await plan('- no object\n', DENY)).stderr).not.toContain(hint);
  });
});

describe('a new policy whose probes cannot do well', () => {
  const READY = policy('{ containers: ["*"], kubernetesProbeEndpoints: { livenessProbe: /ready } }');

  it('is named with its field and the check, on standard error', async () => {
    const { stdout, stderr } = await plan(POD, READY);
    expect(stderr).toMatch(
      /^probewright plan: ClusterProbePolicy\/all: spec\.kubernetesProbeEndpoints\.livenessProbe: .* \([a-z-]+\)\n$/,
    );
    expect(stdout).toMatch(/^Plan: /);
  });

  it('is not named among the old ones', async () => {
    expect((await plan(POD, DENY.replace('all', 'other'), { from: READY })).stderr).toBe('');
  });
});

describe('a policy that is removed', () => {
  it('is taken away from the old ones', async () => {
    const { code, stdout, stderr } = await plan(POD, undefined, {
      from: DENY,
      args: ['--remove', 'ClusterProbePolicy/all'],
    });
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain('1 workload no longer violates required-liveness (was Deny)');
  });

  it('must be known, also if it is the only one', async () => {
    const { code, stdout } = await plan(POD, DENY, { args: ['--remove', 'ProbePolicy/payments/checkout-service'] });
    expect([code, stdout]).toEqual([2, '']);
  });

  it('must be known: else there is no plan, and a similar name is suggested', async () => {
    const args = ['--remove', 'ClusterProbePolicy/al', '--remove', 'ProbePolicy/payments/checkout-service'];
    expect(await plan(POD, undefined, { from: DENY, args })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'probewright plan: --remove: there is no ClusterProbePolicy/al; did you mean "ClusterProbePolicy/all"?\n' +
        'probewright plan: --remove: there is no ProbePolicy/payments/checkout-service\n',
    });
  });
});

describe('the progress of a plan', () => {
  it('counts workloads for a person who waits, and is removed before the plan', async () => {
    let clock = 0;
    const run = { columns: 80, monotonic: () => (clock += 600) };
    const { stderr } = await plan(`${POD}---\n${POD.replace('web', 'api')}`, DENY, { run });
    const bars = stderr.split('\r\u001b[K').filter((bar) => bar.startsWith('planning'));
    expect(bars.map((bar) => bar.replace(/\d+ s$/, 'N s'))).toEqual([
      'planning  0 of 2 workloads, N s',
      'planning  1 of 2 workloads, N s',
    ]);
    expect(stderr.endsWith('\r\u001b[K')).toBe(true);
  });
});
