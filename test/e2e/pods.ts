import { appContainer } from '../support/worlds.ts';
import { waitUntil } from './processes.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { ControlPlane } from './control-plane.ts';

/** A probe as the API server gives it back; only what the tests look at. */
export interface StoredProbe {
  readonly httpGet?: { readonly path: string; readonly port: string | number };
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
}

/** A Pod as the API server gives it back; only what the tests look at. */
export interface StoredPod {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly (Partial<Record<ProbeKind, StoredProbe>> & { readonly name: string })[];
  };
}

export const probeKinds = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
export type ProbeKind = (typeof probeKinds)[number];

/** A Pod such as controllers make them: one application container without probes, `app`, and a sidecar that no policy names. */
export function pod(name: string, namespace: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: 'shop', 'pod-template-hash': '7d4b9c6f5' } },
    spec: {
      containers: [
        {
          name: 'app',
          image: 'registry.example.com/shop:2.31.0',
          ports: [
            { name: 'http', containerPort: 8080 },
            { name: 'metrics', containerPort: 9394 },
          ],
          env: [
            { name: 'DATABASE_URL', value: 'postgres://db.example.com:5432/shop' },
            { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          ],
          resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '256Mi' } },
          volumeMounts: [{ name: 'cache', mountPath: '/var/cache/shop' }],
        },
        { name: 'log-shipper', image: 'registry.example.com/log-shipper:1.9.2' },
      ],
      volumes: [{ name: 'cache', emptyDir: {} }],
      terminationGracePeriodSeconds: 30,
    },
  };
}

/** What a Deployment has beside its name. */
export interface DeploymentMembers {
  readonly namespace?: string;
  /** Members of container `app`, which has the port http. */
  readonly container?: JsonObject;
  readonly more?: readonly JsonObject[];
  /** Default 0. */
  readonly replicas?: number;
  readonly metadata?: JsonObject;
  /** Members of the template's metadata, whose label `app` is the name. */
  readonly template?: JsonObject;
}

export function deployment(
  name: string,
  members: DeploymentMembers = {},
): JsonObject & { readonly spec: DeploymentSpec } {
  const { namespace = 'default', container = {}, more = [], replicas = 0, metadata, template } = members;
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, ...metadata },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels, ...template }, spec: { containers: [appContainer(container), ...more] } },
    },
  };
}

interface DeploymentSpec extends JsonObject {
  readonly template: { readonly metadata: JsonObject; readonly spec: { readonly containers: readonly JsonObject[] } };
}

/** Where Deployments of a namespace are created. */
export function deploymentsOf(namespace: string): string {
  return `/apis/apps/v1/namespaces/${namespace}/deployments`;
}

/** Whether container `app` has them all. */
export function hasThreeProbes(stored: unknown): boolean {
  const app = (stored as StoredPod).spec.containers.find(({ name }) => name === 'app');
  return app !== undefined && probeKinds.every((kind) => app[kind] !== undefined);
}

/** The HTTP path of container `app`'s probe. */
export function probePath(stored: StoredPod, kind: ProbeKind): string | undefined {
  return stored.spec.containers.find(({ name }) => name === 'app')?.[kind]?.httpGet?.path;
}

/** Which policy each of container `app`'s probes comes from, as the annotation says. */
export function provenance(stored: StoredPod): Record<string, string> {
  const annotation = stored.metadata.annotations?.['probewright.dev/injected'] ?? '{}';
  return (JSON.parse(annotation) as Record<string, Record<string, string>>)['app'] ?? {};
}

/** The Pod as it would be stored; throws when it would not. */
export async function dryRun(cluster: ControlPlane, namespace: string): Promise<StoredPod> {
  const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
  const { status, body } = await cluster.request('POST', path, pod('trial', namespace));
  if (status !== 201) throw new Error(`a trial Pod in ${namespace}: ${status} ${body}`);
  return JSON.parse(body) as StoredPod;
}

/** So many Pods at once need connections of their own, and those spread over the replicas. */
const atOnce = 6;

/**
 * Waits until a Pod of the namespace would get a probe on that path, whichever replica is asked, and gives the
 * milliseconds that passed before such a Pod was sent.
 */
export async function untilProbePath(
  cluster: ControlPlane,
  namespace: string,
  kind: ProbeKind,
  path: string,
  timeout = 30_000,
): Promise<number> {
  const started = performance.now();
  const ask = async (): Promise<number | undefined> => {
    const asked = performance.now() - started;
    const stored = await Promise.all(Array.from({ length: atOnce }, () => dryRun(cluster, namespace)));
    return stored.every((one) => probePath(one, kind) === path) ? asked : undefined;
  };
  return waitUntil(`Pods in ${namespace} get ${kind} on ${path}`, ask, timeout, 20);
}
