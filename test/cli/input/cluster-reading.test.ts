import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClusterFacts, ClusterReading, readObserverReports } from '../../../src/cli/input/cluster-reading.ts';
import { PatientClient } from '../../../src/cluster/client/patient-client.ts';
import { FACT_KINDS, type FactKind } from '../../../src/cluster/sources/fact-kinds.ts';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';

let api: FakeApiServer;
beforeEach(async () => {
  api = await startFakeApiServer();
});
afterEach(() => api.stop());

const reading = (namespace: string | undefined = 'shop'): ClusterReading => {
  const client = new PatientClient(api.access, 'test', { random: () => 0, pause: () => Promise.resolve() });
  return new ClusterReading(client, namespace);
};
const everywhere = (): ClusterReading =>
  new ClusterReading(
    new PatientClient(api.access, 'test', { random: () => 0, pause: () => Promise.resolve() }),
    undefined,
  );

const DEPLOYMENTS = { apiVersion: 'apps/v1', resource: 'deployments', isNamespaced: true };
const NODES = { apiVersion: 'v1', resource: 'nodes', isNamespaced: false };
const PATH = '/apis/apps/v1/namespaces/shop/deployments';
const refuse = (code: number): void => {
  const body = { kind: 'Status', apiVersion: 'v1', code, reason: 'No', message: 'no' };
  api.intercept(() => ({ status: code, body }));
};
const nameOf = ({ metadata }: KubernetesObject): string => metadata.name;
const messages = (problems: readonly { readonly message: string }[]): readonly string[] =>
  problems.map(({ message }) => message);

describe('a list of a cluster', () => {
  it('has what is kept of the objects in the scope', async () => {
    for (const name of ['a', 'b', 'c']) api.put(PATH, { metadata: { name, namespace: 'shop' } });
    const own = reading();
    expect(await own.list(DEPLOYMENTS, (object) => (nameOf(object) === 'b' ? undefined : nameOf(object)))).toEqual([
      'a',
      'c',
    ]);
    expect(own.problems).toEqual([]);
  });

  it('is asked for in a namespace, in all namespaces, or in the cluster', async () => {
    await reading().list(DEPLOYMENTS, nameOf);
    await everywhere().list(DEPLOYMENTS, nameOf);
    await reading().list(NODES, nameOf);
    expect(api.requests.map(({ path }) => path)).toEqual([PATH, '/apis/apps/v1/deployments', '/api/v1/nodes']);
  });

  it('has no status, unless the kind is read for it', async () => {
    api.put(PATH, { metadata: { name: 'a', namespace: 'shop' }, status: { replicas: 1 } });
    const statusOf = (object: KubernetesObject): unknown => (object as { status?: unknown }).status ?? 'none';
    expect(await reading().list(DEPLOYMENTS, statusOf)).toEqual(['none']);
    expect(await reading().list({ ...DEPLOYMENTS, isInStatus: true }, statusOf)).toEqual([{ replicas: 1 }]);
  });

  it('that cannot be read is a problem with its scope', async () => {
    refuse(403);
    for (const [own, kind, message] of [
      [reading(), DEPLOYMENTS, 'cannot list deployments.apps in namespace shop'],
      [everywhere(), DEPLOYMENTS, 'cannot list deployments.apps in all namespaces'],
      [reading(), NODES, 'cannot list nodes in the cluster'],
    ] as const) {
      expect(await own.list(kind, nameOf)).toBeUndefined();
      expect(messages(own.problems)).toEqual([expect.stringContaining(message)]);
      expect(own.missingRights).toEqual([]);
    }
  });

  it('of an optional kind is a missing right where it is forbidden, and a problem where it fails', async () => {
    for (const [code, rights, problems] of [
      [403, 1, 0],
      [404, 0, 1],
    ] as const) {
      refuse(code);
      const own = reading();
      await own.list({ ...DEPLOYMENTS, isOptional: true }, nameOf);
      expect([own.missingRights.length, own.problems.length]).toEqual([rights, problems]);
    }
  });

  it('of a kind that the cluster may lack is empty without the kind', async () => {
    refuse(404);
    const own = reading();
    expect(await own.list({ ...DEPLOYMENTS, mayBeMissing: true }, nameOf)).toEqual([]);
    expect(await own.list({ ...DEPLOYMENTS, mayBeMissing: false }, nameOf)).toBeUndefined();
    expect(own.problems).toHaveLength(1);
    refuse(403);
    expect(await own.list({ ...DEPLOYMENTS, mayBeMissing: true }, nameOf)).toBeUndefined();
  });

  it('is begun at most 3 times when its pages have expired', async () => {
    for (const [failures, lists] of [
      [2, ['a']],
      [3, undefined],
    ] as const) {
      let left = failures as number;
      api.intercept(() =>
        left-- > 0 ? { status: 410, body: { kind: 'Status', code: 410, message: 'old' } } : undefined,
      );
      api.put(PATH, { metadata: { name: 'a', namespace: 'shop' } });
      expect(await reading().list(DEPLOYMENTS, nameOf)).toEqual(lists);
    }
  });
});

