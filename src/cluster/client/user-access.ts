import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { messageOf } from '../../base/text/error-message.ts';
import { accessOfContext, IN_CLUSTER, loadClusterAccess, type ClusterAccess } from './cluster-access.ts';
import { readKubeconfig } from './kubeconfig-file.ts';
import { isRecord } from './kubernetes-object.ts';

/** The user's flags about the cluster, as with kubectl. */
export interface UserAccessOptions {
  /** A kubeconfig. Undefined = as kubectl finds it. */
  readonly kubeconfig: string | undefined;
  /** A context of the kubeconfig. Undefined = the current context. */
  readonly context: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the cluster as kubectl does: `--kubeconfig`, then the files of `KUBECONFIG`, then `~/.kube/config`, then the
 * service account of this Pod. Rejects with an Error that names the files and what is wrong with them.
 */
export async function loadUserAccess({ kubeconfig, context, env }: UserAccessOptions): Promise<ClusterAccess> {
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  const standard = join(env['HOME'] ?? homedir(), '.kube', 'config');
  const files = kubeconfig !== undefined ? [kubeconfig] : listed.length > 0 ? listed : [standard];
  try {
    const found: unknown[] = [];
    // kubectl leaves out files of KUBECONFIG that do not exist.
    for (const file of files) found.push(...(await readIfPresent(file, kubeconfig !== undefined)));
    if (found.length > 0) return await accessOfContext(mergedKubeconfigs(found), context);
    if (env['KUBERNETES_SERVICE_HOST'] === undefined || context !== undefined) throw new Error('there is no such file');
  } catch (error) {
    throw new Error(`kubeconfig ${files.join(delimiter)} cannot be used: ${messageOf(error)}`, { cause: error });
  }
  return await loadClusterAccess(IN_CLUSTER);
}

async function readIfPresent(file: string, isRequired: boolean): Promise<readonly object[]> {
  try {
    return [await readKubeconfig(file)];
  } catch (error) {
    const isMissing = isRecord(error) && error['code'] === 'ENOENT';
    if (isMissing && !isRequired) return [];
    throw new Error(`${file}: ${messageOf(error)}`, { cause: error });
  }
}

const LISTS = ['clusters', 'users', 'contexts'];

/**
 * Merges kubeconfigs as kubectl does: the first entry of a name counts, and the first current-context that is not empty
 * counts.
 */
export function mergedKubeconfigs(kubeconfigs: readonly unknown[]): object {
  const records = kubeconfigs.filter(isRecord);
  const current = records
    .map((each) => each['current-context'])
    .find((name) => typeof name === 'string' && name !== '');
  const lists = LISTS.map((list) => {
    const byName = new Map<unknown, unknown>();
    for (const entry of records.flatMap((each): unknown[] => (Array.isArray(each[list]) ? each[list] : []))) {
      const name = isRecord(entry) ? entry['name'] : undefined;
      if (!byName.has(name)) byName.set(name, entry);
    }
    return [list, [...byName.values()]] as const;
  });
  return { ...records[0], ...Object.fromEntries(lists), 'current-context': current };
}
