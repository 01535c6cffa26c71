import { StartInference } from '../../../src/observer/starts/start-inference.ts';
import { startId } from '../../../src/observer/starts/measured-start.ts';
import { byPod, podName, recording, scriptsOf } from '../../kubelet/recordings.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Batch, PodEvent, Recording, TruthEntry } from '../../kubelet/recordings.ts';

/** A start that the observer learned, beside what the container saw. */
export interface LearnedStart {
  readonly pod: string;
  readonly container: string;
  readonly attempt: number;
  /** The measured seconds, or the bound of a start that a probe ended. */
  readonly seconds: number;
  /** Undefined for a start that a probe ended. */
  readonly within: number | undefined;
  /** Seconds after which the probe would have passed; Infinity if the application never answered. */
  readonly truth: number;
  /** The instants of start and report, on the clock of the recording. */
  readonly startedAt: number;
}

/**
 * Replays the watch of Pods of a batch through start inference, as the observer does: a round every ten seconds.
 *
 * @param isWatched the Pods to replay
 */
export function learnedStarts(batch: Batch, isWatched: (pod: string) => boolean = () => true): LearnedStart[] {
  const recorded = recording(batch);
  const runs = new Map<string, { readonly pod: string; readonly container: string; readonly attempt: number }>();
  const found: { readonly id: string; readonly seconds: number; readonly within: number | undefined }[] = [];
  const inference = new StartInference((start) =>
    found.push(start.sample ?? { id: start.id, seconds: start.boundSeconds, within: undefined }),
  );
  inference.listing();
  inference.listed(new Set());
  const pods = new Map<string, JsonObject>();
  let round = recorded.pods[0]?.t ?? 0;
  for (const event of recorded.pods.filter((one) => isWatched(podName(one)))) {
    for (; round <= event.t; round += 10) inference.reportDue(round * 1000);
    const pod = podOf(event, recorded);
    const name = podName(event);
    pods.set(name, pod);
    for (const [container, id, attempt] of runsOf(pod)) runs.set(startId(pod, id), { pod: name, container, attempt });
    if (event.type === 'DELETED') inference.gone(pod);
    else inference.seen(pod, Math.round(event.t * 1000));
  }
  inference.reportDue(Infinity);
  const truths = byPod(recorded.truth);
  return found.map(({ id, seconds, within }) => {
    const run = runs.get(id);
    const pod = run && pods.get(run.pod);
    if (run === undefined || pod === undefined) throw new Error(`no run of ${batch} has the identity ${id}`);
    const seen = (truths.get(run.pod) ?? []).filter((one) => one.ctr === run.container && one.attempt === run.attempt);
    return { ...run, seconds, within, ...truthOf(pod, run, seen) };
  });
}

/** A Pod of a Deployment, because starts of other Pods are not learned. */
function podOf(event: PodEvent, { cases }: Recording): JsonObject {
  const name = podName(event);
  const whole = (event.o ?? cases.find((one) => nameOf(one.pod) === name)?.pod ?? {}) as Readonly<
    Record<string, JsonObject>
  >;
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid: 'owner', controller: true };
  const deleted = event.del === undefined ? {} : { deletionTimestamp: event.del };
  const metadata = { ...whole['metadata'], ...deleted, uid: `uid-${name}`, ownerReferences: [owner] };
  return { ...whole, metadata, status: event.status ?? whole['status'] };
}

function nameOf(pod: JsonObject): unknown {
  return (pod['metadata'] as JsonObject)['name'];
}

function runsOf(pod: JsonObject): [container: string, id: string, attempt: number][] {
  const status = (pod['status'] ?? {}) as Readonly<Record<string, readonly JsonObject[] | undefined>>;
  return [...(status['initContainerStatuses'] ?? []), ...(status['containerStatuses'] ?? [])].flatMap((one) =>
    typeof one['containerID'] === 'string'
      ? [[one['name'] as string, one['containerID'], one['restartCount'] as number] as [string, string, number]]
      : [],
  );
}

/** When the probe that ends the start would have passed: the application listens, and its script answers well. */
function truthOf(
  pod: JsonObject,
  { container, attempt }: { readonly container: string; readonly attempt: number },
  seen: readonly TruthEntry[],
): { truth: number; startedAt: number } {
  const spec = pod['spec'] as Readonly<Record<string, readonly JsonObject[] | undefined>>;
  const containers = [...(spec['initContainers'] ?? []), ...(spec['containers'] ?? [])];
  const own = containers.find(({ name }) => name === container) ?? {};
  const probe = 'startupProbe' in own ? 's' : 'readinessProbe' in own ? 'r' : 'l';
  const instances = scriptsOf(pod, container);
  const { phases = {} } = instances[Math.min(attempt, instances.length - 1)] ?? {};
  const answers = phases[pathOf(own, probe)] ?? phases['*'] ?? [[0, '200']];
  const well =
    answers.find(([, answer]) => /^(?:200|exit0|SERVING|slow:.*|redirect:.*)$/.test(answer))?.[0] ?? Infinity;
  const listening = seen.find(({ ev }) => ev === 'listening')?.age;
  const isServer = (own[PROBES[probe]] as JsonObject)['exec'] === undefined;
  const truth = Math.max(well, isServer ? (listening ?? Infinity) : 0);
  return { truth, startedAt: seen.find(({ ev }) => ev === 'start')?.t ?? NaN };
}

const PROBES = { s: 'startupProbe', r: 'readinessProbe', l: 'livenessProbe' } as const;

function pathOf(container: JsonObject, probe: keyof typeof PROBES): string {
  const { httpGet, grpc, exec } = container[PROBES[probe]] as Readonly<Record<string, JsonObject | undefined>>;
  if (exec !== undefined) return `exec:${probe}`;
  if (grpc !== undefined) return `grpc:${probe}`;
  return httpGet === undefined ? '' : (httpGet['path'] as string);
}
