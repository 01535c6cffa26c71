import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished, type TestContext } from 'vitest';
import { helmProblem, render, type Manifest } from '../chart/helm.ts';
import { objectsAt } from '../../src/base/json/field-path.ts';
import { equalJson, isJsonObject, type JsonObject } from '../../src/base/json/json-value.ts';
import { namespaceParam } from '../../src/native/namespace-probes.ts';
import { clusterPolicyDocument, policyDocument, policySet } from '../support/worlds.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { controlPlaneProblem, startControlPlane, type ControlPlane } from './control-plane.ts';
import { applyCrds } from './custom-resource-definitions.ts';
import { startIstioInjector } from './istio-injector.ts';
import { provenance, type StoredPod } from './pods.ts';
import { whyNoNativePolicy } from './native-api.ts';
import { waitUntil } from './processes.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { startProgram, type StartedProgram } from './webhook-process.ts';

const NATIVE_API = 'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy';
const SET = [
  'observer.enabled=true',
  'observer.nativeParams=true',
  'mutation=Native',
  'webhooks.excludedNamespaces={backups}',
];
const HOME = 'probewright';
const GROUP = '/apis/probewright.dev/v1alpha1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const paramsOf = (namespace: string): string => `${GROUP}/namespaces/${namespace}/namespaceprobes`;
const endpoints = (path: string): JsonObject => ({ kubernetesProbeEndpoints: { livenessProbe: path } });
const low = clusterPolicyDocument(endpoints('/low'), 'low');
const own = policyDocument(endpoints('/own'), 'own', 'apps');
const ISTIO = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
/** A new policy, or a new kind of parameters, acts after a few seconds. */
const PATIENCE = 60_000;

