import { describe, expect, it } from 'vitest';
import { affectedParams, wantedParam } from '../../../src/observer/native/wanted-params.ts';
import { factsOf } from '../../engine/checks/workload.ts';
import { clusterPolicyDocument, policyDocument, policySet } from '../../support/worlds.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';

const endpoint = (path: string) => ({ kubernetesProbeEndpoints: { livenessProbe: path } });
const ofShop = policyDocument(endpoint('/shop'), 'own', 'shop');
const ofCluster = clusterPolicyDocument(endpoint('/cluster'));

type Known = Parameters<typeof wantedParam>[2];
/** The namespaces whose params are there. */
const known = (...namespaces: readonly string[]): Known => ({
  namespaces: new Map(namespaces.map((namespace) => [namespace, 'digest'])),
});

/** A Service of gRPC in each of these namespaces. */
const withServices = (snapshot: Snapshot, ...namespaces: readonly string[]): Snapshot =>
  snapshot.withFacts(
    factsOf(
      namespaces.map((namespace) => ({
        ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace } },
        spec: { selector: { app: 'web' }, ports: [{ port: 80, appProtocol: 'grpc' }] },
      })),
    ),
  );

describe('the param of a namespace', () => {
  it('has its own policies and those of the cluster', () => {
    const param = wantedParam('shop', policySet(ofCluster, ofShop), known());
    expect(param?.layers.map(({ source }) => source)).toEqual(['ProbePolicy/shop/own', 'ClusterProbePolicy/cluster']);
  });

  it('is wanted for a Service alone', () => {
    expect(wantedParam('shop', withServices(policySet(), 'shop'), known())?.services).toHaveLength(1);
  });

  it('is not wanted without policies and Services of its own', () => {
    expect(wantedParam('apps', policySet(ofCluster, ofShop), known('apps'))).toBeUndefined();
  });
});

describe('the param of the cluster', () => {
  it('leaves out the namespaces whose params are there and wanted, by the alphabet', () => {
    const ofApps = policyDocument(endpoint('/apps'), 'own', 'apps');
    const ofLate = policyDocument(endpoint('/late'), 'own', 'late');
    const snapshot = policySet(ofCluster, ofShop, ofApps, ofLate);
    const param = wantedParam(undefined, snapshot, known('shop', 'gone', 'apps'));
    expect(param?.except).toEqual(['apps', 'shop']);
    expect(param?.layers.map(({ source }) => source)).toEqual(['ClusterProbePolicy/cluster']);
  });
});

describe('the params that may have to be written', () => {
  const nothing = new Set<string>();
  const snapshot = policySet(ofCluster, ofShop);

  it('are none without a change', () => {
    expect(affectedParams(snapshot, snapshot, nothing, known('shop'))).toEqual(new Set());
  });

  it('are all at the beginning', () => {
    expect(affectedParams(undefined, snapshot, nothing, known())).toEqual(new Set(['shop', undefined]));
  });

  it('are all after a change of policies, with those that are there and no longer wanted', () => {
    expect(affectedParams(snapshot, policySet(ofShop), nothing, known('gone'))).toEqual(
      new Set(['shop', 'gone', undefined]),
    );
  });

  it('are those of a namespace whose Services have changed, and of the cluster', () => {
    const { services } = withServices(snapshot, 'a', 'b').facts;
    const before = snapshot.withFacts({ ...snapshot.facts, services });
    const more = services?.with(withServices(snapshot, 'b', 'c').facts.services ?? services);
    const after = snapshot.withFacts({ ...snapshot.facts, services: more });
    expect(affectedParams(before, after, nothing, known())).toEqual(new Set(['b', 'c', undefined]));
    expect(affectedParams(after, before, nothing, known())).toEqual(new Set(['b', 'c', undefined]));
  });

  it('are a touched one, that of the cluster, and each that is there and no longer wanted', () => {
    const touched = new Set(['shop']);
    expect(affectedParams(snapshot, snapshot, touched, known('shop', 'gone'))).toEqual(new Set(['shop', undefined]));
    expect(affectedParams(snapshot, snapshot, new Set([undefined]), known('shop', 'gone'))).toEqual(
      new Set([undefined, 'gone']),
    );
  });
});
