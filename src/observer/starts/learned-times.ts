import { objectMember, stringMap, type JsonObject } from '../../base/json/json-value.ts';
import { count } from '../../base/text/cut.ts';
import { duration } from '../../base/text/duration.ts';
import { injectedBy } from '../../engine/defaulting/injected-by.ts';
import { readProvenance } from '../../engine/defaulting/patch.ts';
import { INJECTED_ANNOTATION } from '../../engine/policy/annotations.ts';
import { guaranteedStartSeconds } from '../../engine/time/timing.ts';
import { liveContainersOf } from '../live-pod.ts';

/** The seconds to start that live Pods have as learned when they were created, by container: seconds to Pods. */
export type LearnedTimes = Map<string, Map<number, number>>;

/** Adds the learned startup probes of a live Pod. A Pod keeps its probes, whatever is learned later. */
export function noteLearnedTimes(pod: JsonObject, times: LearnedTimes): void {
  const annotations = stringMap(objectMember(pod, 'metadata') ?? {}, 'annotations');
  const provenance = readProvenance(annotations.get(INJECTED_ANNOTATION));
  if (provenance.size === 0) return;
  for (const { name, probes } of liveContainersOf(pod)?.containers ?? []) {
    const { startupProbe } = probes;
    const isLearned = injectedBy(provenance.get(name), 'startupProbe')?.learnedSeconds !== undefined;
    if (startupProbe === undefined || !isLearned) continue;
    const ofContainer = times.get(name) ?? new Map<number, number>();
    const seconds = guaranteedStartSeconds(startupProbe.timing);
    times.set(name, ofContainer.set(seconds, (ofContainer.get(seconds) ?? 0) + 1));
  }
}

/**
 * `2 Pods have 30 s to start in container "app", as learned when they were created`: the Pods that have another time
 * than new ones. Undefined without such Pods.
 *
 * @param secondsOf the seconds that a container of a new Pod has
 */
export function otherTimesLine(
  times: LearnedTimes,
  secondsOf: (container: string) => number | undefined,
): string | undefined {
  const others = [...times].flatMap(([container, bySeconds]) =>
    [...bySeconds].flatMap(([seconds, pods]) => {
      if (seconds === secondsOf(container)) return [];
      const have = pods === 1 ? 'has' : 'have';
      return [`${count(pods, 'Pod')} ${have} ${duration(seconds)} to start in container "${container}"`];
    }),
  );
  return others.length === 0 ? undefined : `${others.join(', ')}, as learned when created.`;
}
