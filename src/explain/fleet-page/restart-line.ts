import { textAt, valueAt } from '../../base/json/field-path.ts';
import { isDnsSubdomain } from '../../engine/policy/object-names.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** `kind` is the kind alone: `Deployment`. Two kinds of the same name in two groups are told apart by `group`. */
export interface RestartedWorkload extends Readonly<Record<'namespace' | 'kind' | 'name', string>> {
  /** The API group; empty for the core group. */
  readonly group: string;
  /** Why a restart would not replace all Pods, where the object was read. */
  readonly hold?: RolloutHold | undefined;
}

/** What keeps the controller of a workload from replacing the Pods after a change of the template. */
export type RolloutHold = 'paused' | 'on-delete' | 'partition';

/** Undefined for a workload whose controller replaces all Pods. */
export function rolloutHold(object: JsonObject): RolloutHold | undefined {
  if (valueAt(object, ['spec', 'paused']) === true) return 'paused';
  if (textAt(object, 'spec', 'updateStrategy', 'type') === 'OnDelete') return 'on-delete';
  const partition = valueAt(object, ['spec', 'updateStrategy', 'rollingUpdate', 'partition']);
  return typeof partition === 'number' && partition > 0 ? 'partition' : undefined;
}

/** The kinds of the group apps whose rollouts kubectl knows, with the names of their collections. */
export const ROLLOUT_RESOURCES: Readonly<Record<string, string>> = {
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
};

const ONE_BY_ONE = 'Delete its Pods one after the other';

/**
 * The command or the step by which a person replaces the Pods of a workload; Probewright itself never restarts. A name
 * goes into a command only if the API server takes it.
 */
export function restartLine({ namespace, group, kind, name, hold }: RestartedWorkload): string {
  const isPlain = isDnsSubdomain(namespace) && isDnsSubdomain(name);
  if (isPlain && group === 'apps' && Object.hasOwn(ROLLOUT_RESOURCES, kind)) {
    const target = `${kind.toLowerCase()}/${name} -n ${namespace}`;
    const rollout = (verb: string): string => `kubectl rollout ${verb} ${target}`;
    const deletion = `kubectl delete pod POD -n ${namespace}`;
    if (hold === 'paused') return `It is paused. Resume it first: ${rollout('resume')} && ${rollout('restart')}`;
    if (hold === 'on-delete') return `${ONE_BY_ONE}, because its strategy is OnDelete: ${deletion}`;
    if (hold === 'partition') return `${ONE_BY_ONE}, because its partition holds some back: ${deletion}`;
    return rollout('restart');
  }
  if (isPlain && group === 'argoproj.io' && kind === 'Rollout')
    return `kubectl argo rollouts restart ${name} -n ${namespace}`;
  if (kind === 'Job' || kind === 'CronJob') return 'The Pods of the next run get these probes.';
  if (kind === 'Pod') return 'Create the Pod again. No controller replaces it.';
  if (kind === 'ReplicaSet' || kind === 'ReplicationController')
    return `${ONE_BY_ONE}. kubectl rollout restart does not know the kind ${kind}.`;
  return 'Let the controller of the workload replace the Pods. kubectl rollout restart does not know the kind.';
}

interface WithFix {
  readonly properties: { readonly fix?: string };
}

/** Results that were made from Pods, which do not tell how their workload is updated: with the step that works. */
export function fittingRestart<Result extends WithFix>(
  results: readonly Result[],
  workload: RestartedWorkload,
): readonly Result[] {
  if (workload.hold === undefined) return results;
  const [plain, fitting] = [restartLine({ ...workload, hold: undefined }), restartLine(workload)];
  return results.map((result) =>
    result.properties.fix === plain ? { ...result, properties: { ...result.properties, fix: fitting } } : result,
  );
}
