import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { inputsOf, type Inputs } from '../../../src/cli/input/inputs.ts';
import { readManifestTexts, readPolicyTexts } from '../../../src/cli/input/read-inputs.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { NOW } from '../../support/now.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const BAD =
  'apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: p, namespace: apps }\nspec: { prot: 1 }\n';
const POD = 'spec: { containers: [{ name: app, image: x, ports: [{ name: http, containerPort: 80 }] }] }';
const DEPLOYMENT = `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web, namespace: apps }\nspec: { template: { ${POD} } }\n`;
const FLEET = `apiVersion: example.test/v1\nkind: Fleet\nmetadata: { name: fleet, namespace: apps }\nspec: { pods: { ${POD} } }\n`;
describe('the inputs of a command', () => {
  const read = async (files: readonly string[], stdin = ''): Promise<Inputs> => {
    const off = { 'no-render-charts': true, 'allow-remote-bases': false, values: [], set: [] };
    const reading = { ...off, namespace: 'default', exclude: [] };
    const texts = await readManifestTexts(files, () => Promise.resolve(stdin), reading);
    return inputsOf(texts, await readPolicyTexts(undefined), { kinds: KNOWN_KINDS, namespace: 'default', now: NOW });
  };

  it('keep the order of the command line, standard input included', async () => {
    const file = join(directory, 'web.yaml');
    await writeFile(file, DEPLOYMENT);
    const { texts } = await read(['-', file], FLEET);
    expect(texts.map((text) => [text.file, text.manifests.map(({ object }) => object['kind'])])).toEqual([
      ['<stdin>', ['Fleet']],
      [file, ['Deployment']],
    ]);
  });

  it('tell problems with policies from other problems', async () => {
    const text = `${BAD}---\nkind: Pod\n  x: [\n`;
    const { problems, policyProblems } = await read(['-'], text);
    expect(policyProblems.map(({ line }) => line)).toEqual([4]);
    expect(problems.length).toBeGreaterThan(1);
    expect(problems).toEqual(expect.arrayContaining([...policyProblems]));
  });
});
