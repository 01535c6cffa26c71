import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { describeCommands } from '../command-cases.ts';
import { runProbewright } from '../run-probewright.ts';
import { textAt, valueAt } from '../../../src/base/json/field-path.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

describeCommands('test/cli/export/export.test.ts');

const EXAMPLES = ['export', '--policies', 'examples/policies'];
const keyOf = (one: JsonObject): string =>
  `${textAt(one, 'kind')} ${textAt(one, 'metadata', 'namespace') ?? ''}/${textAt(one, 'metadata', 'name')}`;

it('prints one policy, two bindings, and a parameter for the cluster and each namespace with policies', async () => {
  const { code, stdout, stderr } = await runProbewright(EXAMPLES);
  expect(code).toBe(0);
  expect(stderr).toContain('No policy needs what is not exported');
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as JsonObject);
  expect(objects.map(keyOf)).toEqual([
    'CustomResourceDefinition /namespaceprobes.probewright.dev',
    'MutatingAdmissionPolicy /probewright-inject',
    'NamespaceProbes probewright/cluster',
    'NamespaceProbes apps/effective',
    'NamespaceProbes publishing/effective',
    'MutatingAdmissionPolicyBinding /probewright-inject-namespaces',
    'MutatingAdmissionPolicyBinding /probewright-inject-others',
  ]);
});

it('prints the same objects as JSON', async () => {
  const yaml = await runProbewright(EXAMPLES);
  const json = await runProbewright([...EXAMPLES, '--output', 'json']);
  const { items } = JSON.parse(json.stdout) as { items: JsonObject[] };
  expect(items).toEqual(parseAllDocuments(yaml.stdout).map((document) => document.toJS() as JsonObject));
});

it('prints no object where a policy needs what is not exported, unless fewer probes are allowed', async () => {
  const files = ['export', '--policies', 'test/fixtures/native/learned.yaml'];
  const refused = await runProbewright(files);
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('ClusterProbePolicy/learns: slowStart.learned');
  const allowed = await runProbewright([...files, '--allow-fewer']);
  expect(allowed.code).toBe(0);
  expect(allowed.stdout).toContain('MutatingAdmissionPolicyBinding');
});

it('refuses more layers than the native policy has room for, with the number', async () => {
  const { code, stdout, stderr } = await runProbewright([
    'export',
    '--policies',
    'test/fixtures/native/many-layers.yaml',
  ]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('the cluster has 51 layers, and the native policy has room for 50');
});

it('gives a namespace a parameter for its Services that speak against probes', async () => {
  const files = ['export', '--policies', 'test/fixtures/native/services.yaml', '--output', 'json'];
  const { items } = JSON.parse((await runProbewright(files)).stdout) as { items: JsonObject[] };
  const params = items.filter(({ kind }) => kind === 'NamespaceProbes');
  expect(params.map((one) => [textAt(one, 'metadata', 'namespace'), valueAt(one, ['spec', 'services'])])).toEqual([
    ['probewright', []],
    ['apps', [{ labels: { app: 'web' }, other: ['http'], noTcp: [] }]],
  ]);
});

describe('--validate', () => {
  const floors = ['export', '--validate', '--policies', 'test/fixtures/native/floors.yaml'];

  it('prints the floors Deny that CEL can say, and names the others with the reason', async () => {
    const { code, stdout, stderr } = await runProbewright([...floors, '--allow-fewer', '--output', 'json']);
    expect(code).toBe(0);
    const { items } = JSON.parse(stdout) as { items: JsonObject[] };
    expect(items.map(keyOf).slice(-2)).toEqual([
      'ValidatingAdmissionPolicy /probewright-floors',
      'ValidatingAdmissionPolicyBinding /probewright-floors',
    ]);
    const [policy, binding] = items.slice(-2);
    expect(valueAt(binding, ['spec', 'validationActions'])).toEqual(['Deny']);
    expect(JSON.stringify(policy)).toContain('single-failure');
    expect(stderr).toContain('ValidatingAdmissionPolicy v1 (on by default since Kubernetes 1.30)');
    expect(stderr).toContain('ClusterProbePolicy/floors: checks.single-failure.floor\n');
    expect(stderr).toContain('ClusterProbePolicy/floors: checks.exec-shell.floor (CEL cannot say it');
    expect(stderr).toContain('ClusterProbePolicy/floors: checks.path-url.floor (a ProbeException names it');
  });

  it('ends with 1 where only the webhook enforces a floor', async () => {
    const { code, stdout } = await runProbewright(floors);
    expect([code, stdout]).toEqual([1, '']);
  });
});
