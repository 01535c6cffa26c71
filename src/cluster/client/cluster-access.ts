import { objectsAt, textAt } from '../../base/json/field-path.ts';
import { isJsonObject } from '../../base/json/json-value.ts';
import { readRegularFile, refuseSpecialFile } from '../../base/files/regular-file.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { parse } from 'yaml';
import type { Cluster, KubeConfig } from '@kubernetes/client-node';
import type { RequestOptions } from 'node:https';

export interface ClusterAccess {
  readonly server: string;
  /** The namespace that the access is for: the service account's, or the kubeconfig context's. */
  readonly namespace: string | undefined;
  /** To be called for each request, as tokens are renewed while a process runs. */
  requestOptions(): Promise<RequestOptions>;
}

export const IN_CLUSTER = 'in-cluster';

/** Errors name the file and what is wrong. `root` is where a service account's files are, for tests. */
export async function loadClusterAccess(kubeconfig: string, root = ''): Promise<ClusterAccess> {
  try {
    return await accessOf(await (kubeconfig === IN_CLUSTER ? serviceAccount(root) : readKubeconfig(kubeconfig)));
  } catch (error) {
    const what = kubeconfig === IN_CLUSTER ? 'the service account of this Pod' : `kubeconfig ${kubeconfig}`;
    throw new Error(`${what} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

async function serviceAccount(root: string): Promise<KubeConfig> {
  if (process.env['KUBERNETES_SERVICE_HOST'] === undefined)
    throw new Error('KUBERNETES_SERVICE_HOST is not set: this is no Pod of a cluster');
  const config = await emptyConfig();
  config.loadFromCluster(root);
  return config;
}

/** client-node is loaded only when needed: that takes longer than the start of a server with policies of files. */
export async function emptyConfig(): Promise<KubeConfig> {
  const { KubeConfig } = await import('./kube-config.ts');
  return new KubeConfig();
}

/** Rejects when the certificates and tokens cannot be read. */
export async function accessOf(config: KubeConfig): Promise<ClusterAccess> {
  const cluster = currentCluster(config);
  for (const file of credentialFiles(config, cluster)) await refuseSpecialFile(file);
  // Now, not at the first request.
  proveCertificates(await requestOptions(config, cluster));
  return {
    server: cluster.server.replace(/(?<!\/)\/+$/, ''),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace?.trim(),
    requestOptions: () => requestOptions(config, cluster),
  };
}

function currentCluster(config: KubeConfig): Cluster {
  // Typed as if there always were one.
  const name = config.getCurrentContext() as string | undefined;
  if (name === undefined || name === '') throw new Error('it has no current-context');
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error(`its current context ${JSON.stringify(name)} names no cluster that it defines`);
  const user = config.getContextObject(name)?.user;
  // Without a user, client-node would also ignore the certificate authority.
  if (user === undefined) throw new Error(`its current context ${JSON.stringify(name)} names no user`);
  if (config.getUser(user) === null) {
    const what = `the user ${JSON.stringify(user)}, which it does not define`;
    throw new Error(`its current context ${JSON.stringify(name)} names ${what}`);
  }
  if (!URL.canParse(cluster.server)) throw new Error(`its server ${JSON.stringify(cluster.server)} is no URL`);
  return cluster;
}

/** The files that client-node will read to their end: a special file could block it. */
function credentialFiles(config: KubeConfig, cluster: Cluster): string[] {
  const user = config.getCurrentUser();
  const tokenFile = textAt(user, 'authProvider', 'config', 'tokenFile');
  return [cluster.caFile, user?.certFile, user?.keyFile, tokenFile].filter((file) => typeof file === 'string');
}

async function requestOptions(config: KubeConfig, cluster: Cluster): Promise<RequestOptions> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  // client-node keeps its agent, and an agent keeps its first certificates, also when the files have been renewed.
  if (!cluster.proxyUrl) options.agent = false;
  const { headers } = options;
  // Files end in a newline, headers must not.
  if (isJsonObject(headers) && typeof headers['Authorization'] === 'string')
    options.headers = { ...headers, Authorization: headers['Authorization'].trim() };
  return options;
}

function proveCertificates({ ca, cert, key }: RequestOptions): void {
  try {
    createSecureContext({ ca, cert, key });
  } catch (error) {
    throw new Error(`its certificates are unusable: ${messageOf(error)}`, { cause: error });
  }
}

/** Paths are absolute, as files may be merged. Errors quote nothing of the file, which may hold secrets. */
export async function readKubeconfig(path: string): Promise<KubeConfig> {
  const content = parsed((await readRegularFile(path)).toString('utf8'));
  if (!isJsonObject(content)) throw new Error('it is no kubeconfig');
  const config = await emptyConfig();
  config.loadFromString(JSON.stringify(content));
  config.makePathsAbsolute(dirname(path));
  for (const [index, user] of objectsAt(content, 'users').entries()) {
    const tokenFile = textAt(user, 'user', 'tokenFile') ?? '';
    const authProvider = { name: 'tokenFile', config: { tokenFile: resolve(dirname(path), tokenFile) } };
    // client-node does not read this field. As in kubectl, it wins over `token`.
    if (tokenFile !== '') Object.assign(config.users[index] ?? {}, { token: undefined, authProvider });
  }
  return config;
}

function parsed(text: string): unknown {
  try {
    return parse(text, { merge: true });
  } catch (error) {
    // The lines after the first show the place.
    const [first = ''] = messageOf(error).split('\n');
    throw new Error(`it is no YAML: ${first}`);
  }
}
