import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { lackLine } from '../../observer/missed/missed-probes.ts';
import { workloadKey, type NamedObject } from '../../observer/observed-workload.ts';
import { rolloutHold } from '../../explain/fleet-page/restart-line.ts';
import { PROGRAM, printLine, type CommandIo } from '../io.ts';
import { manifestsIn } from './manifest.ts';
import type { Manifests } from './manifests.ts';
import { namesOf } from '../../engine/workload/workload-of-pod.ts';
import type { OneLook } from '../../observer/one-look.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { ReportOfWorkload } from '../../cluster/sources/observer-reports.ts';
import type { ClusterWebhook } from '../../observer/missed/cluster-webhook.ts';
import type { CheckOutput } from '../output/json-outputs.ts';
import type { WorkloadState } from '../../observer/failing/workload-waits.ts';
import type { World } from './world.ts';

/** A cluster that can still be asked. */
export interface Live {
  readonly client: ApiClient;
  /** Undefined = all namespaces. */
  readonly namespace: string | undefined;
  /** True when the command line names workloads. */
  readonly isNamed: boolean;
  /** What the statuses of the workloads tell. */
  readonly states: readonly WorkloadState[];
  /** The webhook of the cluster, for commands that ask for it. */
  readonly webhook?: ClusterWebhook;
  /** The reports of an observer about live Pods, for commands that ask for them. In files, they are manifests. */
  readonly reports?: readonly ReportOfWorkload[];
  /** Objects beside the workloads, as the snapshot of a cluster needs them. */
  readonly objects?: readonly JsonObject[];
}

/** What a command line names. */
export interface NamedInputs {
  readonly manifests: Manifests;
  readonly world: World;
  /** Present for a cluster. */
  readonly live?: Live;
}

/**
 * Looks once at the Pods of the workloads that were read from a cluster. Undefined for files. A right that is missing
 * is named on standard error, and costs this part only.
 */
export async function readLivePods(
  command: string,
  { manifests, world, live }: NamedInputs,
  io: CommandIo,
  readsEvents: boolean,
): Promise<OneLook | undefined> {
  if (live?.webhook === undefined) return undefined;
  const { client, namespace, isNamed, states, webhook } = live;
  const objects = isNamed ? manifestsIn(manifests) : undefined;
  const named = objects && new Set(objects.map(({ object }) => workloadKey(nameOfManifest(object))));
  // Most command lines name files, and need no client of the API server.
  const { lookOnce } = await import('../../observer/one-look.ts');
  const look = await lookOnce(client, {
    namespace,
    named,
    states,
    readsEvents,
    snapshot: world.snapshot,
    webhook,
    now: io.now(),
  });
  for (const problem of look.problems) printLine(io.stderr, `${PROGRAM} ${command}: ${problem}`);
  return look;
}

/** The workloads of a cluster whose live Pods lack the probes that policies give. None for files. */
export async function lackingWorkloads(
  command: string,
  given: NamedInputs,
  io: CommandIo,
): Promise<NonNullable<CheckOutput['lacking']>> {
  const look = await readLivePods(command, given, io, false);
  if (look === undefined) return [];
  return manifestsIn(given.manifests).flatMap(({ object }) => {
    const message = lackOf(look, object);
    const { kind, namespace, name } = nameOfManifest(object);
    return message === undefined ? [] : [{ kind, namespace, name, message }];
  });
}

/** `6 of 6 Pods lack these probes: kubectl rollout restart ...`. Undefined when the Pods have them. */
export function lackOf({ of, stepOf }: OneLook, object: JsonObject): string | undefined {
  const live = of(nameOfManifest(object));
  return live && lackLine(live.missed, live.pods, stepOf);
}

export function nameOfManifest(object: JsonObject): NamedObject {
  const { namespace = '', name = '' } = namesOf(object);
  const [group, kind] = [groupOfVersion(String(object['apiVersion'])), stringMember(object, 'kind') ?? ''];
  return { namespace, group, kind, name, hold: rolloutHold(object) };
}
