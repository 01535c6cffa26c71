import { objectsAt, textAt } from '../../base/json/field-path.ts';
import { versionPath } from '../../cluster/client/api-path.ts';
import { refusal } from '../../cluster/client/live-reader.ts';
import { PROBE_EXCEPTIONS, SERVICES, type FactKind } from '../../cluster/sources/fact-kinds.ts';
import { PolicyFilesError } from '../../cluster/sources/policy-source.ts';
import { ADMISSION_API, SERVED_SINCE, type AdmissionKind } from '../../native/admission-kinds.ts';
import { clusterProblem } from '../input/cluster-object.ts';
import { readAllPolicyTexts } from '../input/input-files.ts';
import { readPolicyDocuments, snapshotOf, warningsOf } from '../input/world.ts';
import { Progress } from '../output/messages.ts';
import { isFromCluster } from './definition.ts';
import type { ApiRequests } from '../../cluster/client/api-client.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { FlagValues } from '../flags/flag.ts';
import type { CommandIo } from '../io.ts';
import type { EXPORT } from './definition.ts';

export type ExportFlags = FlagValues<typeof EXPORT.flags>;

/** Policies and facts as they were read. */
export interface ExportInputs {
  readonly snapshot: Snapshot;
  /** What could not be read: without it, the objects would be wrong. */
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  /** Present for a cluster. */
  readonly client?: ApiRequests;
}

/**
 * Reads the policies in files, or those of a cluster above them.
 *
 * @throws PolicyFilesError when nothing of the cluster can be read
 */
export async function readExportInputs(flags: ExportFlags, io: CommandIo): Promise<ExportInputs> {
  if (isFromCluster(flags))
    return await ofCluster(flags, io, flags.validate ? [SERVICES, PROBE_EXCEPTIONS] : [SERVICES]);
  const read = await readAllPolicyTexts(flags.policies);
  const documents = readPolicyDocuments(read.texts);
  return {
    snapshot: snapshotOf(documents),
    problems: [...read.problems, ...documents.problems],
    warnings: warningsOf(documents.warnings),
  };
}

async function ofCluster(flags: ExportFlags, io: CommandIo, policiesWith: readonly FactKind[]): Promise<ExportInputs> {
  const progress = new Progress(io);
  const whole = { 'all-namespaces': true, namespace: undefined, now: undefined, 'workload-kinds': undefined };
  // Most command lines name files, and need no client of the API server.
  const { readCluster } = await import('../input/cluster-inputs.ts');
  const reading = readCluster({ flags: { ...flags, ...whole } }, [], io, progress, { policiesWith });
  const { manifests, world, live } = await reading.finally(() => {
    progress.end();
  });
  const isWithoutServices = world.snapshot.facts.services === undefined;
  return {
    snapshot: world.snapshot,
    problems: manifests.problems,
    warnings: [...manifests.warnings, ...(isWithoutServices ? warningsOf([clusterProblem(WITHOUT_SERVICES)]) : [])],
    ...(live && { client: live.client }),
  };
}

const WITHOUT_SERVICES =
  'without Services, the native policy may probe a port that a Service keeps for another protocol';

/**
 * The kinds that the API server does not serve, with its version:
 * `the cluster is Kubernetes v1.33.2, without MutatingAdmissionPolicy v1 (on by default since 1.36)`.
 *
 * @throws PolicyFilesError when the API server does not tell
 */
export async function lackingKinds(client: ApiRequests, kinds: readonly AdmissionKind[]): Promise<string | undefined> {
  try {
    const served = await client.request({ method: 'GET', path: versionPath(ADMISSION_API) });
    const names = new Set(objectsAt(served, 'resources').map(({ kind }) => kind));
    const lacking = kinds.filter((kind) => !names.has(kind));
    if (lacking.length === 0) return undefined;
    const version = textAt(await client.request({ method: 'GET', path: '/version' }), 'gitVersion');
    const words = lacking.map((kind) => `${kind} v1 (on by default since ${SERVED_SINCE[kind]})`);
    return `the cluster is Kubernetes ${version ?? 'of an unknown version'}, without ${words.join(' and ')}`;
  } catch (error) {
    throw new PolicyFilesError(refusal(`cannot list the resources of ${ADMISSION_API}`, error));
  }
}
