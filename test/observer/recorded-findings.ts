import { FailingWorkloads } from '../../src/observer/failing/failing-workloads.ts';
import { podHealth } from '../../src/observer/failing/pod-health.ts';
import { readProbeEvent } from '../../src/observer/failing/probe-events.ts';
import { failingCauses } from '../../src/observer/failing/failing-results.ts';
import { workloadNameOfPod } from '../../src/observer/observed-workload.ts';
import { podName, recording } from '../kubelet/recordings.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { Batch, KubeEvent, PodEvent, Recording } from '../kubelet/recordings.ts';

/** A finding of one workload, as `livenessProbe http-404`, with the times in seconds at which it came and went. */
export interface RecordedFinding {
  readonly workload: string;
  readonly finding: string;
  /** From the round that told it first, to the round that did not tell it any more. The end of the recording ends none. */
  readonly told: readonly (readonly [from: number, until: number | undefined])[];
}

/** The observer works its findings out so often. */
const ROUND_SECONDS = 5;

/** Replays the two watches of a batch in the order of receipt, through the code and at the rounds of the observer. */
export function recordedFindings(batch: Batch, one: Recording = recording(batch)): RecordedFinding[] {
  const watch = new ReplayedWatch(one);
  const inputs = [...one.pods, ...one.events].toSorted((first, other) => first.t - other.t);
  const spans = new Map<string, [number, number | undefined][]>();
  let round = Math.ceil(inputs[0]?.t ?? 0);
  const evaluate = (): void => {
    const now = new Set(watch.told(round));
    for (const key of now) {
      const known = spans.get(key) ?? [];
      spans.set(key, known);
      if (known.at(-1)?.[1] !== undefined || known.length === 0) known.push([round, undefined]);
    }
    for (const [key, known] of spans) {
      const last = known.at(-1);
      // The Pods of a recording are deleted at its end: no finding is lost by that.
      if (last !== undefined && last[1] === undefined && !now.has(key) && watch.isHere(key)) last[1] = round;
    }
  };
  for (const input of inputs) {
    while (input.t > round) {
      evaluate();
      round += ROUND_SECONDS;
    }
    watch.take(input);
  }
  return [...spans].map(([key, told]) => {
    const [workload = '', finding = ''] = key.split('|');
    return { workload, finding, told };
  });
}

function isEvent(input: PodEvent | KubeEvent): input is KubeEvent {
  return input.o?.['kind'] === 'Event';
}

/** The API server's watch of Pods that have not ended, and its watch of events. */
class ReplayedWatch {
  readonly #workloads = new FailingWorkloads();
  readonly #specs: ReadonlyMap<string, JsonObject>;
  readonly #uids: ReadonlyMap<string, string>;
  readonly #live = new Map<string, string>();
  readonly #ended = new Set<string>();

  constructor({ cases, events }: Recording) {
    this.#specs = new Map(cases.map(({ pod }) => [String((pod['metadata'] as JsonObject)['name']), pod]));
    this.#uids = new Map(
      events.map((event) => [podName(event), String((event.o['involvedObject'] as JsonObject)['uid'])]),
    );
  }

  take(input: PodEvent | KubeEvent): void {
    if (isEvent(input)) {
      const hint = readProbeEvent(input.o);
      if (hint !== undefined) this.#workloads.hint(hint, input.t * 1000);
    } else this.#takePod(input);
  }

  /** What the observer tells now, as `workload|probe cause`. */
  told(seconds: number): string[] {
    return this.#workloads
      .findings(seconds * 1000)
      .flatMap((one) => [
        ...one.failures.map(
          ({ container, probe, cause }) =>
            `${one.workload.name}|${[container, probe, cause].filter((each) => each !== undefined).join(' ')}`,
        ),
        ...[...failingCauses(one)]
          .filter((cause) => cause === 'shared-dependency')
          .map((cause) => `${one.workload.name}|${cause}`),
      ]);
  }

  /** True while a Pod of the workload is there, or has ended and is there. */
  isHere(key: string): boolean {
    return [...this.#live.values()].includes(key.split('|')[0] ?? '');
  }

  #takePod(input: PodEvent): void {
    const name = podName(input);
    const spec = this.#specs.get(name) ?? {};
    const uid = this.#uids.get(name) ?? name;
    const metadata = { ...(spec['metadata'] as JsonObject | undefined), uid, deletionTimestamp: input.del };
    const pod = input.o ?? { ...spec, metadata, status: input.status };
    const { namespace, uid: own, deletionTimestamp } = pod['metadata'] as Record<string, string | undefined>;
    const workload = workloadNameOfPod(pod);
    if (namespace === undefined || own === undefined || workload === undefined) throw new Error(`no Pod: ${name}`);
    const phase = (pod['status'] as JsonObject)['phase'];
    if (input.type === 'DELETED' || deletionTimestamp !== undefined) this.#live.delete(name);
    else this.#live.set(name, workload.name);
    if (input.type !== 'DELETED' && phase !== 'Succeeded' && phase !== 'Failed') {
      this.#workloads.seen(own, workload, podHealth(pod));
    } else if (!this.#ended.has(own)) {
      // A Pod that leaves the selection is reported as deleted, once.
      this.#ended.add(own);
      this.#workloads.gone(namespace, own);
    }
  }
}
