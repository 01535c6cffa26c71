import { textAt } from '../../base/json/field-path.ts';
import { messageOf } from '../../base/text/error-message.ts';
import {
  accessOf,
  emptyConfig,
  IN_CLUSTER,
  loadClusterAccess,
  readKubeconfig,
  type ClusterAccess,
} from './cluster-access.ts';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';

export interface UserAccessOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Finds the cluster as kubectl does. Errors name the files and what is wrong with them. */
export async function loadUserAccess({ kubeconfig, context, env }: UserAccessOptions): Promise<ClusterAccess> {
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  const standard = join(env['HOME'] ?? homedir(), '.kube', 'config');
  const files = kubeconfig !== undefined ? [kubeconfig] : listed.length > 0 ? listed : [standard];
  try {
    const found: KubeConfig[] = [];
    // kubectl leaves out files of KUBECONFIG that do not exist.
    for (const file of files) found.push(...(await readIfPresent(file, kubeconfig !== undefined)));
    if (found.length > 0) return await accessOf(await merged(found, context));
    if (env['KUBERNETES_SERVICE_HOST'] === undefined || context !== undefined) throw new Error('there is no such file');
  } catch (error) {
    throw new Error(`kubeconfig ${files.join(delimiter)} cannot be used: ${messageOf(error)}`, { cause: error });
  }
  return await loadClusterAccess(IN_CLUSTER);
}

async function readIfPresent(file: string, isRequired: boolean): Promise<readonly KubeConfig[]> {
  try {
    return [await readKubeconfig(file)];
  } catch (error) {
    if (textAt(error, 'code') === 'ENOENT' && !isRequired) return [];
    throw new Error(`${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** As kubectl merges: the first entry of a name counts, and the first current-context that is not empty. */
async function merged(configs: readonly KubeConfig[], context: string | undefined): Promise<KubeConfig> {
  const [clusters, users] = [configs.flatMap((each) => each.clusters), configs.flatMap((each) => each.users)];
  const contexts = configs.flatMap((each) => each.contexts);
  const names = [...new Set(contexts.map(({ name }) => name))];
  if (context !== undefined && !names.includes(context)) {
    const known = names.length === 0 ? 'it has no context' : `its contexts are ${names.join(', ')}`;
    throw new Error(`it has no context ${JSON.stringify(context)}; ${known}`);
  }
  const current = configs.map((each) => each.currentContext).find(Boolean);
  const config = await emptyConfig();
  config.loadFromOptions({ clusters, users, contexts, currentContext: context ?? current });
  return config;
}
