import { equalJson, type JsonObject } from '../../base/json/json-value.ts';
import { valueAt } from '../../base/json/field-path.ts';
import { violationKey, type Violation } from '../checks/violation.ts';
import { layersWithProbes } from '../policy/container-policy.ts';
import { judgeObject, type Judgement, type Subject } from './judge.ts';
import type { Snapshot } from '../facts/snapshot.ts';

/** An update of an object, and the verdict on the object as it will be. */
export interface JudgedUpdate {
  readonly judgement: Judgement;
  readonly object: JsonObject;
  /** The object before. Undefined for a creation, which adds all of its violations. */
  readonly old: Subject | undefined;
  readonly changesTemplate: boolean;
}

/**
 * Tells the violations that an update does not add. After the end of its exception, a violation counts as added: a
 * change of the template is the time to correct it. The other parameters are those of the verdict.
 */
export function toleranceOf(
  { judgement, object, old, changesTemplate }: JudgedUpdate,
  policies: Snapshot,
  willBeDefaulted: boolean,
  now: number,
): (violation: Violation) => boolean {
  const { violations } = judgement;
  // To be tolerated only keeps a violation from denying.
  if (old === undefined || !violations.some(({ action }) => action === 'Deny')) return () => false;
  const before = old.object === object ? judgement : judgeObject(old, policies, willBeDefaulted, now);
  const tolerated = byKey(before.violations);
  // What nobody could read before excuses the same text alone: another text may hide what a floor forbids.
  const isIn = (known: ReadonlyMap<string, Violation>, violation: Violation): boolean => {
    const excuse = known.get(violationKey(violation));
    if (excuse === undefined || violation.isUnread !== true) return excuse !== undefined;
    return equalJson(valueAt(old.object, excuse.path), valueAt(object, violation.path));
  };
  // With its own probes, a namespace could make its old object violate a floored check, and so excuse the next
  // violation. So floored violations of the old object are checked again with the cluster's policies alone. Only these
  // set floors, so nothing changes where the namespace's policies give no probes.
  const needsPlatform = violations.some((found) => found.isFloored === true && isIn(tolerated, found));
  const givesProbes = before.inForce.some(({ layers }) =>
    layersWithProbes(layers).some(({ kind: tier }) => tier === 'ProbePolicy'),
  );
  const again = needsPlatform && givesProbes ? judgeObject(old, policies.ofCluster, willBeDefaulted, now) : before;
  const flooredBefore = byKey(again.violations.filter(({ isFloored }) => isFloored === true));
  return (violation) => {
    if (violation.ended !== undefined && changesTemplate) return false;
    return isIn(tolerated, violation) && (violation.isFloored !== true || isIn(flooredBefore, violation));
  };
}

function byKey(violations: readonly Violation[]): ReadonlyMap<string, Violation> {
  return new Map(violations.map((violation) => [violationKey(violation), violation]));
}
