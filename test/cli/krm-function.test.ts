import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runProbewright } from './run-probewright.ts';

const LIST = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
  - apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web # the shop
      namespace: shop
      annotations: { internal.config.kubernetes.io/path: web.yaml, internal.config.kubernetes.io/index: '1' }
    spec:
      template:
        spec:
          containers:
            - name: app
              image: web
              ports: [{ name: http, containerPort: 8080 }]
              livenessProbe: { httpGet: { path: /live, port: htpp } }
`;

const run = (stdin: string): ReturnType<typeof runProbewright> => runProbewright(['krm-function'], { stdin });

describe('krm-function', () => {
  it('gives the verdict of check', async () => {
    const { stdout } = await runProbewright(['check', '-', '--output', 'json'], { stdin: LIST });
    const { violations } = JSON.parse(stdout) as { violations: { check: string; path: string }[] };
    const { results } = parse((await run(LIST)).stdout) as {
      results: { tags: { check: string }; field: { path: string } }[];
    };
    expect(results.map(({ tags, field }) => [tags.check, field.path])).toEqual(
      violations.map(({ check, path }) => [check, path]),
    );
  });

  it('says that fix lacks the labels of a namespace that a policy selects by, unless they are there', async () => {
    const spec = {
      namespaceSelector: { matchLabels: { tier: 'prod' } },
      kubernetesProbeEndpoints: { readinessProbe: '/readyz' },
    };
    const policy = {
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ClusterProbePolicy',
      metadata: { name: 'team' },
      spec,
    };
    const { items, ...list } = parse(LIST) as { items: object[] };
    const fixed = async (more: readonly object[]): Promise<{ results?: object[] }> => {
      const functionConfig = {
        apiVersion: 'probewright.dev/v1alpha1',
        kind: 'ProbewrightFunction',
        spec: { mode: 'fix', policies: [policy] },
      };
      return parse(
        (await run(JSON.stringify({ ...list, functionConfig, items: [...items, ...more] }))).stdout,
      ) as object;
    };
    const message =
      'ClusterProbePolicy/team: no input has the labels of the namespace shop, so the namespaceSelector does not ' +
      'select it; add a file with the output of: kubectl get namespace shop -o yaml';
    expect((await fixed([])).results).toEqual([{ message, severity: 'info' }]);
    const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: { tier: 'prod' } } };
    const known = JSON.stringify(await fixed([shop]));
    expect(known).toContain('"readinessProbe":{"httpGet":{"path":"/readyz","port":"http"}}');
    expect(known).not.toContain('no input has the labels');
  });

  it('has an answer to every list', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 5 }), { maxLength: 3 }),
        fc.jsonValue(),
        async (items, config) => {
          const list = { apiVersion: 'config.kubernetes.io/v1', kind: 'ResourceList', items, functionConfig: config };
          const { code } = await run(JSON.stringify(list));
          expect([0, 1, 2]).toContain(code);
        },
      ),
      { examples: [[[{ apiVersion: 'v1', kind: 'Pod' }], null]] },
    );
  });
});
