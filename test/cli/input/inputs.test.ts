import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { readInputs } from '../../../src/cli/input/read-inputs.ts';
import { NOW } from '../../support/now.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { Inputs } from '../../../src/cli/input/inputs.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const at = (name: string): string => join(directory, name);

async function write(name: string, text: string): Promise<string> {
  await writeFile(at(name), text);
  return at(name);
}

const policy = (name: string, spec: string, namespace = 'apps'): string =>
  `apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: ${name}, namespace: ${namespace} }\nspec: ${spec}\n`;
const POD = 'spec: { containers: [{ name: app, image: x, ports: [{ name: http, containerPort: 80 }] }] }';
const DEPLOYMENT = `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web, namespace: apps }\nspec: { template: { ${POD} } }\n`;
const FLEET = `apiVersion: example.test/v1\nkind: Fleet\nmetadata: { name: fleet, namespace: apps }\nspec: { pods: { ${POD} } }\n`;
const KINDS = '- { group: example.test, kind: Fleet, podTemplatePath: spec.pods }\n';
const CHECKS = 'checks: { required-liveness: { action: Warn } }';
const READINESS = `{ kubernetesProbeEndpoints: { readinessProbe: /ready }, ${CHECKS} }`;

/** What each command shows of a policy that gives Pods a readiness probe at /ready, and warns of a missing liveness probe. */
const COMMANDS: readonly (readonly [string, (ran: Ran) => boolean])[] = [
  ['check', ({ stdout }) => stdout.includes('(required-liveness)')],
  ['explain', ({ stdout }) => stdout.includes('readiness from ')],
  ['fix', ({ stdout }) => stdout.split('readinessProbe').length > (stdout.includes('kind: ProbePolicy') ? 2 : 1)],
];

describe.each(COMMANDS)('%s', (command, isInForce) => {
  const run = async (...args: string[]): Promise<boolean> => {
    const ran = await runProbewright([command, ...args]);
    expect(ran.code).toBe(0);
    return isInForce(ran);
  };

  it('applies no policy when there is no policy', async () => {
    expect(await run(await write('web.yaml', DEPLOYMENT))).toBe(false);
  });

  it('reads policies among the manifests', async () => {
    expect(await run(await write('all.yaml', `${DEPLOYMENT}---\n${policy('p', READINESS)}`))).toBe(true);
  });

  it('reads --policies as a file and as a directory', async () => {
    const manifest = await write('web.yaml', DEPLOYMENT);
    await mkdir(at('policies'));
    const file = await write('policies/p.yaml', policy('p', READINESS));
    expect(await run(manifest, '--policies', file)).toBe(true);
    expect(await run(manifest, '--policies', at('policies'))).toBe(true);
  });

  it('reads a file once that is both a manifest and a policy file', async () => {
    const file = await write('all.yaml', policy('p', READINESS));
    expect(await run(await write('web.yaml', DEPLOYMENT), file, '--policies', file)).toBe(true);
  });

  it('reads the labels of Namespaces among the manifests', async () => {
    const forTeam =
      'apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: p }\n' +
      'spec: { namespaceSelector: { matchLabels: { team: a } }, kubernetesProbeEndpoints: { readinessProbe: /ready }, ' +
      `${CHECKS} }\n`;
    const file = await write('p.yaml', forTeam);
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: apps, labels: { team: a } }\n';
    expect(await run(await write('web.yaml', DEPLOYMENT), '--policies', file)).toBe(false);
    expect(await run(await write('web.yaml', `${namespace}---\n${DEPLOYMENT}`), '--policies', file)).toBe(true);
  });

  it('looks into the kinds of --workload-kinds', async () => {
    const files = [await write('fleet.yaml', FLEET), '--policies', await write('p.yaml', policy('p', READINESS))];
    const kinds = ['--workload-kinds', await write('kinds.yaml', KINDS)];
    const without = await runProbewright([command, ...files]);
    const ran = await runProbewright([command, ...files, ...kinds]);
    expect([ran.code, ran.stdout === without.stdout, isInForce(ran)]).toEqual([0, false, true]);
  });

  it('reports a policy among the manifests that cannot be read, with file and line, and exits 2', async () => {
    const file = await write('all.yaml', `${DEPLOYMENT}---\n${policy('p', '{ prot: 1 }')}`);
    const { code, stderr } = await runProbewright([command, file], { directory });
    expect([code, stderr]).toEqual([2, 'DIR/all.yaml:9:9: spec.prot: unknown field; did you mean "port"?\n']);
  });
});

describe('the inputs of a command', () => {
  const read = (files: readonly string[], stdin = ''): Promise<Inputs> =>
    readInputs(
      {
        files,
        policies: undefined,
        workloadKinds: undefined,
        namespace: 'default',
        exclude: [],
        renderCharts: false,
        allowRemoteBases: false,
        now: NOW,
      },
      () => Promise.resolve(stdin),
    );

  it('keep the order of the command line, standard input included', async () => {
    const file = await write('web.yaml', DEPLOYMENT);
    const { texts } = await read(['-', file], FLEET);
    expect(texts.map((text) => [text.file, text.manifests.map(({ object }) => object['kind'])])).toEqual([
      ['<stdin>', ['Fleet']],
      [file, ['Deployment']],
    ]);
  });

  it('tell problems with policies from other problems', async () => {
    const text = `${policy('p', '{ prot: 1 }')}---\nkind: Pod\n  x: [\n`;
    const { problems, policyProblems } = await read(['-'], text);
    expect(policyProblems.map(({ line }) => line)).toEqual([4]);
    expect(problems.length).toBeGreaterThan(1);
    expect(problems).toEqual(expect.arrayContaining([...policyProblems]));
  });
});

it('fix prints no manifest without one of the policies among the manifests', async () => {
  const file = await write(
    'all.yaml',
    `${DEPLOYMENT}---\n${policy('good', READINESS)}---\n${policy('bad', '{ prot: 1 }')}`,
  );
  expect((await runProbewright(['fix', file])).stdout).toBe('');
});

it('fix keeps the policies among the manifests as they are', async () => {
  const text = `${policy('p', READINESS)}---\n${DEPLOYMENT}`;
  const { stdout } = await runProbewright(['fix', '-'], { stdin: text });
  expect(stdout.startsWith(`${policy('p', READINESS)}---\n`)).toBe(true);
});

it('fix prints no manifest when a policy among the manifests has a syntax error', async () => {
  const broken = 'apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: p\n---\n';
  const file = await write('all.yaml', `${broken}${DEPLOYMENT}`);
  const { code, stdout, stderr } = await runProbewright(['fix', file], { directory });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('all.yaml:');
});
