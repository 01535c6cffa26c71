import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FakeApiServer, Fault, SeenRequest } from '../../cluster/client/fake-api-server.ts';

/** A kind as discovery shows it: `apps/v1`, `deployments`, `Deployment`. */
export type DiscoveredKind = readonly [apiVersion: string, resource: string, kind: string, ...shortNames: string[]];

export const BUILT_INS: readonly DiscoveredKind[] = [
  ['v1', 'pods', 'Pod', 'po'],
  ['apps/v1', 'deployments', 'Deployment', 'deploy'],
  ['apps/v1', 'statefulsets', 'StatefulSet', 'sts'],
  ['apps/v1', 'replicasets', 'ReplicaSet', 'rs'],
  ['batch/v1', 'jobs', 'Job'],
];
export const POLICIES: readonly DiscoveredKind[] = [['probewright.dev/v1alpha1', 'probepolicies', 'ProbePolicy']];

/** Answers discovery as kube-apiserver does. Undefined for any other request. */
export function discovery(kinds: readonly DiscoveredKind[]): (request: SeenRequest) => Fault | undefined {
  return ({ path }) => {
    if (path === '/apis') return { status: 200, body: groupList(kinds) };
    const [, version] = /^\/apis?\/((?:[^/]+\/)?v[^/]+)$/.exec(path) ?? [];
    if (version === undefined) return undefined;
    const resources = kinds
      .filter(([apiVersion]) => apiVersion === version)
      .flatMap(([, name, kind, ...shortNames]) => [
        { name, singularName: kind.toLowerCase(), namespaced: true, kind, shortNames },
        { name: `${name}/status`, singularName: '', namespaced: true, kind },
      ]);
    return { status: 200, body: { kind: 'APIResourceList', groupVersion: version, resources } };
  };
}

function groupList(kinds: readonly DiscoveredKind[]): object {
  const byGroup = Map.groupBy(
    new Set(kinds.map(([apiVersion]) => apiVersion)),
    (apiVersion) => apiVersion.split('/').toReversed()[1] ?? '',
  );
  const groups = [...byGroup].flatMap(([name, versions]) => {
    const all = versions.map((groupVersion) => ({ groupVersion, version: groupVersion.split('/')[1] }));
    return name === '' ? [] : [{ name, versions: all, preferredVersion: all[0] }];
  });
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** Writes a kubeconfig for the API server into a directory, and returns its path. */
export async function writeKubeconfig(directory: string, api: FakeApiServer, namespace: string): Promise<string> {
  const kubeconfig = join(directory, 'kubeconfig');
  const config = {
    clusters: [{ name: 'c', cluster: { server: api.access.server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace } }],
    'current-context': 'x',
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  return kubeconfig;
}
