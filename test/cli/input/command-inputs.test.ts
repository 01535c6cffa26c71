import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CHECK } from '../../../src/cli/check/definition.ts';
import { parseCommandLine } from '../../../src/cli/flags/parse-command-line.ts';
import { readAnyInputs } from '../../../src/cli/input/command-inputs.ts';
import { readCommandInputs } from '../../../src/cli/input/read-inputs.ts';
import { UsageError, type CommandIo } from '../../../src/cli/io.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

const at = (...names: string[]): string => join(directory, ...names);
const POLICY =
  'apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: p, namespace: shop }\nspec: {}\n';

interface Terminal extends CommandIo {
  readonly shown: () => string;
}

/** An input and output whose standard error is a terminal, on which each look at the clock is a second later. */
function terminal(stdin = ''): Terminal {
  let stderr = '';
  let now = 0;
  return {
    env: {},
    stdout: { write: () => undefined },
    stderr: { write: (text) => (stderr += text) },
    stdoutColumns: undefined,
    stderrColumns: 80,
    readStdin: () => Promise.resolve(stdin),
    now: () => 5,
    monotonic: () => (now += 1000),
    untilSignal: () => Promise.resolve('SIGINT'),
    shown: () => stderr,
  };
}

function lineOf(...args: readonly string[]) {
  const line = parseCommandLine(CHECK, args, {});
  if (line.kind !== 'command') throw new Error(JSON.stringify(line));
  return line;
}

const CONFIG = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\n';

describe('the inputs of a command line with files', () => {
  it('are judged as now and in the namespace default, unless flags say otherwise', async () => {
    expect(await readAnyInputs('check', lineOf('-'), terminal())).toMatchObject({
      world: {
        isFromCluster: false,
        now: 5,
        namespace: 'default',
      },
    });
    const line = lineOf('-', '--now', '1970-01-01T00:00:01Z', '-n', 'shop', '--kubernetes-version', '1.30');
    expect(await readAnyInputs('check', line, terminal())).toMatchObject({
      world: {
        now: 1000,
        namespace: 'shop',
        kubernetesVersion: '1.30',
      },
    });
  });

  it('have the policies of --policies, and those of a change apart', async () => {
    await writeFile(at('p.yaml'), POLICY);
    await writeFile(at('n.yaml'), POLICY.replace('name: p', 'name: new'));
    const line = lineOf('-', '--policies', at('p.yaml'));
    const inputs = await readAnyInputs('plan', line, terminal(), undefined, { change: { newPolicies: at('n.yaml') } });
    expect(
      [inputs.world.snapshot, inputs.world.applied].map(({ policies }) => policies.map(({ source }) => source)),
    ).toEqual([['ProbePolicy/shop/p'], ['ProbePolicy/shop/new']]);
    const plain = await readAnyInputs('check', line, terminal());
    expect(plain.world.applied.policies).toEqual([]);
  });

  it('read a file of policies once, by whatever path it is named', async () => {
    await writeFile(at('p.yaml'), POLICY);
    await mkdir(at('x'));
    const line = lineOf(at('p.yaml'), '--policies', `${directory}/x/../p.yaml`);
    const inputs = await readAnyInputs('check', line, terminal());
    expect([inputs.world.snapshot.policies.length, inputs.manifests.problems]).toEqual([1, []]);
  });

  it('have whole objects of other kinds only for a command that reads all', async () => {
    const objects = async (readsAll: boolean): Promise<unknown> => {
      const inputs = await readCommandInputs('fix', lineOf('-'), terminal(CONFIG), undefined, undefined, readsAll);
      return inputs.manifests.texts[0]?.manifests[0]?.object['metadata'];
    };
    expect([await objects(true), await objects(false)]).toEqual([{ name: 'c' }, undefined]);
  });

  it('are not read when a file of values cannot be read', async () => {
    const line = lineOf('-', '--values', at('none.yaml'));
    const reading = readAnyInputs('check', line, terminal());
    await expect(reading).rejects.toBeInstanceOf(UsageError);
    await expect(reading).rejects.toThrow(`--values: ${at('none.yaml')} cannot be read: ENOENT`);
  });

  it('show how far the reading is, in inputs and workloads', async () => {
    const workload = 'apiVersion: v1\nkind: Pod\nspec: { containers: [] }\n---\n'.repeat(300);
    await writeFile(at('a.yaml'), workload);
    await writeFile(at('b.yaml'), workload);
    const io = terminal();
    await readAnyInputs('check', lineOf(at('a.yaml'), at('b.yaml')), io);
    const shown = io.shown().split('\r\u001b[K');
    expect(shown[1]).toMatch(/^reading {2}0 of 2 inputs, 0 workloads, \d+ s$/);
    expect(shown.some((text) => /^reading {2}1 of 2 inputs, [345]\d{2} workloads, \d+ s$/.test(text))).toBe(true);
    expect(shown.at(-1)).toBe('');
  });

  it('say what is passed over, for the command, and what labels of namespaces are missing', async () => {
    await writeFile(at('notes.yaml'), 'a: 1\n');
    await writeFile(
      at('pod.yaml'),
      'apiVersion: v1\nkind: Pod\nmetadata: { name: w, namespace: shop }\nspec: { containers: [] }\n',
    );
    const selector = 'spec: { namespaceSelector: { matchLabels: { tier: a } } }';
    const policy = POLICY.replace('ProbePolicy', 'ClusterProbePolicy').replace(', namespace: shop', '');
    await writeFile(at('p.yaml'), policy.replace('spec: {}', selector));
    const io = terminal();
    await readAnyInputs('check', lineOf(directory), io);
    const text = io.shown().split('\r\u001b[K').at(-1) ?? '';
    expect(text).toContain('passed over 1 file: 1 no Kubernetes object; --verbose lists them\n');
    expect(text).toContain('note: ClusterProbePolicy/p: no input has the labels of the namespace shop');
    const verbose = terminal();
    await readAnyInputs('check', lineOf(directory, '--verbose'), verbose);
    expect(verbose.shown()).toContain(`${at('notes.yaml')}: passed over: no Kubernetes object\n`);
  });
});

describe('a command line that means a cluster', () => {
  it('is a wrong command line when it also names files', async () => {
    await writeFile(at('a.yaml'), '');
    const reading = readAnyInputs('check', lineOf(at('a.yaml'), '--cluster'), terminal());
    await expect(reading).rejects.toBeInstanceOf(UsageError);
    await expect(reading).rejects.toThrow('files and a cluster cannot be read together');
  });

  it('cannot be read without a kubeconfig that exists, and leaves no line of progress', async () => {
    const io = terminal();
    const reading = readAnyInputs('check', lineOf('--kubeconfig', at('none')), io);
    await expect(reading).rejects.toThrow('the cluster cannot be read: ');
    expect(io.shown()).toBe('');
  });
});
