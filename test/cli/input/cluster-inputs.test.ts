import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PatientClient } from '../../../src/cluster/client/patient-client.ts';
import { readClusterInputs, type ClusterInputOptions } from '../../../src/cli/input/cluster-inputs.ts';
import { placeOfPolicy } from '../../../src/cluster/sources/policy-documents.ts';
import { flatGiven, type FlatGiven } from '../../support/flat-given.ts';
import { startFakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { clusterPolicyDocument, policyDocument } from '../../support/worlds.ts';
import { BUILT_INS, discovery, POLICIES, type DiscoveredKind } from './discovery.ts';
import { NOW } from '../../support/now.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { FakeApiServer, Fault, SeenRequest } from '../../cluster/client/fake-api-server.ts';

let api: FakeApiServer;
let directory: string;

beforeEach(async () => {
  api = await startFakeApiServer();
  directory = await temporaryDirectory();
  intercept(() => undefined);
});
afterEach(async () => {
  await api.stop();
});

/** Faults for requests that are not discovery. */
function intercept(
  fault: (request: SeenRequest) => Fault | undefined,
  kinds: readonly DiscoveredKind[] = [...BUILT_INS, ...POLICIES],
): void {
  const discover = discovery(kinds);
  api.intercept((request) => fault(request) ?? discover(request));
}

async function read(options: Partial<ClusterInputOptions> = {}): Promise<FlatGiven> {
  const client = new PatientClient(api.access, 'test', { random: () => 0, pause: () => Promise.resolve() });
  const all = { names: [], namespace: 'shop', policies: undefined, workloadKinds: undefined, now: NOW, ...options };
  return flatGiven(await readClusterInputs(client, all));
}

const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments';
const workload = (name: string, metadata: object = {}): object => ({
  metadata: { name, namespace: 'shop', ...metadata },
  spec: { template: { spec: { containers: [{ name: 'app', image: 'x' }] } } },
});
const controller = { ownerReferences: [{ kind: 'Deployment', name: 'web', uid: '1', controller: true }] };
const files = ({ texts }: FlatGiven): string[] => texts.map(({ file }) => file);
const messages = ({ problems }: FlatGiven): string[] => problems.map(({ file, message }) => `${file}: ${message}`);
const forbidden =
  (path: RegExp) =>
  (request: SeenRequest): Fault | undefined =>
    path.test(request.path)
      ? { status: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' } }
      : undefined;

describe('a cluster as inputs', () => {
  it('is read in pages of 500, each object once', async () => {
    for (let index = 0; index < 1201; index += 1) api.put(DEPLOYMENTS, workload(`web-${index}`));
    const inputs = await read();
    expect(messages(inputs)).toEqual([]);
    expect(new Set(files(inputs)).size).toBe(1201);
    const pages = api.requests.filter(({ path }) => path === DEPLOYMENTS);
    expect(pages.map(({ query }) => query['limit'])).toEqual(['500', '500', '500']);
  });

  it('has objects with apiVersion and kind, and without what nothing reads', async () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', own: 'kept' };
    api.put(DEPLOYMENTS, { ...workload('web', { annotations, managedFields: [{}] }), status: { replicas: 1 } });
    for (const names of [[], [{ type: 'deploy', name: 'web' }]]) {
      const [text] = (await read({ names })).texts;
      const object = text?.manifests[0]?.object;
      expect(object).toMatchObject({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } });
      expect(object).not.toHaveProperty('status');
      expect(object?.['metadata']).not.toHaveProperty('managedFields');
      expect(object?.['metadata']).toMatchObject({ annotations: { own: 'kept' } });
      expect(Object.keys((object?.['metadata'] as { annotations: object }).annotations)).toEqual(['own']);
    }
  });

  it('leaves out Pods, ReplicaSets and Jobs of a controller, and no other kind', async () => {
    for (const path of ['/api/v1/namespaces/shop/pods', '/apis/batch/v1/namespaces/shop/jobs', DEPLOYMENTS]) {
      api.put(path, workload('alone'));
      api.put(path, workload('owned', controller));
    }
    api.put('/apis/apps/v1/namespaces/shop/replicasets', workload('owned', controller));
    expect(files(await read()).toSorted()).toEqual([
      'cluster:shop/deployment/alone',
      'cluster:shop/deployment/owned',
      'cluster:shop/job/alone',
      'cluster:shop/pod/alone',
    ]);
    const named = await read({ names: [{ type: 'replicasets.apps', name: 'owned' }] });
    expect(files(named)).toEqual(['cluster:shop/replicaset/owned']);
  });

  it('has the custom kinds that the cluster serves, in the version that has them', async () => {
    intercept(
      () => undefined,
      [
        ['batch/v1', 'jobs', 'Job'],
        ['batch/v1beta1', 'cronjobs', 'CronJob', 'cj'],
        ['argoproj.io/v1alpha1', 'rollouts', 'Rollout', 'ro'],
      ],
    );
    api.put('/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts', workload('web'));
    api.put('/apis/batch/v1beta1/namespaces/shop/cronjobs', workload('nightly'));
    const inputs = await read();
    expect(files(inputs).toSorted()).toEqual(['cluster:shop/cronjob/nightly', 'cluster:shop/rollout.argoproj.io/web']);
    expect(files(await read({ names: [{ type: 'ro', name: 'web' }] }))).toEqual([
      'cluster:shop/rollout.argoproj.io/web',
    ]);
    expect(messages(inputs)).toEqual([]);
  });

  it('names each missing right, and has everything else', async () => {
    api.put(DEPLOYMENTS, workload('web'));
    intercept(forbidden(/statefulsets|probepolicies|pods$/));
    const inputs = await read();
    expect(files(inputs)).toEqual(['cluster:shop/deployment/web']);
    expect(messages(inputs).toSorted()).toEqual([
      'cluster: cannot list pods in namespace shop: forbidden',
      'cluster: cannot list probepolicies.probewright.dev in namespace shop: forbidden',
      'cluster: cannot list statefulsets.apps in namespace shop: forbidden',
    ]);
    expect(inputs.policyProblems).toHaveLength(1);
    expect(inputs.warnings.map(({ message }) => message)).toEqual([
      'warning: cannot list clusterprobepolicies.probewright.dev in the cluster: forbidden',
    ]);
    intercept(forbidden(/deployments/));
    const named = await read({ namespace: undefined });
    expect(messages(named)).toEqual(['cluster: cannot list deployments.apps in all namespaces: forbidden']);
  });

  it('is complete without the rights that a user of one namespace lacks, and warns of each', async () => {
    api.put(DEPLOYMENTS, workload('web'));
    api.put('/api/v1/namespaces/shop/services', { metadata: { name: 'web', namespace: 'shop' }, spec: {} });
    intercept(forbidden(/clusterprobepolicies|services|startupprofiles/));
    const inputs = await read();
    expect(messages(inputs)).toEqual([]);
    expect(inputs.snapshot.facts.services).toBeUndefined();
    expect(inputs.warnings.map(({ message }) => message).toSorted()).toEqual([
      'warning: cannot list clusterprobepolicies.probewright.dev in the cluster: forbidden',
      'warning: cannot list services in namespace shop: forbidden',
      'warning: cannot list startupprofiles.probewright.dev in namespace shop: forbidden',
    ]);
  });

  it('knows the Services of the cluster', async () => {
    const service = (name: string, spec: object): object => ({ metadata: { name, namespace: 'shop' }, spec });
    const ports = [{ port: 80, targetPort: 'http' }];
    api.put('/api/v1/namespaces/shop/services', service('web', { selector: { app: 'web' }, ports }));
    api.put('/api/v1/namespaces/shop/services', service('other', { ports }));
    const { services } = (await read()).snapshot.facts;
    const selecting = services?.ofNamespace('shop').filter(({ isUseless }) => !isUseless);
    expect(selecting?.map(({ name }) => name)).toEqual(['web']);
  });

  it('knows the learned start times, which are statuses', async () => {
    const container = { name: 'app', censored: 1, censoredBoundSeconds: 40, samples: [] };
    api.put('/apis/probewright.dev/v1alpha1/namespaces/shop/startupprofiles', {
      metadata: { name: 'deployment-web', namespace: 'shop' },
      status: { workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, containers: [container] },
    });
    const { starts } = (await read()).snapshot.facts;
    expect(starts.find('shop', 'deployment-web')?.containers).toMatchObject([
      { name: 'app', starts: 0, longestSeconds: 0, boundSeconds: 40 },
    ]);
  });

  it('has all objects for a snapshot, if asked', async () => {
    api.put('/api/v1/namespaces', { metadata: { name: 'shop', labels: { team: 'a' } } });
    api.put('/api/v1/namespaces/shop/services', { metadata: { name: 'web', namespace: 'shop' }, spec: {} });
    api.put('/apis/probewright.dev/v1alpha1/namespaces/shop/probepolicies', policyDocument({}, 'own', 'shop'));
    const { objects = [] } = await read({ keepsObjects: true });
    expect(objects.map(({ apiVersion, kind }) => `${String(apiVersion)} ${String(kind)}`).toSorted()).toEqual([
      'probewright.dev/v1alpha1 ProbePolicy',
      'v1 Namespace',
      'v1 Service',
    ]);
    expect((await read()).objects).toBeUndefined();
  });

  it('has the built-in kinds when discovery is forbidden', async () => {
    api.put(DEPLOYMENTS, workload('web'));
    intercept(forbidden(/^\/apis$/));
    const inputs = await read();
    expect(files(inputs)).toEqual(['cluster:shop/deployment/web']);
    expect(messages(inputs)).toEqual(['cluster: cannot list the API groups: forbidden']);
  });

  it('cannot be read with refused credentials', async () => {
    intercept(() => ({ status: 401, body: { kind: 'Status', code: 401, reason: 'Unauthorized', message: 'who?' } }));
    await expect(read()).rejects.toThrow('GET /apis: HTTP 401 Unauthorized: who?');
  });

  it('begins a list again whose next page has expired', async () => {
    for (let index = 0; index < 501; index += 1) api.put(DEPLOYMENTS, workload(`web-${index}`));
    let expired = 0;
    intercept(({ path, query }) => {
      if (path !== DEPLOYMENTS || query['continue'] === undefined || expired > 0) return undefined;
      expired += 1;
      return { status: 410, body: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } };
    });
    const inputs = await read();
    expect({ expired, objects: files(inputs).length, problems: messages(inputs) }).toEqual({
      expired: 1,
      objects: 501,
      problems: [],
    });
  });

  it('tells after each list how many are read', async () => {
    const client = new PatientClient(api.access, 'test', { random: () => 0, pause: () => Promise.resolve() });
    const options = { names: [], namespace: 'shop', policies: undefined, workloadKinds: undefined, now: NOW };
    const seen: [number, number][] = [];
    await readClusterInputs(client, options, (done, total) => seen.push([done, total]));
    expect(seen.map(([done]) => done)).toEqual(seen.map((_, index) => index + 1));
    expect(new Set(seen.map(([, total]) => total))).toEqual(new Set([seen.length]));
    expect(seen.length).toBeGreaterThan(BUILT_INS.length);
  });

  it('has at most 5 requests open at once', async () => {
    const names = Array.from({ length: 40 }, (_, index) => ({ type: 'deploy', name: `web-${index}` }));
    for (const { name } of names) api.put(DEPLOYMENTS, workload(name));
    let [open, most] = [0, 0];
    const counting = {
      ...api.access,
      requestOptions: async () => {
        open += 1;
        most = Math.max(most, open);
        return await api.access.requestOptions();
      },
    };
    class Counting extends PatientClient {
      override async measured(...args: Parameters<PatientClient['measured']>): ReturnType<PatientClient['measured']> {
        return await super.measured(...args).finally(() => (open -= 1));
      }
    }
    const options = { names, namespace: 'shop', policies: undefined, workloadKinds: undefined, now: NOW };
    const { manifests: inputs } = await readClusterInputs(new Counting(counting, 'test'), options);
    expect({ most, texts: inputs.texts.length }).toEqual({ most: 5, texts: 40 });
  });

  it('layers the policies of files below those of the cluster, and reads labels only when they count', async () => {
    const file = join(directory, 'policies.yaml');
    await writeFile(file, JSON.stringify(clusterPolicyDocument({ priority: 9, port: 1 })));
    api.put('/apis/probewright.dev/v1alpha1/clusterprobepolicies', clusterPolicyDocument({ port: 2 }));
    api.put('/apis/probewright.dev/v1alpha1/namespaces/shop/probepolicies', policyDocument({}, 'own', 'shop'));
    const labels = { get: () => undefined };
    const inputs = await read({ policies: file });
    const { layers } = inputs.snapshot.policyFor('shop', labels);
    expect(layers.map(({ source, priority }) => `${source} ${priority}`)).toEqual([
      'ClusterProbePolicy/cluster 9',
      'ClusterProbePolicy/cluster 0',
      'ProbePolicy/shop/own 0',
    ]);
    expect(placeOfPolicy(inputs.places, 'ProbePolicy/shop/own', [])).toEqual({
      file: 'cluster:shop/probepolicy/own',
      line: 1,
      column: 1,
    });
    expect(
      api.requests.filter(({ path }) => path.startsWith('/api/v1/namespaces/shop') && !/pods|services/.test(path)),
    ).toEqual([]);
    api.put('/api/v1/namespaces', { metadata: { name: 'shop', labels: { tier: 'gold' } } });
    api.put(
      '/apis/probewright.dev/v1alpha1/clusterprobepolicies',
      clusterPolicyDocument({ namespaceSelector: { matchLabels: { tier: 'gold' } } }, 'gold'),
    );
    for (const namespace of ['shop', undefined]) {
      const { snapshot } = await read({ namespace });
      expect(snapshot.policyFor('shop', labels).layers.map(({ name }) => name)).toContain('gold');
      expect(snapshot.policyFor('bank', labels).layers.map(({ name }) => name)).not.toContain('gold');
    }
  });

  it('reports a policy of the cluster that cannot be read, and no policies where the cluster has no such kind', async () => {
    api.put('/apis/probewright.dev/v1alpha1/clusterprobepolicies', clusterPolicyDocument({ port: 'no port!' }, 'bad'));
    const inputs = await read();
    expect(inputs.policyProblems.map(({ file }) => file)).toEqual(['cluster:clusterprobepolicy/bad']);
    intercept(() => undefined, BUILT_INS);
    expect(messages(await read())).toEqual([]);
  });

  it('names a kind that the cluster does not have, and an object that does not exist', async () => {
    const names = [
      { type: 'widget', name: 'web' },
      { type: 'deploy', name: 'web' },
    ];
    expect(messages(await read({ names }))).toEqual([
      'cluster: the cluster has no kind of workload "widget"; it has pods, deployments, statefulsets, replicasets, jobs',
      'cluster: deployments.apps "web" in namespace shop does not exist',
    ]);
  });

  it('has what an observer reported, on request. A missing right to read reports is a warning', async () => {
    const kinds = [...BUILT_INS, ...POLICIES, ['openreports.io/v1alpha1', 'reports', 'Report'] as const];
    const result = { source: 'probewright', rule: 'missed-pods', message: 'm', properties: { pods: '2' } };
    const scope = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
    const reports = '/apis/openreports.io/v1alpha1/namespaces/shop/reports';
    api.put(reports, { metadata: { name: 'probewright-1', namespace: 'shop' }, scope, results: [result] });
    api.put(reports, { metadata: { name: 'other', namespace: 'shop' }, scope, results: [] });
    intercept(() => undefined, kinds);
    const { rule, message, properties } = result;
    const observed = [{ ...scope, results: [{ rule, message, properties }] }];
    const found = await read({ readsReports: true });
    expect([found.reports, found.problems, found.warnings]).toEqual([observed, [], []]);
    expect((await read()).reports).toBeUndefined();

    intercept(forbidden(/\/reports$/), kinds);
    const refused = await read({ readsReports: true });
    expect([refused.reports, refused.problems]).toEqual([[], []]);
    expect(refused.warnings.map((each) => each.message)).toEqual([
      'warning: cannot list reports.openreports.io in namespace shop: forbidden',
    ]);

    intercept((request) =>
      /^\/apis\/(openreports|wgpolicyk8s)\.io\/[^/]+$/.test(request.path)
        ? { status: 404 }
        : forbidden(/reports$/)(request),
    );
    const missing = await read({ readsReports: true });
    expect([missing.reports, missing.problems, missing.warnings]).toEqual([[], [], []]);
  });
});
