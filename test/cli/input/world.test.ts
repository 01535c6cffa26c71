import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { NO_TEXTS, type ReadTexts } from '../../../src/cli/input/manifests.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { placeOfPolicy } from '../../../src/cluster/sources/policy-documents.ts';
import { flatGiven, type FlatGiven } from '../../support/flat-given.ts';
import { readManifestTexts } from '../../../src/cli/input/read-inputs.ts';
import { readPolicyTexts } from '../../../src/cli/input/input-files.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { NOW } from '../../support/now.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { FileProblem } from '../../../src/cluster/sources/policy-documents.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/input/world.test.ts');

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
  const read = async (files: readonly string[], stdin = ''): Promise<FlatGiven> => {
    const off = { 'no-render-charts': true, 'allow-remote-bases': false, values: [], set: [] };
    const flags = { ...off, namespace: 'default', exclude: [] };
    const parsing = { kinds: KNOWN_KINDS };
    const texts = await readManifestTexts(files, () => Promise.resolve(stdin), { flags, parsing });
    return flatGiven(
      worldOf(texts, await readPolicyTexts(undefined), { kinds: KNOWN_KINDS, namespace: 'default', now: NOW }),
    );
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

  const textsOf = (...files: readonly (readonly [file: string, text: string])[]): ReadTexts => ({
    texts: files.map(([file, text]) => ({ file, text })),
    problems: [],
  });
  const policy = (name: string): string =>
    `apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: ${name}, namespace: apps }\nspec: {}\n`;
  const settings = { kinds: KNOWN_KINDS, namespace: 'default', now: NOW };
  const sourcesOf = (policies: Snapshot): string[] => policies.policies.map(({ source }) => source);

  it('have the policies among the manifests, but read a file that is also given as policies once', () => {
    const manifests = textsOf(['a.yaml', policy('a')], ['./b.yaml', `${policy('b')}---\n${policy('c')}`]);
    const fileIdentity = (file: string): string => file.replace('./', '');
    const inputs = flatGiven(worldOf(manifests, textsOf(['b.yaml', policy('b')]), { ...settings, fileIdentity }));
    expect(sourcesOf(inputs.snapshot)).toEqual(['ProbePolicy/apps/b', 'ProbePolicy/apps/a']);
    expect(placeOfPolicy(inputs.places, 'ProbePolicy/apps/a', ['spec'])).toEqual({
      file: 'a.yaml',
      line: 4,
      column: 1,
    });
    expect(placeOfPolicy(inputs.places, 'ProbePolicy/apps/c', [])).toBeUndefined();
  });

  it('have the policies that are to be applied apart, and know their places', () => {
    const inputs = flatGiven(
      worldOf(NO_TEXTS, textsOf(['a.yaml', policy('a')]), settings, textsOf(['new.yaml', policy('new')])),
    );
    expect([sourcesOf(inputs.snapshot), sourcesOf(inputs.applied)]).toEqual([
      ['ProbePolicy/apps/a'],
      ['ProbePolicy/apps/new'],
    ]);
    expect(placeOfPolicy(inputs.places, 'ProbePolicy/apps/new', [])?.file).toBe('new.yaml');
  });

  it('take the labels of a Namespace from a Namespace of v1 with a name only', () => {
    const labels = (text: string): unknown =>
      flatGiven(worldOf(textsOf(['n.yaml', text]), NO_TEXTS, settings)).snapshot.facts.namespaceLabels;
    const of = (apiVersion: string, name: string): string =>
      `apiVersion: ${apiVersion}\nkind: Namespace\nmetadata: { ${name}, labels: { team: a } }\n`;
    expect(labels(of('v1', 'name: apps'))).not.toEqual(labels(''));
    expect(labels(of('v2', 'name: apps'))).toEqual(labels(''));
    expect(flatGiven(worldOf(textsOf(['n.yaml', of('v1', 'x: 1')]), NO_TEXTS, settings)).problems).toEqual([]);
  });

  it('have the facts among the manifests, of the very version and kind of each', () => {
    const service = (apiVersion: string): string =>
      `apiVersion: ${apiVersion}\nkind: Service\nmetadata: { name: web, namespace: apps }\nspec: { selector: { app: web }, ports: [{ port: 80 }] }\n`;
    const services = (text: string): number =>
      flatGiven(worldOf(textsOf(['s.yaml', text]), NO_TEXTS, settings)).snapshot.facts.services?.ofNamespace('apps')
        .length ?? 0;
    expect([services(service('v1')), services(service('serving.knative.dev/v1'))]).toEqual([1, 0]);
  });

  it('have the problems of every kind of text, of which those of policies are told apart', () => {
    const problem = (file: string): FileProblem => ({ file, line: 1, column: 1, message: 'no' });
    const [manifests, policies, added] = ['m', 'p', 'n'].map((file) => ({ texts: [], problems: [problem(file)] }));
    const inputs = flatGiven(worldOf(manifests ?? NO_TEXTS, policies ?? NO_TEXTS, settings, added));
    expect(inputs.problems.map(({ file }) => file)).toEqual(['m', 'p', 'n']);
    expect(inputs.policyProblems.map(({ file }) => file)).toEqual(['p', 'n']);
  });

  it('have an outline only of kinds that nothing reads, if that is wished', () => {
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\n';
    const objects = (skipsOtherKinds: boolean): unknown =>
      flatGiven(
        worldOf(textsOf(['a.yaml', config]), NO_TEXTS, { ...settings, skipsOtherKinds }),
      ).texts[0]?.manifests.map(({ object }) => object);
    expect(objects(true)).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap' }]);
    expect(objects(false)).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }]);
  });

  it('pass over a file that was found and is no manifest, but not one that is named', () => {
    const text = 'replicaCount: 1\n';
    const [found, named] = [true, false].map((isFound) => {
      const { texts, problems } = flatGiven(
        worldOf({ texts: [{ file: 'values.yaml', text, isFound }], problems: [] }, NO_TEXTS, settings),
      );
      return [texts[0]?.manifests.length, texts[0]?.passedOver, problems.length];
    });
    expect(found).toEqual([0, { file: 'values.yaml', reason: 'object' }, 0]);
    expect(named).toEqual([1, undefined, 0]);
  });

  it('count each workload once, and no other object', () => {
    const seen: number[] = [];
    const onRead = (files: number, workloads: number): number => seen.push(files * 1000 + workloads);
    const text = `${DEPLOYMENT}---\n${FLEET}---\n`.repeat(100);
    flatGiven(worldOf(textsOf(['a.yaml', text], ['b.yaml', text]), NO_TEXTS, { ...settings, onRead }));
    expect(Math.max(...seen.filter((at) => at < 1000))).toBeLessThanOrEqual(100);
    expect(seen.find((at) => at >= 1000)).toBeLessThan(1200);
    expect(seen.find((at) => at >= 1000)).toBeGreaterThanOrEqual(1100);
  });

  it('tell how far the reading is, by files and by workloads', () => {
    const seen: string[] = [];
    const long = `${DEPLOYMENT}---\n`.repeat(200);
    const onRead = (files: number, workloads: number): number => seen.push(`${files}/${workloads}`);
    flatGiven(worldOf(textsOf(['a.yaml', long], ['b.yaml', long]), NO_TEXTS, { ...settings, onRead }));
    expect(seen.filter((at) => at.startsWith('1/')).every((at) => Number(at.slice(2)) >= 200)).toBe(true);
    expect(seen.length).toBeGreaterThan(1);
  });
});
