import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { unlessMissing } from '../../cluster/client/api-client.ts';
import { objectPath } from '../../cluster/client/api-path.ts';
import { listLive } from '../../cluster/client/live-reader.ts';
import { workloadState } from '../../observer/failing/workload-waits.ts';
import { lookOnce } from '../../observer/one-look.ts';
import { workloadKey } from '../../observer/observed-workload.ts';
import { nameOfManifest, type NamedInputs } from '../input/live.ts';
import { manifestsIn } from '../input/manifest.ts';
import { EXIT_USAGE, PROGRAM, printLine, UsageError, type CommandIo } from '../io.ts';
import { followRollout, type FollowedRollout } from './follow-rollout.ts';
import { ROLLOUT_RESOURCES } from '../../explain/fleet-page/restart-line.ts';
import { labelOfRollout } from './rollout-state.ts';

/** A person who interrupts the wait gets a verdict, too. */
export type Pause = FollowedRollout['pause'];

/** Pauses that the first signal ends. */
export function pausesUntilSignal(io: CommandIo): Pause {
  const signalled = io.untilSignal().then(() => true);
  return (milliseconds) => {
    const stop = new AbortController();
    const over = sleep(milliseconds, false, { signal: stop.signal }).catch(() => false);
    return Promise.race([signalled, over]).finally(() => stop.abort());
  };
}

/**
 * Follows the rollout of the one workload that a command line names, and prints the verdict.
 *
 * @throws UsageError for another input
 */
export async function waitForRollout(
  { manifests, world, live }: NamedInputs,
  mostMilliseconds: number,
  io: CommandIo,
  pause: Pause,
): Promise<number> {
  const [object, ...others] = manifestsIn(manifests).map((manifest) => manifest.object);
  const name = object && nameOfManifest(object);
  const resource = name?.group === 'apps' ? ROLLOUT_RESOURCES[name.kind] : undefined;
  if (live?.webhook === undefined || !live.isNamed)
    throw new UsageError('--wait: name a workload of a cluster, such as deploy/web');
  const { client, webhook, namespace } = live;
  if (name === undefined)
    throw new UsageError(`--wait: ${manifests.problems[0]?.message ?? 'there is no such workload'}`);
  if (others.length > 0 || resource === undefined)
    throw new UsageError('--wait: name one Deployment, StatefulSet or DaemonSet');
  const path = objectPath({ apiVersion: 'apps/v1', resource }, name);
  const told = new Set<string>();
  const failing = async (now: JsonObject) => {
    const label = labelOfRollout(now, name.kind === 'Deployment' ? await replicaSets() : []);
    if (label === undefined) return [];
    const state = workloadState(now, name.group, name.kind);
    const states = state === undefined ? [] : [state];
    const looked = { namespace, named: new Set([workloadKey(name)]), states, readsEvents: true };
    // Every two seconds, so other Pods of the namespace stay where they are.
    const labelSelector = label.join('=');
    const look = await lookOnce(client, { ...looked, labelSelector, snapshot: world.snapshot, webhook, now: io.now() });
    for (const problem of look.problems) if (!told.has(problem)) printLine(io.stderr, `${PROGRAM} explain: ${problem}`);
    for (const problem of look.problems) told.add(problem);
    return look.of(name)?.failing ?? [];
  };
  const replicaSets = async (): Promise<readonly JsonObject[]> => {
    const found: JsonObject[] = [];
    await listLive(client, { apiVersion: 'apps/v1', resource: 'replicasets' }, name.namespace, (items) =>
      found.push(...(items as unknown as readonly JsonObject[])),
    );
    return found;
  };
  const read = async (): Promise<JsonObject | undefined> => {
    const answer = await unlessMissing(client.request({ method: 'GET', path }));
    return isJsonObject(answer) ? { kind: name.kind, ...answer } : undefined;
  };
  try {
    const { code, text } = await followRollout({ read, failing, now: io.monotonic, pause }, mostMilliseconds);
    printLine(io.stdout, `${name.kind} ${name.namespace}/${name.name}: ${text}`);
    return code;
  } catch (error) {
    printLine(io.stderr, `${PROGRAM} explain: the rollout cannot be followed: ${messageOf(error)}`);
    return EXIT_USAGE;
  }
}
