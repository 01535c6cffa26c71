import { objectsAt, textAt, valueAt } from '../../base/json/field-path.ts';
import { rolloutHold } from '../../explain/fleet-page/restart-line.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** How far a rollout is, by the status that the controller writes. */
export interface RolloutState {
  readonly isComplete: boolean;
  /** Why the rollout cannot go on by itself. */
  readonly obstacle?: string;
  /** What is waited for: `2 of 3 Pods are updated, 1 is available`. */
  readonly progress: string;
}

/** The rollout of a Deployment, StatefulSet or DaemonSet, by the rules of kubectl rollout status. */
export function rolloutState(object: JsonObject): RolloutState {
  const kind = textAt(object, 'kind') ?? '';
  const number = (...path: string[]): number | undefined => {
    const value = valueAt(object, path);
    return typeof value === 'number' ? value : undefined;
  };
  if ((number('status', 'observedGeneration') ?? 0) < (number('metadata', 'generation') ?? 0))
    return { isComplete: false, progress: 'the controller has not seen the change yet', ...pausedOf(object) };
  const of = (field: string): number => number('status', field) ?? 0;
  const isDaemon = kind === 'DaemonSet';
  const all = isDaemon ? of('desiredNumberScheduled') : (number('spec', 'replicas') ?? 1);
  const partition = number('spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0;
  const wanted = kind === 'StatefulSet' ? Math.max(0, all - partition) : all;
  const updated = of(isDaemon ? 'updatedNumberScheduled' : 'updatedReplicas');
  const available = of(isDaemon ? 'numberAvailable' : kind === 'StatefulSet' ? 'readyReplicas' : 'availableReplicas');
  const old = kind === 'Deployment' ? Math.max(0, of('replicas') - updated) : 0;
  const isUpdated = kind === 'StatefulSet' && partition === 0 && isCurrent(object) ? true : updated >= wanted;
  const oldText = old === 0 ? '' : `, ${old} old ${old === 1 ? 'one has' : 'ones have'} not ended`;
  return {
    isComplete: isUpdated && available >= all && old === 0,
    progress: `${updated} of ${wanted} Pods are updated, ${available} of ${all} are available${oldText}`,
    ...(pausedOf(object) ?? deadlineOf(object)),
  };
}

function isCurrent(object: JsonObject): boolean {
  const [current, update] = ['currentRevision', 'updateRevision'].map((field) => textAt(object, 'status', field));
  return current !== undefined && current === update;
}

function pausedOf(object: JsonObject): { readonly obstacle: string } | undefined {
  const hold = rolloutHold(object);
  const [name, namespace] = [textAt(object, 'metadata', 'name'), textAt(object, 'metadata', 'namespace')];
  if (hold === 'paused')
    return { obstacle: `it is paused; to continue: kubectl rollout resume deployment/${name} -n ${namespace}` };
  return hold === 'on-delete' ? { obstacle: 'its strategy is OnDelete: delete its Pods to update them' } : undefined;
}

function deadlineOf(object: JsonObject): { readonly obstacle: string } | undefined {
  const progressing = objectsAt(object, 'status', 'conditions').find(({ type }) => type === 'Progressing');
  if (progressing?.['reason'] !== 'ProgressDeadlineExceeded') return undefined;
  return { obstacle: textAt(progressing, 'message') ?? 'it has exceeded its progress deadline' };
}

/** The label and the value that the Pods of the present rollout have. Undefined while it is not known. */
export function labelOfRollout(
  object: JsonObject,
  replicaSets: readonly JsonObject[],
): readonly [label: string, value: string] | undefined {
  const kind = textAt(object, 'kind');
  if (kind === 'StatefulSet') return labelled('controller-revision-hash', textAt(object, 'status', 'updateRevision'));
  if (kind === 'DaemonSet')
    return labelled('pod-template-generation', annotationOf(object, 'deprecated.daemonset.template.generation'));
  const uid = textAt(object, 'metadata', 'uid');
  const revision = annotationOf(object, REVISION);
  const present = replicaSets.find(
    (set) =>
      annotationOf(set, REVISION) === revision &&
      objectsAt(set, 'metadata', 'ownerReferences').some((owner) => owner['uid'] === uid),
  );
  return labelled('pod-template-hash', textAt(present, 'metadata', 'labels', 'pod-template-hash'));
}

const REVISION = 'deployment.kubernetes.io/revision';

function annotationOf(object: JsonObject, name: string): string | undefined {
  return textAt(object, 'metadata', 'annotations', name);
}

function labelled(label: string, value: string | undefined): readonly [string, string] | undefined {
  return value === undefined ? undefined : [label, value];
}
