import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { lackLine } from '../../observer/missed/missed-probes.ts';
import { workloadKey, type NamedObject } from '../../observer/observed-workload.ts';
import { PROGRAM, printLine, type CommandIo } from '../io.ts';
import { manifestsIn } from './manifest.ts';
import { namesOf } from '../../engine/workload/workload-of-pod.ts';
import type { OneLook } from '../../observer/one-look.ts';
import type { Inputs } from './inputs.ts';

/**
 * Looks once at the Pods of the workloads that were read from a cluster. Undefined for files. A right that is missing
 * is named on standard error, and costs this part only.
 */
export async function readLivePods(
  command: string,
  inputs: Inputs,
  io: CommandIo,
  readsEvents: boolean,
): Promise<OneLook | undefined> {
  const { webhook, live, policies: snapshot } = inputs;
  if (webhook === undefined || live === undefined) return undefined;
  const { client, namespace, isNamed } = live;
  const objects = isNamed ? manifestsIn(inputs) : undefined;
  const named = objects && new Set(objects.map(({ object }) => workloadKey(nameOfManifest(object))));
  // Most command lines name files, and need no client of the API server.
  const { lookOnce } = await import('../../observer/one-look.ts');
  const look = await lookOnce(client, { namespace, named, readsEvents, snapshot, webhook, now: io.now() });
  for (const problem of look.problems) printLine(io.stderr, `${PROGRAM} ${command}: ${problem}`);
  return look;
}

/** `6 of 6 Pods lack these probes: kubectl rollout restart ...`. Undefined when the Pods have them. */
export function lackOf({ of, stepOf }: OneLook, object: JsonObject): string | undefined {
  const live = of(nameOfManifest(object));
  return live && lackLine(live.missed, live.pods, stepOf);
}

export function nameOfManifest(object: JsonObject): NamedObject {
  const { namespace = '', name = '' } = namesOf(object);
  const [group, kind] = [groupOfVersion(String(object['apiVersion'])), stringMember(object, 'kind') ?? ''];
  return { namespace, group, kind, name };
}
