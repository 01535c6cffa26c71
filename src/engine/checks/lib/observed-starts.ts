import { startsOfContainer } from '../../facts/learned-starts.ts';
import { DEFAULT_LEARNED, learnedSeconds } from '../../probe/learned-budget.ts';
import { STARTUP_PERIOD_SECONDS } from '../../probe/startup-budget.ts';
import { workloadNameOf } from '../../workload/workload-of-pod.ts';
import { oncePerWorkload } from '../checked-workload.ts';
import type { ContainerStarts, WorkloadStarts } from '../../facts/learned-starts.ts';
import type { CheckedContainer } from '../checked-workload.ts';

const startsOfWorkload = oncePerWorkload(({ facts, kind, namespace, object }): WorkloadStarts | undefined => {
  const itself = workloadNameOf(object, kind, false);
  return itself && facts.starts.ofWorkload(namespace, itself.kind, itself.name);
});

/** The measured starts of a container; undefined when nothing is known of them. */
export function observedStarts(container: CheckedContainer): ContainerStarts | undefined {
  const ofWorkload = startsOfWorkload(container.workload);
  const starts = ofWorkload && startsOfContainer(ofWorkload, container.name);
  return starts !== undefined && (starts.longestSeconds > 0 || starts.boundSeconds > 0) ? starts : undefined;
}

/** The seconds that a probe should guarantee after these starts: what a learned budget guarantees by default. */
export function secondsToGuarantee(starts: ContainerStarts): number {
  return learnedSeconds(starts, DEFAULT_LEARNED, STARTUP_PERIOD_SECONDS);
}

/** The seconds that advice should guarantee: the given ones, or more where measured starts ask for more. */
export function atLeastObserved(container: CheckedContainer, seconds: number): number {
  const starts = observedStarts(container);
  return starts === undefined ? seconds : Math.max(seconds, secondsToGuarantee(starts));
}
