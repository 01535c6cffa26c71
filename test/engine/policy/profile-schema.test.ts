import { describe, expect, it } from 'vitest';
import { ApiServerVerdict } from '../../crds/api-server-verdict.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const server = new ApiServerVerdict('StartupProfile');

/** What an API server has against a status. */
function objections(status: unknown): string[] {
  const document = { apiVersion: 'probewright.dev/v1alpha1', kind: 'StartupProfile', metadata: { name: 'a' }, status };
  return server.problems(server.pruned(document)).map((problem) => problem.replace(/^\/status/, ''));
}

const workload = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const start = { seconds: 41, basis: 'startup', at: '2026-11-20T10:00:00Z', id: 's1' };
const container = { name: 'app' };
const ofContainer = (members: JsonObject): string[] =>
  objections({ workload, containers: [{ ...container, ...members }] });
const ofStart = (members: JsonObject): string[] => ofContainer({ samples: [{ ...start, ...members }] });
const without = (object: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

describe('an API server takes a StartupProfile', () => {
  it('with what the observer writes', () =>
    expect(
      objections({
        workload,
        container: 'app',
        ...{ starts: 30, restarts: 0, p50Seconds: 1, p90Seconds: 2, maxSeconds: 86_400, budgetSeconds: 0 },
        containers: [
          {
            ...container,
            image: 'r/app:1',
            ...{
              starts: 1,
              censored: 5_000_000_000,
              censoredBoundSeconds: 15,
              censoredAt: start.at,
              censoredIds: ['k'],
            },
            samples: [start, { ...start, within: 3, restart: true, node: 'n', basis: 'readiness' }],
          },
        ],
      }),
    ).toEqual([]));

  it('with little in it', () => {
    for (const status of [{}, { workload }, { workload, containers: [container] }, { containers: [] }])
      expect(objections(status)).toEqual([]);
  });

  it.each(Object.keys(workload))('only with the %s of the workload', (name) =>
    expect(objections({ workload: without(workload, name) })).toEqual([
      `/workload: must have required property '${name}'`,
    ]),
  );

  it.each(Object.keys(start))('only with the %s of a start', (name) =>
    expect(ofContainer({ samples: [without(start, name)] })).toEqual([
      `/containers/0/samples/0: must have required property '${name}'`,
    ]),
  );

  it('only with the name of a container', () =>
    expect(objections({ workload, containers: [{ image: 'a' }] })).toEqual([
      "/containers/0: must have required property 'name'",
    ]));

  it.each<[string, JsonObject, JsonObject]>([
    ['seconds', { seconds: 86_400 }, { seconds: 86_401 }],
    ['seconds', { seconds: 0 }, { seconds: -1 }],
    ['within', { within: 86_400 }, { within: 86_401 }],
    ['basis', { basis: 'readiness' }, { basis: 'liveness' }],
    ['node', { node: 'n'.repeat(64) }, { node: 'n'.repeat(65) }],
    ['id', { id: 'n'.repeat(64) }, { id: 'n'.repeat(65) }],
    ['restart', { restart: false }, { restart: 'no' }],
  ])('with a start within the bounds of %s', (name, good, bad) => {
    expect(ofStart(good)).toEqual([]);
    expect(ofStart(bad)).toEqual([expect.stringContaining(`/containers/0/samples/0/${name}: `)]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['name', { name: 'n'.repeat(63) }, { name: 'n'.repeat(64) }],
    ['image', { image: 'n'.repeat(1024) }, { image: 'n'.repeat(1025) }],
    ['censored', { censored: 0 }, { censored: -1 }],
    ['censoredBoundSeconds', { censoredBoundSeconds: 86_400 }, { censoredBoundSeconds: 86_401 }],
    ['maxSeconds', { maxSeconds: 86_400 }, { maxSeconds: 86_401 }],
    ['samples', { samples: Array(30).fill(start) }, { samples: Array(31).fill(start) }],
    ['censoredIds', { censoredIds: Array(100).fill('k') }, { censoredIds: Array(101).fill('k') }],
    ['censoredIds/0', { censoredIds: ['k'.repeat(64)] }, { censoredIds: ['k'.repeat(65)] }],
  ])('with a container within the bounds of %s', (name, good, bad) => {
    expect(ofContainer(good)).toEqual([]);
    expect(ofContainer(bad)).toEqual([expect.stringContaining(`/containers/0/${name}: `)]);
  });

  it('with up to 64 containers, and names of a workload that Kubernetes has', () => {
    const many = (count: number): JsonObject[] => Array.from({ length: count }, (_, index) => ({ name: `c${index}` }));
    expect(objections({ workload, containers: many(64) })).toEqual([]);
    expect(objections({ workload, containers: many(65) })).toEqual(['/containers: must NOT have more than 64 items']);
    for (const name of Object.keys(workload)) {
      expect(objections({ workload: { ...workload, [name]: 'n'.repeat(253) } })).toEqual([]);
      expect(objections({ workload: { ...workload, [name]: 'n'.repeat(254) } })).toEqual([
        `/workload/${name}: must NOT have more than 253 characters`,
      ]);
    }
    expect(objections({ container: 'n'.repeat(64) })).toHaveLength(1);
  });
});
