import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/cluster/client/api-client.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { fleetReport, type FleetSources } from '../../../src/observer/dashboard/fleet-report.ts';
import { ExtraResults, resultOfWarning } from '../../../src/observer/reports/report-result.ts';
import { NOW } from '../../support/now.ts';
import { policyDocument, policySet } from '../../support/worlds.ts';
import { AnsweringClient, listOf } from '../../cluster/client/answering-client.ts';
import { deployment } from '../observed-cluster.ts';
import type { Report } from '../../../src/explain/fleet-page/report.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';

const VERSION = { groupVersion: 'apps/v1', version: 'v1' };
const DISCOVERY: Readonly<Record<string, object>> = {
  '/apis': { groups: [{ name: 'apps', versions: [VERSION], preferredVersion: VERSION }] },
  '/api/v1': { resources: [{ name: 'pods', kind: 'Pod', namespaced: true }] },
  '/apis/apps/v1': {
    resources: [
      { name: 'deployments', kind: 'Deployment', namespaced: true },
      { name: 'replicasets', kind: 'ReplicaSet', namespaced: true },
    ],
  },
};

let lists: Record<string, (start: string | undefined) => unknown>;
let answering: AnsweringClient;
let extraResults: ExtraResults;
beforeEach(() => {
  [lists, extraResults] = [{}, new ExtraResults()];
  answering = new AnsweringClient(
    ({ path, query }) => DISCOVERY[path] ?? (lists[path] ?? (() => listOf()))(query?.['continue']),
  );
});

const [PODS, DEPLOYMENTS, REPLICA_SETS] = ['/api/v1/pods', '/apis/apps/v1/deployments', '/apis/apps/v1/replicasets'];
const web = (name: string, namespace = 'shop', metadata: object = {}): object => ({
  ...deployment(name),
  metadata: { name, namespace, uid: name, ...metadata },
});
const reportOf = (
  more: Partial<FleetSources> = {},
  current: Snapshot | undefined = policySet(),
): Promise<Report | undefined> =>
  fleetReport(
    {
      client: answering,
      kinds: KNOWN_KINDS,
      store: { current },
      isExempt: (namespace: string) => namespace === 'kube-system',
      extraResults,
      enforcement: 'Deny',
      addsProbes: true,
      gap: undefined,
      ...more,
    } as unknown as FleetSources,
    NOW,
  );
const names = (report: Report | undefined): unknown[] | undefined =>
  report?.workloads.map(({ explanation: { kind, namespace, name } }) => `${kind} ${namespace}/${name}`);

describe('the page of a cluster', () => {
  it('is about all workloads that the webhook looks at', async () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u', controller: true }];
    lists[DEPLOYMENTS] = () =>
      listOf(web('web'), web('dns', 'kube-system'), { metadata: { name: 'odd', namespace: 'shop' } });
    lists[REPLICA_SETS] = () => listOf(web('web-1', 'shop', { ownerReferences }), web('alone'));
    const report = await reportOf();
    expect(names(report)).toEqual(['Deployment shop/web', 'ReplicaSet shop/alone']);
    expect(report).toMatchObject({ subject: 'the cluster', now: NOW, isLive: true, mostRows: 1000, problems: [] });
    expect(report?.workloads[0]).toMatchObject({
      violations: [{ check: 'named-port', action: 'Deny' }],
      warnings: [],
      live: [],
      explanation: { containers: [{ fields: [] }] },
    });
  });

  it('says of a violation how it could be stored', async () => {
    lists[DEPLOYMENTS] = () => listOf(web('web'));
    const inForce = { missedVerdict: () => 'without a verdict at noon' } as unknown as NonNullable<
      FleetSources['inForce']
    >;
    const messages = async (more: Partial<FleetSources>): Promise<unknown> =>
      (await reportOf(more))?.workloads[0]?.violations.map(({ message }) => message);
    const message = 'container "app" declares no port named "htpp"';
    expect(await messages({})).toEqual([message]);
    expect(await messages({ inForce })).toEqual([`${message} (stored without a verdict at noon)`]);
    expect(await messages({ inForce, enforcement: 'Warn' })).toEqual([message]);
  });

  it('judges a Pod without its status, as the webhook does before it has an address', async () => {
    const container = {
      name: 'app',
      args: ['--http-addr=0.0.0.0:8080'],
      readinessProbe: { httpGet: { path: '/', port: 8080 } },
    };
    const status = { podIP: 'fd00::7', podIPs: [{ ip: 'fd00::7' }] };
    const metadata = { name: 'web', namespace: 'shop', uid: 'web' };
    lists[PODS] = () => listOf({ metadata, spec: { containers: [container] }, status });
    const [pod] = (await reportOf())?.workloads ?? [];
    expect(pod?.violations.map(({ check }) => check)).not.toContain('listen-address');
  });

  it('is not there before policies have been read, and then nothing is asked for', async () => {
    const sources = { client: answering, store: { current: undefined } } as unknown as FleetSources;
    expect(await fleetReport(sources, NOW)).toBeUndefined();
    expect(answering.requests).toEqual([]);
  });

  it('has the policies of each workload, and what is found about its Pods', async () => {
    lists[DEPLOYMENTS] = () => listOf(web('web'));
    const named = { namespace: 'shop', group: 'apps', kind: 'Deployment', name: 'web' };
    extraResults.replace('missed', [[named, [{ ...resultOfWarning('Pods lack probes'), rule: 'missed-pods' }]]]);
    const policies = policySet(policyDocument({ checks: {} }, 'p', 'shop'));
    const [workload] = (await reportOf({}, policies))?.workloads ?? [];
    expect(workload?.policies).toEqual(['ProbePolicy/shop/p']);
    expect(workload?.live).toHaveLength(1);
  });

  it('names what this replica does not know, and what it cannot list, and has the rest', async () => {
    lists[PODS] = () => new ApiError(403, 'Forbidden', 'no');
    lists[DEPLOYMENTS] = () => listOf(web('web'));
    const report = await reportOf({ gap: 'This observer does not lead.' });
    expect(report?.problems).toEqual(['This observer does not lead.', 'cannot list pods in all namespaces: forbidden']);
    expect(names(report)).toEqual(['Deployment shop/web']);
  });

  it('reads all pages of 5,000 workloads, and no page after them', async () => {
    const bare = (name: string): object => ({
      metadata: { name, namespace: 'shop', uid: name },
      spec: { template: { spec: { containers: [] } } },
    });
    const many = (count: number): object[] => Array.from({ length: count }, (_, index) => bare(`w-${index}`));
    const total = 7501;
    lists[DEPLOYMENTS] = (start) => {
      const from = Number(start ?? 0);
      const next = from + 2500 < total ? { continue: String(from + 2500) } : {};
      return { metadata: { resourceVersion: '1', ...next }, items: many(Math.min(2500, total - from)) };
    };
    const first = await reportOf();
    expect(first?.workloads).toHaveLength(5000);
    expect(first?.problems).toEqual([
      'The cluster has more than 5000 workloads, and this page is about so many of them. The reports and metrics of the ' +
        'observer are about all. For a page about a namespace: probewright report -n NAMESPACE.',
    ]);
    const paths = answering.requests.map(({ path }) => path);
    expect(paths.filter((path) => path === DEPLOYMENTS)).toHaveLength(3);
    expect(paths).not.toContain(REPLICA_SETS);
  });
});
