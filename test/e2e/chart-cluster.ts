import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { Kubelet } from './chart-kubelet.ts';
import { KubeProxy } from './chart-kube-proxy.ts';
import { type Image, makeImage } from './chart-image.ts';
import { type NewerFace, newerFace } from './chart-newer-face.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { type CommandResult, run, waitUntil } from './processes.ts';
import { labelNamespaces } from './release-objects.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import type { Cluster } from './cluster.ts';

/** Where the docs install the chart, and under which name. */
export const releaseNamespace = 'probewright-system';
export const releaseName = 'probewright';

/** A control plane, and a node whose Pods run, in one namespace. */
export interface ChartCluster extends Cluster {
  readonly kubelet: Kubelet;
  readonly proxy: KubeProxy;
  /** Undefined where the server is new enough for helm to install the chart. */
  readonly face: NewerFace | undefined;
  /** Runs a shell script as an operator would, at the root of a clone, with helm and kubectl. */
  shell(script: string): Promise<CommandResult>;
  /** The same; throws what it says when it fails. */
  sh(script: string): Promise<string>;
  /** Waits until the Deployment has that many replicas, all new, ready and reachable, and no Pod besides. */
  untilRolledOut(replicas: number, timeout?: number): Promise<void>;
}

const root = join(import.meta.dirname, '../..');

/** Starts it all but for the release itself. Whoever starts it stops it. */
export async function startChartCluster(): Promise<ChartCluster> {
  const endings: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of endings.splice(0).toReversed()) await end();
  };
  try {
    return await launch(endings, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function launch(endings: (() => Promise<void>)[], stop: () => Promise<void>): Promise<ChartCluster> {
  const directory = await temporaryDirectory('chart');
  endings.push(() => directory.remove());
  const image = await makeImage();
  endings.push(() => image.remove());
  const controlPlane = await startControlPlane({ controllers: true });
  endings.push(() => controlPlane.stop());
  const face = controlPlane.minor < oldestMinor() ? await makeFace(controlPlane, directory.path) : undefined;
  if (face) endings.push(() => face.stop());
  const kubelet = await startKubelet(controlPlane, image, join(directory.path, 'pods'), face !== undefined);
  endings.push(() => kubelet.stop());
  const proxy = new KubeProxy(controlPlane, releaseNamespace, releaseName);
  endings.push(() => proxy.stop());
  const env = await operatorEnvironment(controlPlane, directory.path, face);
  const shell = (script: string): Promise<CommandResult> =>
    run('bash', ['--norc', '-euo', 'pipefail', '-c', script], { env, cwd: root });
  const sh = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await shell(script);
    if (code !== 0) throw new Error(`${script}\nended with code ${String(code)}: ${stdout}${stderr}`);
    return stdout;
  };
  return {
    ...controlPlane,
    ...{ kubelet, proxy, face, shell, sh, stop },
    releases: [],
    install: () => Promise.reject(new Error('the chart is installed by helm')),
    untilRolledOut: (replicas, timeout = 60_000) => untilRolledOut(controlPlane, kubelet, proxy, replicas, timeout),
  };
}

/** The minor version of the oldest Kubernetes 1 that the chart is for. */
function oldestMinor(): number {
  const { kubeVersion } = parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8')) as { kubeVersion: string };
  return Number(/>=1\.(\d+)/.exec(kubeVersion)?.[1]);
}

/** Helm's way to an older server, whose namespaces have no names that selectors could go by unless somebody labels them. */
async function makeFace(cluster: ControlPlane, directory: string): Promise<NewerFace> {
  await cluster.kubectl(['create', 'namespace', releaseNamespace]);
  await labelNamespaces(cluster, ['kube-system', releaseNamespace]);
  return newerFace(cluster, oldestMinor(), join(directory, 'helm.kubeconfig'));
}

async function startKubelet(
  cluster: ControlPlane,
  image: Image,
  directory: string,
  sleepIsDropped: boolean,
): Promise<Kubelet> {
  const { preStopSleepSeconds } = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as {
    preStopSleepSeconds: number;
  };
  const chroot = (await run('sh', ['-c', 'command -v chroot'], { env: process.env })).stdout.trim();
  const droppedSleepSeconds = sleepIsDropped ? preStopSleepSeconds : undefined;
  return Kubelet.start({ cluster, image, directory, chroot, droppedSleepSeconds }, releaseNamespace);
}

/** A home of one's own, with a `helm` and a `kubectl` that know where the cluster is. */
async function operatorEnvironment(
  cluster: ControlPlane,
  directory: string,
  face: NewerFace | undefined,
): Promise<NodeJS.ProcessEnv> {
  const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
  const bin = join(directory, 'bin');
  const home = join(directory, 'home');
  for (const path of [bin, home]) await mkdir(path);
  // An older server's schema does not know what its face takes out later, and no budget of policy/v1.
  const extra = '--disable-openapi-validation --set podDisruptionBudget.enabled=false';
  const helm = face
    ? `case "$1" in install|upgrade) set -- "$@" ${extra};; esac\nKUBECONFIG=${face.kubeconfig} exec ${assets}/helm "$@"`
    : `exec ${assets}/helm "$@"`;
  await writeFile(join(bin, 'helm'), `#!/bin/sh\n${helm}\n`, { mode: 0o755 });
  await writeFile(join(bin, 'kubectl'), `#!/bin/sh\nexec ${assets}/kubectl "$@"\n`, { mode: 0o755 });
  return { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: home, KUBECONFIG: cluster.kubeconfig };
}

interface DeploymentStatus {
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly replicas: number };
  /** What is 0 is left out. */
  readonly status: Readonly<
    Partial<Record<'observedGeneration' | 'replicas' | 'updatedReplicas' | 'availableReplicas', number>>
  >;
}

async function untilRolledOut(
  cluster: ControlPlane,
  kubelet: Kubelet,
  proxy: KubeProxy,
  replicas: number,
  timeout: number,
): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${releaseNamespace}/deployments/${releaseName}`;
  const isDone = async (): Promise<boolean> => {
    const { status, body } = await cluster.request('GET', path);
    if (status !== 200) return false;
    const { metadata, spec, status: reached } = JSON.parse(body) as DeploymentStatus;
    const { observedGeneration, updatedReplicas = 0, availableReplicas = 0 } = reached;
    if (observedGeneration !== metadata.generation || spec.replicas !== replicas) return false;
    const pods = (await kubelet.list()).filter(
      (pod) => pod.metadata.labels?.['app.kubernetes.io/component'] === 'webhook',
    );
    const counts = [updatedReplicas, availableReplicas, reached.replicas ?? 0, pods.length, proxy.endpoints];
    return counts.every((count) => count === replicas);
  };
  await waitUntil(`the Deployment has ${replicas} new replicas`, isDone, timeout).catch((error: unknown) => {
    const logs = kubelet.pods.map((pod) => `${pod.object.metadata.name}: ${pod.output().slice(-800)}`);
    throw new Error([String(error), ...kubelet.problems, ...proxy.problems, ...logs].join('\n'));
  });
}
