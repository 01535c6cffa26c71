import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ControlPlane } from './control-plane.ts';
import type { PodObject, VolumeObject } from './chart-pod-object.ts';

/** Writes what the Pod's volumes hold to where its container mounts them, below a root. */
export async function mountVolumes(cluster: ControlPlane, pod: PodObject, root: string): Promise<void> {
  const [container] = pod.spec.containers;
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const volume = pod.spec.volumes?.find((candidate) => candidate.name === name);
    if (volume === undefined) throw new Error(`${pod.metadata.name} mounts ${name}, which is no volume of it`);
    for (const [path, content] of await filesOf(cluster, pod, volume)) {
      const file = join(root, mountPath, path);
      await mkdir(dirname(file), { recursive: true });
      // Readable for all, as the kubelet leaves them when the Pod pins neither user nor group.
      await writeFile(file, content);
      await chmod(file, 0o644);
    }
  }
}

async function filesOf(cluster: ControlPlane, pod: PodObject, volume: VolumeObject): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const { namespace } = pod.metadata;
  if (volume.configMap) await addConfigMap(cluster, namespace, volume.configMap, files);
  if (volume.downwardAPI) addFields(pod, volume.downwardAPI, files);
  for (const { serviceAccountToken, configMap, downwardAPI } of volume.projected?.sources ?? []) {
    if (serviceAccountToken) files.set(serviceAccountToken.path, await token(cluster, pod));
    // The controller that publishes this one in each namespace does not run here.
    if (configMap?.name === 'kube-root-ca.crt') files.set('ca.crt', cluster.access.caPem);
    else if (configMap) await addConfigMap(cluster, namespace, configMap, files);
    if (downwardAPI) addFields(pod, downwardAPI, files);
  }
  if (files.size === 0) throw new Error(`no kubelet here knows what volume ${volume.name} holds`);
  return files;
}

function addFields(
  { metadata }: PodObject,
  { items }: NonNullable<VolumeObject['downwardAPI']>,
  files: Map<string, string>,
): void {
  for (const { path, fieldRef } of items) {
    const { fieldPath } = fieldRef;
    const annotation = /^metadata\.annotations\['(.+)'\]$/.exec(fieldPath)?.[1];
    const value = annotation === undefined ? undefined : metadata.annotations?.[annotation];
    const content = fieldPath === 'metadata.namespace' ? metadata.namespace : value;
    if (content === undefined) throw new Error(`no kubelet here knows ${fieldPath}`);
    files.set(path, content);
  }
}

async function addConfigMap(
  cluster: ControlPlane,
  namespace: string,
  source: NonNullable<VolumeObject['configMap']>,
  files: Map<string, string>,
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/configmaps/${source.name}`;
  const { data = {} } = await cluster.read<{ data?: Record<string, string> }>(path);
  const items = source.items ?? Object.keys(data).map((key) => ({ key, path: key }));
  for (const { key, path } of items) files.set(path, data[key] ?? '');
}

/** Longer than a kubelet's, which would come back with a new one. */
async function token(cluster: ControlPlane, { metadata, spec }: PodObject): Promise<string> {
  const path = `/api/v1/namespaces/${metadata.namespace}/serviceaccounts/${spec.serviceAccountName}/token`;
  const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: metadata.name, uid: metadata.uid };
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [], expirationSeconds: 7200, boundObjectRef },
  };
  const { status, body } = await cluster.request('POST', path, request);
  if (status !== 201) throw new Error(`no token for ${spec.serviceAccountName}: ${status} ${body}`);
  return (JSON.parse(body) as { status: { token: string } }).status.token;
}
