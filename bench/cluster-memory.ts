import { fork } from 'node:child_process';
import { once } from 'node:events';
import { ApiClient } from '../src/cluster/client/api-client.ts';
import { KubernetesSource } from '../src/cluster/sources/kubernetes-source.ts';
import { PolicyStore } from '../src/cluster/sources/policy-store.ts';
import { startFakeApiServer } from '../test/cluster/client/fake-api-server.ts';

/**
 * What a mirrored policy and a mirrored namespace cost, in memory: four processes that each mirror another cluster, so
 * that the difference is theirs. `npx node bench/cluster-memory.ts`
 */
const POLICIES = 2000;
const NAMESPACES = 10_000;
/** Bytes of heap a policy, all told. */
const GOAL = 2560;

/** What a process takes, in bytes. */
export interface Figures {
  readonly heap: number;
  readonly rss: number;
  /** With what every namespace's policies are, worked out once for each. */
  readonly heapInUse: number;
  readonly rssInUse: number;
  readonly peakRss: number;
  /** Of a process that has loaded its code and nothing else. */
  readonly bareRss: number;
}

const managedFields = (fields: object): object[] => [
  { manager: 'argocd', operation: 'Apply', apiVersion: 'v1', time: '2026-01-01T00:00:00Z', fieldsV1: fields },
];

function namespaceOf(index: number): object {
  const name = `team-${index % 400}-service-${index}`;
  const labels = {
    'kubernetes.io/metadata.name': name,
    'app.kubernetes.io/managed-by': 'argocd',
    'argocd.argoproj.io/instance': `namespaces-${index % 400}`,
    'pod-security.kubernetes.io/enforce': index % 3 === 0 ? 'restricted' : 'baseline',
    team: `team-${index % 400}`,
    environment: ['production', 'staging', 'development'][index % 3],
    'cost-centre': `cc-${1000 + (index % 90)}`,
  };
  return {
    metadata: {
      name,
      labels,
      annotations: { 'openshift.io/description': `what team ${index % 400} runs` },
      managedFields: managedFields({ 'f:metadata': { 'f:labels': labels } }),
    },
  };
}

function policyOf(index: number): { namespace: string; policy: object } {
  const namespace = `team-${index % 400}-service-${index}`;
  const spec = {
    ...(index % 2 === 0 && { workloadSelector: { matchLabels: { 'app.kubernetes.io/name': `service-${index}` } } }),
    containers: ['app'],
    port: 'http',
    kubernetesProbeEndpoints: {
      startupProbe: '/healthcheck/ready',
      livenessProbe: '/healthcheck/live',
      readinessProbe: `/healthcheck/service-${index}`,
    },
    probes: {
      livenessProbe: { periodSeconds: 5, failureThreshold: 3, timeoutSeconds: 30 },
      readinessProbe: { periodSeconds: 5, timeoutSeconds: 2 },
    },
    slowStart: { startupSeconds: 300, fromInitialDelaySeconds: 30 },
    checks: { 'named-port': { action: 'Deny' }, 'startup-budget': { action: 'Warn', minimumSeconds: 30 } },
  };
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec }) };
  const metadata = {
    name: `service-${index}`,
    namespace,
    annotations,
    managedFields: managedFields({ 'f:spec': spec }),
  };
  return { namespace, policy: { metadata, spec } };
}

/** A process of its own that mirrors such a cluster. */
export async function figures(policies: number, namespaces: number): Promise<Figures> {
  const api = await startFakeApiServer();
  for (let index = 0; index < namespaces; index++) api.put('/api/v1/namespaces', namespaceOf(index));
  for (let index = 0; index < policies; index++) {
    const { namespace, policy } = policyOf(index);
    api.put(`/apis/probewright.dev/v1alpha1/namespaces/${namespace}/probepolicies`, policy);
  }
  const child = fork(import.meta.filename, ['mirror', api.access.server], { execArgv: ['--expose-gc'] });
  const [message] = (await once(child, 'message')) as [Figures];
  await once(child, 'exit');
  await api.stop();
  return message;
}

/** The other process: mirrors, measures, tells and ends. */
async function mirror(server: string): Promise<void> {
  const client = new ApiClient({ server, namespace: undefined, requestOptions: () => Promise.resolve({}) }, 'bench');
  const bareRss = (await settled()).rss;
  const store = new PolicyStore(['cluster']);
  const source = new KubernetesSource({ client, now: Date.now, random: Math.random });
  const replace = (snapshot: Parameters<PolicyStore['replace']>[1]): void => store.replace('cluster', snapshot);
  replace(await source.start({ changed: replace, failed: (problems) => console.error(problems) }));
  const { heapUsed: heap, rss } = await settled();
  for (let index = 0; index < NAMESPACES; index++)
    store.current?.policyFor(`team-${index % 400}-service-${index}`, new Map());
  const inUse = await settled();
  const peakRss = process.resourceUsage().maxRSS * 1024;
  const found: Figures = { heap, rss, heapInUse: inUse.heapUsed, rssInUse: inUse.rss, peakRss, bareRss };
  process.send?.(found);
  source.stop();
  process.disconnect();
}

async function settled(): Promise<NodeJS.MemoryUsage> {
  for (let round = 0; round < 5; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage();
}

const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

async function report(): Promise<void> {
  const none = await figures(0, 0);
  const policies = await figures(POLICIES, 0);
  const namespaces = await figures(0, NAMESPACES);
  const all = await figures(POLICIES, NAMESPACES);
  const each = (some: Figures, count: number, of: 'heap' | 'rss'): number => Math.round((some[of] - none[of]) / count);
  const perPolicy = each(policies, POLICIES, 'heap');
  console.log(`a policy     heap ${perPolicy} B, RSS ${each(policies, POLICIES, 'rss')} B`);
  console.log(
    `a namespace  heap ${each(namespaces, NAMESPACES, 'heap')} B, RSS ${each(namespaces, NAMESPACES, 'rss')} B`,
  );
  console.log(`mirroring nothing: heap ${mib(none.heap)}, RSS ${mib(none.rss)} (bare process ${mib(none.bareRss)})`);
  console.log(
    `mirroring ${POLICIES} policies and ${NAMESPACES} namespaces: heap ${mib(all.heap)}, RSS ${mib(all.rss)}`,
  );
  console.log(`after one request from every namespace: heap ${mib(all.heapInUse)}, RSS ${mib(all.rssInUse)}`);
  console.log(`peak RSS, while reading the cluster: ${mib(all.peakRss)}`);
  console.log(perPolicy < GOAL ? `below the goal of ${GOAL} B a policy` : `ABOVE the goal of ${GOAL} B a policy`);
  if (perPolicy >= GOAL) process.exitCode = 1;
}

if (import.meta.main) {
  const [role, server] = process.argv.slice(2);
  await (role === 'mirror' && server !== undefined ? mirror(server) : report());
}
