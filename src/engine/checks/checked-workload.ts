import { answerOnce, type Answers } from '../../base/once.ts';
import { member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { NO_FACTS, type Facts } from '../facts/facts.ts';
import { isCount } from '../time/timing.ts';
import { NO_SERVICES, type ServiceDigest, type ServicesOfPod } from '../facts/services.ts';
import type { WorkloadKind } from '../workload/kinds.ts';
import type { Pod } from '../workload/pod.ts';

/** What is around a Pod that checks judge. */
export interface Circumstances {
  readonly kind: WorkloadKind;
  /** The whole object as it was applied. Checks ask `numberOf` for its fields outside the Pod template. */
  readonly object: JsonObject;
  /** The namespace of the object. Empty for a model Pod, which is in no namespace. */
  readonly namespace: string;
  /** The known facts about the cluster. */
  readonly facts: Facts;
  /** The Services that select the Pods, as far as they say what a port speaks. */
  readonly services: ServicesOfPod;
}

/** A workload as checks see it: its Pods with the probes that the webhook will add, and what is around them. */
export interface CheckedWorkload extends Circumstances {
  readonly pod: Pod;
  /** Results that checks computed for the whole workload. */
  readonly answers: Answers;
}

/** A Pod of which nothing more is known. */
export function checkedWorkload(pod: Pod, circumstances: Partial<Circumstances> = {}): CheckedWorkload {
  return {
    ...{ object: {}, kind: pod.kind, namespace: '', facts: NO_FACTS, services: NO_SERVICES },
    ...circumstances,
    pod,
    answers: new Map(),
  };
}

/** A number in the object's own spec, such as `replicas`: undefined when absent, NaN for any other value. */
export function numberOf({ object }: CheckedWorkload, field: string): number | undefined {
  const value = member(objectMember(object, 'spec') ?? {}, field) ?? undefined;
  return value === undefined || isCount(value) ? value : NaN;
}

/** Computes once for each workload, which holds the result: a WeakMap would keep entries until a full collection. */
export function oncePerWorkload<Answer>(
  work: (workload: CheckedWorkload) => Answer,
): (workload: CheckedWorkload) => Answer {
  return (workload) => answerOnce(workload.answers, workload, work);
}

/** The Services of the namespace that select the Pod. None where the facts are not asked. */
export function selectingServices({ facts, services }: CheckedWorkload): readonly ServiceDigest[] {
  return facts.services === undefined ? [] : services.selecting();
}