describeUnless(controlPlaneProblem() ?? helmProblem(), 'the native policy of the chart in an API server', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let kubeconfig: string;
  let observer: StartedProgram | undefined;
  let whyNot: string | undefined;
  let nativePolicies: readonly Manifest[] = [];

  const startObserver = async (): Promise<void> => {
    const flags = ['--kubeconfig', kubeconfig, '--namespace', HOME, '--native-params', 'true', '--reports', 'none'];
    const lease = ['--lease-duration', '6s', '--lease-renew', '1s', '--startups', 'false'];
    observer = await keep(startProgram('observe', [...flags, ...lease]));
  };
  const paramSpec = async (namespace: string, name = 'effective'): Promise<unknown> => {
    const { status, body } = await cluster.request('GET', `${paramsOf(namespace)}/${name}`);
    return status === 200 ? (JSON.parse(body) as JsonObject)['spec'] : undefined;
  };
  const apply = (...objects: object[]): Promise<void> => cluster.apply(...objects);

  beforeAll(async () => {
    cluster = await keep(startControlPlane({ users: ['observer', 'editor'] }));
    for (const name of ['apps', 'other', 'backups', HOME]) {
      await cluster.create('/api/v1/namespaces', { metadata: { name } });
      await cluster.create(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
    }
    await applyCrds(cluster);
    const rendered = render({ set: SET, apiVersions: [NATIVE_API] });
    whyNot = await whyNoNativePolicy(cluster);
    const kinds = [
      'ClusterRole',
      'Role',
      ...(whyNot === undefined ? ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'] : []),
    ];
    await apply(...rendered.filter(({ kind }) => kinds.includes(kind)));
    nativePolicies = rendered.filter(({ kind }) => kind === 'MutatingAdmissionPolicy');
    await bind(rendered);
    const directory = await keep(temporaryDirectory('native'));
    kubeconfig = join(directory.path, 'config');
    await writeFile(kubeconfig, cluster.kubeconfigOf('observer'), { mode: 0o600 });
    await apply(low, own);
    await startObserver();
  });

  /** The observer has its roles, and the editor all roles that the chart and Kubernetes add to edit and admin. */
  async function bind(rendered: readonly Manifest[]): Promise<void> {
    const subjects = (name: string): object[] => [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }];
    const roleRef = (kind: string, name: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
    const [metadata, name] = [{ name: 'observer' }, 'probewright-observer'];
    const observers = subjects('observer');
    await cluster.create(`${RBAC}/clusterrolebindings`, {
      metadata,
      subjects: observers,
      roleRef: roleRef('ClusterRole', name),
    });
    const bindings = (namespace: string): string => `${RBAC}/namespaces/${namespace}/rolebindings`;
    await cluster.create(bindings(HOME), { metadata, subjects: observers, roleRef: roleRef('Role', name) });
    const aggregated = rendered.filter(({ metadata: { labels = {} } }) =>
      Object.keys(labels).some((label) => label.includes('aggregate-to')),
    );
    const names = [
      ...aggregated.map((role) => role.metadata.name),
      'system:aggregate-to-edit',
      'system:aggregate-to-admin',
    ];
    for (const role of names)
      await cluster.create(bindings('apps'), {
        metadata: { name: role },
        subjects: subjects('editor'),
        roleRef: roleRef('ClusterRole', role),
      });
  }

  /** A Pod as it would be stored. */
  async function created(namespace: string, labels: JsonObject = { app: 'web' }): Promise<StoredPod> {
    const container = { name: 'app', image: 'example.test/app:1', ports: [{ name: 'http', containerPort: 8080 }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', labels }, spec: { containers: [container] } };
    const { status, body } = await cluster.request('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
    if (status !== 201) throw new Error(`${status} ${body}`);
    return JSON.parse(body) as StoredPod;
  }
  const livenessOf = (pod: StoredPod): string | undefined => pod.spec.containers[0]?.livenessProbe?.httpGet?.path;
  const untilPath = (namespace: string, path: string | undefined): Promise<unknown> =>
    waitUntil(
      `a Pod in ${namespace} has ${path ?? 'no probe'}`,
      async () => livenessOf(await created(namespace)) === path,
      PATIENCE,
    );
  const needsNative = (context: TestContext): void => {
    if (whyNot !== undefined) console.log(`skipped: ${whyNot}`);
    context.skip(whyNot !== undefined, whyNot);
  };
  const stopObserver = async (): Promise<void> => {
    await observer?.stop();
    onTestFinished(startObserver);
  };

  it('has parameters of the observer as export prints them, also after somebody else has changed one', async () => {
    await waitUntil('the namespace has its own', async () => {
      const { body } = await cluster.request('GET', `${paramsOf(HOME)}/cluster`);
      return body.includes('"except":["apps"]');
    });
    const right = namespaceParam(policySet(low, own), 'apps');
    expect(await paramSpec('apps')).toEqual(right);
    expect(await paramSpec('other')).toBeUndefined();
    const spec = { ...right, layers: [], except: ['apps'] };
    const merge = { 'content-type': 'application/merge-patch+json' };
    const changed = await cluster.request('PATCH', `${paramsOf('apps')}/effective`, { spec }, merge);
    expect(changed.status, changed.body).toBe(200);
    await waitUntil('the change is overwritten', async () => equalJson(await paramSpec('apps'), right));
  });

  it('has parameters that nobody but the observer may write, whatever edit and admin grant', async () => {
    const asEditor = async (method: string, path: string, body?: object): Promise<number> =>
      (await cluster.requestAs('editor', method, path, body, { 'content-type': 'application/json' })).status;
    const policies = `${GROUP}/namespaces/apps/probepolicies`;
    expect(await asEditor('POST', `${policies}?dryRun=All`, policyDocument(endpoints('/x'), 'x', 'apps'))).toBe(201);
    const param = { ...paramObjectOf('effective'), spec: namespaceParam(policySet(own), 'apps') };
    expect(await asEditor('POST', paramsOf('apps'), param)).toBe(403);
    for (const method of ['PUT', 'PATCH'])
      expect([method, await asEditor(method, `${paramsOf('apps')}/effective`, param)]).toEqual([method, 403]);
    // Node sends no length of the body of a DELETE, so there is no body.
    for (const path of [`${paramsOf('apps')}/effective`, paramsOf('apps')])
      expect([path, await asEditor('DELETE', path)]).toEqual([path, 403]);
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const path = `${paramsOf('apps')}/mine?fieldManager=x`;
    const mine = await cluster.requestAs('observer', 'PATCH', path, { ...param, ...paramObjectOf('mine') }, apply);
    expect(mine.status).toBe(403);
  });

  it('gives a Pod the probes of its namespace, those of the cluster, or none where the chart exempts it', async (context) => {
    needsNative(context);
    await untilPath('apps', '/own');
    await untilPath('other', '/low');
    expect(provenance(await created('apps'))).toMatchObject({ livenessProbe: 'ProbePolicy/apps/own' });
    expect(livenessOf(await created('backups'))).toBeUndefined();
    expect(livenessOf(await created(HOME))).toBeUndefined();
    expect(livenessOf(await created('apps', { 'probewright.dev/webhook': 'disabled' }))).toBeUndefined();
  });

  it('goes by the last parameters while the observer is away', async (context) => {
    needsNative(context);
    await stopObserver();
    await apply(policyDocument(endpoints('/later'), 'own', 'apps'));
    onTestFinished(() => apply(own));
    expect(livenessOf(await created('apps'))).toBe('/own');
  });

  it('is told in the policies by a condition beside that of the webhook, and by none without it', async (context) => {
    needsNative(context);
    const path = `${GROUP}/namespaces/apps/probepolicies/own`;
    const conditions = async (): Promise<readonly JsonObject[]> =>
      objectsAt(await cluster.read<JsonObject>(path), 'status', 'conditions');
    await waitUntil('the condition is there', async () => (await conditions()).some(({ type }) => type === 'Native'));
    // As the webhook writes its own: a list of all.
    const time = { lastTransitionTime: '2026-01-01T00:00:00Z' };
    const ready = { type: 'Ready', status: 'True', reason: 'Accepted', message: 'in force', ...time };
    const status = { conditions: [...(await conditions()), ready] };
    const merge = { 'content-type': 'application/merge-patch+json' };
    const answer = await cluster.request('PATCH', `${path}/status?fieldManager=probewright-status`, { status }, merge);
    expect(answer.status, answer.body).toBe(200);
    await apply(policyDocument({ ...endpoints('/own'), slowStart: { learned: {} } }, 'own', 'apps'));
    const isLess = async (): Promise<boolean> => (await conditions()).some(({ reason }) => reason === 'NotExported');
    await waitUntil('the change is told', isLess);
    expect(await conditions()).toEqual([expect.objectContaining({ type: 'Native', status: 'False' }), ready]);
    await observer?.stop();
    await cluster.kubectl(['delete', 'mutatingadmissionpolicy/probewright-inject']);
    onTestFinished(() => apply(...nativePolicies, own));
    await startObserver();
    await waitUntil('the condition has gone', async () => (await conditions()).length === 1);
    expect(await conditions()).toEqual([ready]);
  });

  it.for([
    ['is broken', (spec: JsonObject) => ({ ...spec, layers: [{ ...firstLayer(spec), images: ['['] }] })],
    ['is of a newer version', (spec: JsonObject) => ({ ...spec, version: 2 })],
  ] as const)('adds nothing where a parameter %s, and lets the Pod pass', async ([, change], context) => {
    needsNative(context);
    await untilPath('apps', '/own');
    await stopObserver();
    const spec = change((await paramSpec('apps')) as JsonObject);
    await apply({ ...paramObjectOf('effective'), spec });
    await untilPath('apps', undefined);
    await startObserver();
    await untilPath('apps', '/own');
  });

  it('is not applied twice when a copy of it exists', async (context) => {
    needsNative(context);
    await untilPath('apps', '/own');
    const once = await created('apps');
    const copies = render({ set: SET, apiVersions: [NATIVE_API] })
      .filter(({ kind }) => kind.startsWith('MutatingAdmissionPolicy'))
      .map((each) => JSON.parse(JSON.stringify(each).replaceAll('"probewright-inject', '"copy-inject')) as object);
    await apply(...copies);
    onTestFinished(async () => {
      await cluster.kubectl(['delete', 'mutatingadmissionpolicy/copy-inject']);
      await cluster.kubectl([
        'delete',
        'mutatingadmissionpolicybinding',
        'copy-inject-namespaces',
        'copy-inject-others',
      ]);
    });
    const isAtWork = async (): Promise<boolean> => {
      await created('apps');
      return (await cluster.request('GET', '/metrics')).body.includes('policy="copy-inject"');
    };
    await waitUntil('the copy is evaluated', isAtWork, PATIENCE);
    const twice = await created('apps');
    expect([twice.spec, twice.metadata.annotations]).toEqual([once.spec, once.metadata.annotations]);
  });

  it('adds probes before a mesh looks for them', async (context) => {
    needsNative(context);
    const injector = await keep(startIstioInjector());
    await cluster.create(ISTIO, injector.configuration('00-mesh'));
    onTestFinished(() => cluster.delete(`${ISTIO}/00-mesh`));
    await untilPath('apps', '/app-health/app/livez');
    expect(provenance(await created('apps'))).toMatchObject({ livenessProbe: 'ProbePolicy/apps/own' });
  });

  it('adds nothing without the kind of its parameters, lets Pods pass, and works again with it', async (context) => {
    needsNative(context);
    await untilPath('apps', '/own');
    await cluster.kubectl(['delete', 'crd', 'namespaceprobes.probewright.dev']);
    await untilPath('apps', undefined);
    await waitUntil(
      'the observer tells',
      () => observer?.output().includes('NamespaceProbes cannot be watched now'),
      PATIENCE,
    );
    await applyCrds(cluster);
    await untilPath('apps', '/own');
    await untilPath('other', '/low');
  });
});

function paramObjectOf(name: string): JsonObject {
  return { apiVersion: 'probewright.dev/v1alpha1', kind: 'NamespaceProbes', metadata: { name, namespace: 'apps' } };
}

function firstLayer({ layers }: JsonObject): JsonObject {
  const [first] = Array.isArray(layers) ? (layers as unknown[]) : [];
  return isJsonObject(first) ? first : {};
}
