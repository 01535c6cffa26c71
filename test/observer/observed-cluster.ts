import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startObserver, type RunningObserver } from '../../src/observer/observe.ts';
import { createLogger } from '../../src/process/log.ts';
import { startFakeApiServer } from '../cluster/client/fake-api-server.ts';
import type { ObserveConfig } from '../../src/observer/observe.ts';
import type { FakeApiServer, FakeObject, ServedKind } from '../cluster/client/fake-api-server.ts';

export const DEPLOYMENTS: ServedKind = { apiVersion: 'apps/v1', kind: 'Deployment', resource: 'deployments' };
export const PODS: ServedKind = { apiVersion: 'v1', kind: 'Pod', resource: 'pods' };
export const OPEN_REPORTS: ServedKind = { apiVersion: 'openreports.io/v1alpha1', kind: 'Report', resource: 'reports' };
export const POLICY_REPORTS: ServedKind = {
  apiVersion: 'wgpolicyk8s.io/v1alpha2',
  kind: 'PolicyReport',
  resource: 'policyreports',
};

export const reportsOf = (namespace: string, { apiVersion, resource } = OPEN_REPORTS): string =>
  `/apis/${apiVersion}/namespaces/${namespace}/${resource}`;
export const deploymentsOf = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/deployments`;

/** An API server in memory with observers, and what they log. */
export class ObservedCluster {
  readonly lines: Record<string, unknown>[] = [];
  /** Added to the observers' wall clock, in milliseconds. */
  clockSkew = 0;
  readonly #running: RunningObserver[] = [];

  readonly api: FakeApiServer;
  readonly directory: string;

  private constructor(api: FakeApiServer, directory: string) {
    this.api = api;
    this.directory = directory;
  }

  static async start(): Promise<ObservedCluster> {
    const api = await startFakeApiServer();
    const directory = await mkdtemp(join(tmpdir(), 'observe-'));
    const cluster = { server: api.access.server, 'insecure-skip-tls-verify': true };
    const contexts = [{ name: 'fake', context: { cluster: 'fake', user: 'fake', namespace: 'probewright' } }];
    const users = [{ name: 'fake', user: {} }];
    const kubeconfig = { 'current-context': 'fake', clusters: [{ name: 'fake', cluster }], contexts, users };
    await writeFile(join(directory, 'config'), JSON.stringify(kubeconfig));
    api.serve([DEPLOYMENTS, PODS, OPEN_REPORTS]);
    return new ObservedCluster(api, directory);
  }

  async observe(
    changes: Partial<ObserveConfig> = {},
    connection: Partial<ObserveConfig['cluster']> = {},
  ): Promise<RunningObserver> {
    const config: ObserveConfig = {
      policies: undefined,
      host: '127.0.0.1',
      healthPort: 0,
      dashboardPort: undefined,
      dashboardHosts: undefined,
      enforcement: 'Deny',
      mutation: 'On',
      logLevel: 'info',
      workloadKinds: undefined,
      scanInterval: 3_600_000,
      webhookConfiguration: 'probewright',
      exemptNamespaces: undefined,
      reports: 'auto',
      reportsIncludeClean: false,
      learnsStarts: false,
      nativeParams: false,
      cluster: {
        kubeconfig: join(this.directory, 'config'),
        namespace: undefined,
        lease: 'probewright-observer',
        leaseDuration: 6000,
        leaseRenew: 100,
        watchRenewal: 60_000,
        readsServices: true,
        readsStartupProfiles: true,
        policyBudget: 64 * 1024 * 1024,
        ...connection,
      },
      ...changes,
    };
    const line = (text: string): void => void this.lines.push(JSON.parse(text) as Record<string, unknown>);
    const observer = await startObserver(config, {
      log: createLogger('info', { write: line }),
      now: () => Date.now() + this.clockSkew,
      monotonic: () => performance.now(),
    });
    this.#running.push(observer);
    return observer;
  }

  logged(message: string): readonly Record<string, unknown>[] {
    return this.lines.filter(({ msg }) => msg === message);
  }

  reports(namespace: string, kind = OPEN_REPORTS): readonly FakeObject[] {
    return this.api.list(reportsOf(namespace, kind));
  }

  /** Requests that change reports, as `METHOD name`. */
  reportWrites(): readonly string[] {
    return this.api.requests
      .filter(({ method, path }) => method !== 'GET' && /\/(policy)?reports(\/|$)/.test(path))
      .map(({ method, path, body }) => {
        const name = (body as FakeObject | undefined)?.metadata.name ?? path.split('/').at(-1) ?? '';
        return `${method} ${name}`;
      });
  }

  async stop(): Promise<void> {
    for (const observer of this.#running.splice(0)) await observer.stop();
    await this.api.stop();
    await rm(this.directory, { recursive: true });
  }
}

/** Asks the observer's health port. */
export async function ask(
  { healthPort }: RunningObserver,
  path: string,
  port = healthPort,
): Promise<{ readonly code: number; readonly body: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  return { code: response.status, body: await response.text() };
}

/** A Deployment whose readiness probe asks a port that the container does not declare, or declares. */
export function deployment(name: string, port = 'htpp', labels: Readonly<Record<string, string>> = {}): object {
  const container = {
    name: 'app',
    image: 'app:1',
    ports: [{ name: 'http', containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/ready', port } },
  };
  const template = { metadata: { labels: { app: name, ...labels } }, spec: { containers: [container] } };
  return { metadata: { name }, spec: { selector: { matchLabels: { app: name } }, template } };
}
