import { workloadOfPod, type WorkloadName } from './workload-of-pod.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/**
 * The workloads of a Pod: its workload, and the CronJob that made a Job (`<name>-<scheduled minute>`). Anyone can write
 * the reference, so ask only for Pods of trusted requesters.
 */
export function controllersOfPod(pod: JsonObject): readonly WorkloadName[] {
  const workload = workloadOfPod(pod);
  if (workload === undefined) return [];
  const cronJob = workload.kind === 'Job' ? /^(.+)-[0-9]+$/.exec(workload.name)?.[1] : undefined;
  return cronJob === undefined ? [workload] : [workload, { kind: 'CronJob', name: cronJob }];
}
