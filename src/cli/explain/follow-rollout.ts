import { textAt, valueAt } from '../../base/json/field-path.ts';
import { isDefinite } from '../../observer/failing/causes.ts';
import { EXIT_DENIED, EXIT_OK, EXIT_USAGE } from '../io.ts';
import { rolloutState } from './rollout-state.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ReportResult } from '../../observer/reports/report-result.ts';

/** A rollout in a cluster, with the clock and the pauses of the one who waits. */
export interface FollowedRollout {
  /** The workload now; undefined when there is none any more. Rejects when it cannot be read. */
  readonly read: () => Promise<JsonObject | undefined>;
  /** What is known of failing Pods of this rollout, by the rules of explain. */
  readonly failing: (object: JsonObject) => Promise<readonly Pick<ReportResult, 'message' | 'properties'>[]>;
  /** A clock that never goes back, in milliseconds. */
  readonly now: () => number;
  /** Resolves to true when the person has had enough. */
  readonly pause: (milliseconds: number) => Promise<boolean>;
}

/** How the wait has ended. */
export interface RolloutVerdict {
  readonly code: number;
  readonly text: string;
}

const PAUSE_MILLISECONDS = 2000;

/**
 * Waits until a rollout is complete, or until it is certain that it will not be. Every end is a verdict: 0 for a
 * complete rollout, 1 for one that is not, and 2 where nothing is known.
 */
export async function followRollout(rollout: FollowedRollout, mostMilliseconds: number): Promise<RolloutVerdict> {
  const end = rollout.now() + mostMilliseconds;
  let first: JsonObject | undefined;
  for (;;) {
    const object = await rollout.read();
    if (object === undefined) return { code: EXIT_DENIED, text: first ? 'it was deleted meanwhile' : 'there is none' };
    first ??= object;
    if (idOf(first) !== idOf(object))
      return { code: EXIT_DENIED, text: 'it was replaced by another rollout meanwhile' };
    const { isComplete, obstacle, progress } = rolloutState(object);
    if (isComplete) return { code: EXIT_OK, text: `it is complete: ${progress}` };
    const certain = (await rollout.failing(object)).filter(({ properties }) => isCertain(properties['cause']));
    if (certain.length > 0 || obstacle !== undefined)
      return { code: EXIT_DENIED, text: `it cannot complete: ${textOf(certain) ?? `${obstacle} (${progress})`}` };
    const left = end - rollout.now();
    if (left <= 0)
      return { code: EXIT_DENIED, text: `it is not complete in time, and no cause is certain: ${progress}` };
    if (await rollout.pause(Math.min(PAUSE_MILLISECONDS, left)))
      return { code: EXIT_USAGE, text: `the wait was interrupted: ${progress}` };
  }
}

/** The UID and the template: a change of the template begins another rollout, and one of the replicas does not. */
function idOf(object: JsonObject): string {
  return JSON.stringify([textAt(object, 'metadata', 'uid'), valueAt(object, ['spec', 'template'])]);
}

/** Causes that time alone does not end. A server that answers 503, or not at all, may still be starting. */
const OF_RUNS = ['killed-while-starting', 'crash-loop', 'out-of-memory', 'cannot-start'];
const OF_WAITS = ['init-failed', 'ended-for-good', 'workload-failed'];
const CERTAIN = [...OF_RUNS, ...OF_WAITS];

function isCertain(cause: string | undefined): boolean {
  // A redirect to another host counts as success.
  return cause !== undefined && cause !== 'redirect-other-host' && (isDefinite(cause) || CERTAIN.includes(cause));
}

function textOf(certain: readonly Pick<ReportResult, 'message' | 'properties'>[]): string | undefined {
  const texts = certain.map(({ message, properties: { fix } }) => (fix === undefined ? message : `${message}; ${fix}`));
  return texts.length === 0 ? undefined : texts.join('; ');
}
