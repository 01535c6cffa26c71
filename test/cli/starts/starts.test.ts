import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProbewright } from '../run-probewright.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/starts/starts.test.ts');

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

/** The profile of a Deployment whose container took these seconds to start. */
const profileOf = (...seconds: readonly number[]): JsonObject => ({
  apiVersion: 'probewright.dev/v1alpha1',
  kind: 'StartupProfile',
  metadata: { name: 'deployment-web', namespace: 'apps' },
  status: {
    workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    containers: [
      {
        name: 'app',
        samples: seconds.map((each, index) => ({
          ...{ seconds: each, basis: 'startup', at: `2026-11-20T10:00:0${index}Z`, id: `${index}`, image: 'a:1' },
        })),
      },
    ],
  },
});

describe('probewright starts', () => {
  it('prints profiles', async () => {
    const profile = profileOf(41, 22, 25, 26, 27);
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

  const running = (name: string, apiVersion = 'v1'): JsonObject => ({
    ...{ apiVersion, kind: 'Pod' },
    metadata: {
      ...{ name, namespace: 'apps', uid: name, creationTimestamp: '2026-11-22T10:00:00Z' },
      labels: { 'pod-template-hash': 'a' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-a', uid: 'r', controller: true }],
    },
    spec: { containers: [{ name: 'app', image: 'a:1', readinessProbe: { httpGet } }] },
    status: {
      conditions: [{ type: 'ContainersReady', status: 'True', lastTransitionTime: '2026-11-22T10:00:30Z' }],
      containerStatuses: [
        {
          name: 'app',
          ready: true,
          started: true,
          restartCount: 0,
          containerID: `c://${name}`,
          state: { running: { startedAt: '2026-11-22T10:00:10Z' } },
        },
      ],
    },
  });

  it('prints what the profile says of a container before what Pods say', async () => {
    const { stdout } = await starts([running('web-a-1'), running('web-a-2'), profileOf(41)]);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 6))).toEqual([
      ['NAMESPACE', 'WORKLOAD', 'CONTAINER', 'STARTS', 'P50', 'P90'],
      ['apps', 'Deployment/web', 'app', '1', '41 s', '41 s'],
      ['apps', 'Deployment/web', 'app', '2', '21 s', '21 s'],
      [''],
    ]);
  });

  it('takes no object of another group for a Pod', async () => {
    const { stdout } = await starts([running('web-a-1', 'example.test/v1')], '--output', 'json');
    expect(JSON.parse(stdout)).toEqual({ starts: [] });
  });

  it('prints the budget that the policy in force gives, as explain does', async () => {
    const metadata = { name: 'web', namespace: 'apps' };
    const objects = (learned: object, startupSeconds?: number, image = 'a:1') => [
      profileOf(41, 22, 25, 26, 27),
      {
        ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
        spec: { template: { spec: { containers: [{ name: 'app', image, livenessProbe: { httpGet } }] } } },
      },
      {
        ...{ apiVersion: 'probewright.dev/v1alpha1', kind: 'ProbePolicy', metadata },
        spec: {
          containers: ['app'],
          slowStart: { learned, startupSeconds },
          probes: { startupProbe: { periodSeconds: 2 } },
        },
      },
    ];
    const budget = async (learned: object, startupSeconds?: number, image?: string): Promise<unknown> => {
      const { stdout } = await starts(objects(learned, startupSeconds, image), '--output', 'json');
      return (JSON.parse(stdout) as { starts: readonly { budgetSeconds?: number }[] }).starts[0]?.budgetSeconds;
    };
    expect(await budget({})).toBe(66);
    const { stdout } = await runProbewright(['explain', '--details', join(directory, 'list.json')]);
    expect(stdout).toContain('66 s to start');
    expect(await budget({ margin: 2 })).toBe(86);
    expect(await budget({}, 300)).toBe(300);
    expect(await budget({ minimumStarts: 6 })).toBeUndefined();
    // Another image, and one that moves.
    expect(await budget({}, undefined, 'a:2')).toBe(300);
    expect(await budget({}, undefined, 'a')).toBe(300);
    expect(await budget({}, 90, 'a:2')).toBe(90);
  });
});
