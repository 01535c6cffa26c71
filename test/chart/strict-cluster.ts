import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { statusOf } from '../cluster/client/fake-status.ts';
import { startFakeApiServer, type FakeApiServer } from '../cluster/client/fake-api-server.ts';
import { waitUntil } from '../cluster/client/wait-until.ts';
import { makeServingPair } from '../support/certificate.ts';
import { allowing, askedRight, rightsOf, type Right } from './rendered-rights.ts';
import type { Manifest } from './helm.ts';

/** The namespace of the release. */
export const NAMESPACE = 'probewright';

/**
 * What has not happened after this time, in milliseconds, never happens. On a busy machine, the reports of one observer
 * took more than 20 s.
 */
export const PATIENCE = 120_000;

interface DeploymentOfChart {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly serviceAccountName: string;
        readonly containers: readonly { readonly args: string[] }[];
      };
    };
  };
}

/** An API server in memory that authorizes strictly by the roles that the chart renders. */
export class StrictCluster {
  readonly api: FakeApiServer;
  readonly granted: readonly Right[];
  readonly directory: string;
  readonly #args: readonly string[];
  readonly #used = new Set<string>();
  readonly #refused = new Set<string>();

  private constructor(api: FakeApiServer, directory: string, granted: readonly Right[], args: readonly string[]) {
    this.api = api;
    this.directory = directory;
    this.granted = granted;
    this.#args = args;
  }

  /** @param deployment the name of the Deployment whose program runs in the test */
  static async start(manifests: readonly Manifest[], deployment: string): Promise<StrictCluster> {
    const found = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === deployment);
    if (found === undefined) throw new Error(`there is no Deployment ${deployment}`);
    const { serviceAccountName, containers } = (found as unknown as DeploymentOfChart).spec.template.spec;
    const api = await startFakeApiServer();
    const directory = await mkdtemp(join(tmpdir(), 'strict-'));
    const granted = rightsOf(manifests, serviceAccountName, NAMESPACE);
    const cluster = new StrictCluster(api, directory, granted, containers[0]?.args ?? []);
    await cluster.#writeFiles(manifests);
    return cluster;
  }

  /** The arguments of the container after the command, with the files of this test. */
  get args(): readonly string[] {
    return this.#args
      .slice(1)
      .map((arg) => arg.replace('=/etc/probewright/', `=${this.directory}/`))
      .map((arg) => (arg.startsWith('--kubeconfig=') ? `--kubeconfig=${join(this.directory, 'config')}` : arg));
  }

  get unused(): readonly string[] {
    return [...new Set(this.granted.map(({ text }) => text))].filter((text) => !this.#used.has(text)).toSorted();
  }

  get refused(): readonly string[] {
    return [...this.#refused].toSorted();
  }

  /** From now on, requests without a right are refused. */
  authorize(): void {
    this.api.intercept((request) => {
      const asked = askedRight(request);
      if (asked === undefined) return undefined;
      const rights = allowing(this.granted, asked);
      for (const { text } of rights) this.#used.add(text);
      if (rights.length > 0) return undefined;
      this.#refused.add(asked.text);
      return { status: 403, body: statusOf(403, 'Forbidden', `${asked.text}: forbidden`) };
    });
  }

  /** Resolves once all rights with this word are used, or after a time in which everything happens. */
  async allUsed(word = ''): Promise<void> {
    const areUsed = (): boolean => this.unused.every((text) => !text.includes(word));
    await waitUntil('all rights are used', areUsed, PATIENCE).catch(() => undefined);
    // A request that comes right after the last right.
    await sleep(100);
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await rm(this.directory, { recursive: true });
  }

  /** The kubeconfig, a serving pair, and the files of the chart's ConfigMap, each in the directory of its volume. */
  async #writeFiles(manifests: readonly Manifest[]): Promise<void> {
    const cluster = { server: this.api.access.server, 'insecure-skip-tls-verify': true };
    const contexts = [{ name: 'fake', context: { cluster: 'fake', user: 'fake' } }];
    const users = [{ name: 'fake', user: { token: 'fake' } }];
    const kubeconfig = { 'current-context': 'fake', clusters: [{ name: 'fake', cluster }], contexts, users };
    const { certPem, keyPem } = await makeServingPair();
    const data = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'probewright')?.[
      'data'
    ];
    const ofChart = (data ?? {}) as Readonly<Record<string, string>>;
    const files = {
      config: JSON.stringify(kubeconfig),
      'tls/tls.crt': certPem,
      'tls/tls.key': keyPem,
      'policies/cluster-policy.yaml': ofChart['cluster-policy.yaml'] ?? '',
      'workload-kinds/workload-kinds.yaml': ofChart['workload-kinds.yaml'] ?? '',
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(this.directory, name, '..'), { recursive: true });
      await writeFile(join(this.directory, name), text);
    }
  }
}