describe('one object of a cluster', () => {
  it('has no status and no managed fields', async () => {
    api.put(PATH, { metadata: { name: 'a', namespace: 'shop', managedFields: [{}] }, status: { replicas: 1 } });
    expect(await reading().get(DEPLOYMENTS, 'a')).toMatchObject({ metadata: { name: 'a' }, status: null });
    expect((await reading().get(DEPLOYMENTS, 'a'))?.metadata).not.toHaveProperty('managedFields');
  });

  it('that does not exist, may not be read, or is none, is a problem', async () => {
    const what = 'deployments.apps "x" in namespace shop';
    const own = reading();
    expect(await own.get(DEPLOYMENTS, 'x')).toBeUndefined();
    refuse(403);
    expect(await own.get(DEPLOYMENTS, 'x')).toBeUndefined();
    api.intercept(() => ({ status: 200, body: { kind: 'Other' } }));
    expect(await own.get(DEPLOYMENTS, 'x')).toBeUndefined();
    expect(messages(own.problems)).toEqual([
      `${what} does not exist`,
      expect.stringContaining(`cannot get ${what}`),
      expect.stringContaining(`cannot get ${what}`),
    ]);
    expect(own.problems[2]?.message).toContain('the answer is no object');
  });
});

describe('the facts of a cluster', () => {
  const kindNamed = (name: string): FactKind => {
    const found = FACT_KINDS.find(({ kind }) => kind === name);
    if (found === undefined) throw new Error(name);
    return found;
  };
  const SERVICES = '/api/v1/namespaces/shop/services';
  const service = {
    metadata: { name: 'web', namespace: 'shop' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  };

  it('are known of a kind that can be listed, with the objects if they are wanted', async () => {
    api.put(SERVICES, service);
    const [facts, kept] = [new ClusterFacts(), new ClusterFacts()];
    await facts.read(reading(), kindNamed('Service'), false);
    await kept.read(reading(), kindNamed('Service'), true);
    expect(facts.facts.services?.ofNamespace('shop').map(({ name }) => name)).toEqual(['web']);
    expect(facts.objects).toEqual([]);
    expect(kept.objects).toMatchObject([{ apiVersion: 'v1', kind: 'Service', ...service }]);
  });

  it('are known to be none without objects, and unknown without the right to list', async () => {
    const facts = new ClusterFacts();
    expect(facts.facts.services).toBeUndefined();
    await facts.read(reading(), kindNamed('Service'), false);
    expect(facts.facts.services?.ofNamespace('shop')).toEqual([]);
    refuse(403);
    const [unknown, own] = [new ClusterFacts(), reading()];
    await unknown.read(own, kindNamed('Service'), false);
    expect(unknown.facts.services).toBeUndefined();
    expect([own.missingRights.length, own.problems.length]).toEqual([1, 0]);
  });

  it('of an object that cannot be read are a problem at the object', async () => {
    const path = '/apis/probewright.dev/v1alpha1/namespaces/shop/probeexceptions';
    api.put(path, { metadata: { name: 'bad', namespace: 'shop' }, spec: { prot: 1 } });
    const facts = new ClusterFacts();
    await facts.read(reading(), kindNamed('ProbeException'), false);
    expect(facts.problems.length).toBeGreaterThan(0);
    expect(facts.problems[0]).toMatchObject({ file: 'cluster:shop/probeexception/bad', line: 1, column: 1 });
  });

  it('that verdicts need are a problem where they may not be listed', async () => {
    refuse(403);
    const own = reading();
    await new ClusterFacts().read(own, kindNamed('ProbeException'), false);
    expect([own.missingRights.length, own.problems.length]).toEqual([0, 1]);
  });
});

describe('the reports of an observer', () => {
  it('are not asked for where the cluster does not serve their API, and are where discovery is forbidden', async () => {
    const asked = async (groups: ReadonlyMap<string, readonly string[]> | undefined): Promise<readonly string[]> => {
      const before = api.requests.length;
      const own = reading();
      expect(await readObserverReports({ kinds: [], problems: [], groups }, own)).toEqual([]);
      expect([own.problems, own.missingRights]).toEqual([[], []]);
      return api.requests.slice(before).map(({ path }) => path);
    };
    refuse(404);
    expect(await asked(new Map())).toEqual([]);
    const all = await asked(undefined);
    expect(all.length).toBeGreaterThan(1);
    expect(all.every((path) => path.includes('/namespaces/shop/'))).toBe(true);
    const [, , group = '', version = ''] = all[0]?.split('/') ?? [];
    expect(await asked(new Map([[group, [`${group}/${version}`]]]))).toEqual([all[0]]);
    expect(await asked(new Map([[group, [`${group}/v0`]]]))).toEqual([]);
  });
});
