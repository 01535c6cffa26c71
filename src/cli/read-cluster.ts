import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { PatientClient } from '../cluster/client/patient-client.ts';
import { loadUserAccess } from '../cluster/client/user-access.ts';
import { readClusterInputs } from './input/cluster-inputs.ts';
import { isDnsSubdomain } from '../engine/policy/dns-subdomain.ts';
import { PolicyFilesError } from '../cluster/sources/policy-source.ts';
import { messageOf } from '../base/text/error-message.ts';
import { quote } from '../base/text/quote.ts';
import { VERSION } from '../base/version.ts';
import { PROGRAM } from './command-table.ts';
import type { ClusterInputOptions, ClusterInputs, PolicyChangeFiles } from './input/cluster-inputs.ts';
import type { ClusterName } from './input/cluster-names.ts';
import type { ClusterLine } from './cluster-input.ts';
import type { CommandIo } from './io.ts';
import type { Progress } from './progress.ts';

/** The objects that a command reads of a cluster beside the inputs of verdicts. */
export type ClusterReadingWishes = Pick<ClusterInputOptions, 'keepsObjects' | 'readsReports'>;

/**
 * Reads the cluster that a command line means.
 *
 * @throws PolicyFilesError when nothing of the cluster can be read
 */
export async function readCluster(
  { flags }: ClusterLine,
  names: readonly ClusterName[],
  io: CommandIo,
  progress: Progress,
  change?: PolicyChangeFiles,
  { keepsObjects = false, readsReports = false }: ClusterReadingWishes = {},
): Promise<ClusterInputs> {
  const { policies, 'workload-kinds': workloadKinds } = flags;
  try {
    const { client, namespace } = await openCluster({ flags }, io);
    const wanted = { keepsObjects, readsReports };
    const options = { ...wanted, names, namespace, policies, change, workloadKinds, now: flags.now ?? io.now() };
    return await readClusterInputs(CHECK_CATALOGUE, client, options, (done, total) => {
      progress.show('reading', done, total, 'lists');
    });
  } catch (error) {
    if (error instanceof PolicyFilesError) throw error;
    throw new PolicyFilesError(`the cluster cannot be read: ${messageOf(error)}`);
  }
}

/** The cluster that a command line means, and its namespace; undefined = all namespaces. Nothing is sent yet. */
export async function openCluster(
  { flags }: Pick<ClusterLine, 'flags'>,
  io: CommandIo,
): Promise<{ readonly client: PatientClient; readonly namespace: string | undefined }> {
  const { context, kubeconfig } = flags;
  const access = await loadUserAccess({ kubeconfig, context, env: io.env });
  const namespace = flags['all-namespaces'] ? undefined : namespaceToRead(flags.namespace ?? access.namespace);
  return { client: new PatientClient(access, `${PROGRAM}/${VERSION}`), namespace };
}

/** The name becomes a part of the request's path, where `..` would mean all namespaces. */
function namespaceToRead(given = ''): string {
  if (given === '') return 'default';
  if (isDnsSubdomain(given)) return given;
  throw new PolicyFilesError(`--namespace: must be the name of a Kubernetes object, not ${quote(given)}`);
}
