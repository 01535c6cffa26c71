import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProbewright } from './run-probewright.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'probewright-starts-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function starts(
  objects: readonly JsonObject[],
  ...flags: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const file = join(directory, 'list.json');
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  return runProbewright(['starts', '--now', '2026-11-22T12:00:00Z', ...flags, file]);
}

const httpGet = { path: '/r', port: 80 };
function pod(
  ready: string,
  members: { status?: JsonObject; metadata?: JsonObject; spec?: JsonObject; container?: JsonObject } = {},
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `web-5d9c-${ready}`,
      namespace: 'apps',
      uid: ready,
      creationTimestamp: '2026-11-22T10:00:00Z',
      labels: { 'pod-template-hash': '5d9c' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d9c', uid: 'r', controller: true }],
      ...members.metadata,
    },
    spec: { containers: [{ name: 'app', image: 'a:1', readinessProbe: { httpGet } }], ...members.spec },
    status: {
      conditions: [{ type: 'ContainersReady', status: 'True', lastTransitionTime: `2026-11-22T${ready}Z` }],
      containerStatuses: [
        {
          name: 'app',
          ready: true,
          started: true,
          restartCount: 0,
          containerID: `c://${ready}`,
          state: { running: { startedAt: '2026-11-22T10:00:04Z' } },
          ...members.container,
        },
      ],
      ...members.status,
    },
  };
}

describe('probewright starts', () => {
  it('prints the starts of Pods, as far as one look at them tells', async () => {
    const { code, stdout, stderr } = await starts([pod('10:00:20'), pod('10:00:30'), pod('10:00:44')]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        'NAMESPACE   WORKLOAD         CONTAINER   STARTS   P50    P90    MAX    BUDGET',
        'apps        Deployment/web   app         3        27 s   41 s   41 s   -',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  it('takes no Pod that may have been unready meanwhile', async () => {
    const two = [
      { name: 'app', readinessProbe: { httpGet } },
      { name: 'b', readinessProbe: { httpGet } },
    ];
    const objects = [
      pod('10:00:20', { container: { restartCount: 1 } }),
      pod('11:30:00'),
      pod('10:00:21', { metadata: { creationTimestamp: '2026-09-22T10:00:00Z' } }),
      pod('10:00:22', {
        status: {
          conditions: [{ type: 'ContainersReady', status: 'False', lastTransitionTime: '2026-11-22T10:00:22Z' }],
        },
      }),
      pod('10:00:23', { spec: { containers: two } }),
      pod('10:00:24', { spec: { containers: [{ name: 'app', livenessProbe: { httpGet } }] } }),
      pod('10:00:25', { metadata: { ownerReferences: [] } }),
    ];
    const { stdout } = await starts(objects, '--output', 'json');
    expect(JSON.parse(stdout)).toEqual({ starts: [] });
    expect((await starts(objects)).stdout).toBe(
      'No start times are known. The observer measures them (docs/observer.md).\n',
    );
  });

  it('prints profiles', async () => {
    const samples = [41, 22, 25, 26, 27].map((seconds, index) => ({
      seconds,
      basis: 'startup',
      at: `2026-11-20T10:00:0${index}Z`,
      id: `${index}`,
    }));
    const profile = {
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'StartupProfile',
      metadata: { name: 'deployment-web', namespace: 'apps' },
      status: {
        workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        containers: [{ name: 'app', samples }],
      },
    };
    const { stdout } = await starts([profile], '--output', 'json');
    expect(JSON.parse(stdout)).toEqual({
      starts: [
        {
          namespace: 'apps',
          kind: 'Deployment',
          name: 'web',
          container: 'app',
          source: 'profile',
          starts: 5,
          restarts: 0,
          p50Seconds: 26,
          p90Seconds: 41,
          maxSeconds: 41,
          budgetSeconds: 69,
        },
      ],
    });
    const workload = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'apps' },
      spec: { template: { spec: { containers: [{ name: 'app', livenessProbe: { httpGet } }] } } },
    };
    await writeFile(
      join(directory, 'both.json'),
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [workload, profile] }),
    );
    const explained = await runProbewright(['explain', join(directory, 'both.json')]);
    expect(explained.stdout).toContain('; 5 measured starts: 22 to 41 s\n');
    await runProbewright(['explain', '--output', 'svg', '--output-dir', directory, join(directory, 'both.json')]);
  });
});
