import { messageOf } from '../../base/text/error-message.ts';
import { quote } from '../../base/text/cut.ts';
import { VERSION } from '../../base/version.ts';
import { PatientClient } from '../../cluster/client/patient-client.ts';
import { loadUserAccess } from '../../cluster/client/cluster-access.ts';
import { PolicyFilesError } from '../../cluster/sources/policy-source.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { isDnsSubdomain } from '../../engine/policy/object-names.ts';
import { PROGRAM } from '../command-table.ts';
import { readClusterInputs, type ClusterInputs, type ReadingWishes } from './cluster-inputs.ts';
import type { CommandIo } from '../io.ts';
import type { Progress } from '../output/progress.ts';
import type { ClusterLine, ClusterName } from './cluster-choice.ts';

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
  wishes: ReadingWishes,
): Promise<ClusterInputs> {
  const { policies, 'workload-kinds': workloadKinds } = flags;
  try {
    const { client, namespace } = await openCluster({ flags }, io);
    const options = { ...wishes, names, namespace, policies, workloadKinds, now: flags.now ?? io.now() };
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
