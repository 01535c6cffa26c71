import type { RequestOptions } from 'node:https';

/** How to reach a cluster's API server, and as whom. */
export interface ClusterAccess {
  /** Base URL of the API server, without a trailing slash. */
  readonly server: string;
  /** The namespace that the access is for: the service account's, or the kubeconfig context's. */
  readonly namespace: string | undefined;
  /** TLS settings, credentials and agent for one request; asked for each, as tokens are renewed while a process runs. */
  requestOptions(): Promise<RequestOptions>;
}

/** What `--kubeconfig` says for the service account that a Pod runs under. */
export const IN_CLUSTER = 'in-cluster';

/**
 * Reads a kubeconfig, or the service account that Kubernetes mounts into every Pod. Rejects with an Error that names the file and what is
 * wrong with it. client-node does what it is good at: contexts, certificates, tokens read anew, exec plugins, proxies.
 *
 * @param kubeconfig path of a kubeconfig, or IN_CLUSTER
 * @param root where the service account's files are looked for, for tests
 */
export async function loadClusterAccess(kubeconfig: string, root = ''): Promise<ClusterAccess> {
  // Loaded when needed only: reading it takes longer than the whole start of a server that has its policies from files.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    if (kubeconfig === IN_CLUSTER) {
      if (process.env['KUBERNETES_SERVICE_HOST'] === undefined)
        throw new Error('KUBERNETES_SERVICE_HOST is not set: this is no Pod of a cluster');
      config.loadFromCluster(root);
    } else config.loadFromFile(kubeconfig);
    const cluster = config.getCurrentCluster();
    if (cluster === null) {
      throw new Error(
        `its current context ${JSON.stringify(config.getCurrentContext())} names no cluster that it defines`,
      );
    }
    // Proves now, not at the first request, that the certificates and tokens can be read.
    await config.applyToHTTPSOptions({});
    return {
      server: cluster.server.replace(/\/+$/, ''),
      namespace: config.getContextObject(config.getCurrentContext())?.namespace?.trim(),
      requestOptions: async () => {
        const options: RequestOptions = {};
        await config.applyToHTTPSOptions(options);
        return options;
      },
    };
  } catch (error) {
    const what = kubeconfig === IN_CLUSTER ? 'the service account of this Pod' : `kubeconfig ${kubeconfig}`;
    throw new Error(`${what} cannot be used: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
