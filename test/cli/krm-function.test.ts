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
