import { formatPath } from '../../../base/json/field-path.ts';
import { violationKey, type Violation } from '../../checks/violation.ts';

export interface ViolationChange {
  readonly violation: Violation;
  readonly change: 'new' | 'gone' | 'changed';
  /** Null = there is no such violation. */
  readonly before: Violation['action'] | null;
  readonly after: Violation['action'] | null;
}

/** Compares violations of one workload. Another figure with the same action is no change. */
export function violationChanges(before: readonly Violation[], after: readonly Violation[]): ViolationChange[] {
  const changes: ViolationChange[] = [];
  const old = Map.groupBy(before, violationKey);
  const now = Map.groupBy(after, violationKey);
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    for (const [was, is] of paired(old.get(key) ?? [], now.get(key) ?? [])) {
      const violation = is ?? was;
      if (violation === undefined || was?.action === is?.action) continue;
      const change = was === undefined ? 'new' : is === undefined ? 'gone' : 'changed';
      changes.push({ violation, change, before: was?.action ?? null, after: is?.action ?? null });
    }
  }
  return changes;
}

type Pair = readonly [Violation | undefined, Violation | undefined];

/**
 * Pairs violations of one identity, as a probe may violate a check twice: those of the same path and message first,
 * then those of the same path, then the others in their order.
 */
function paired(before: readonly Violation[], after: readonly Violation[]): Pair[] {
  const pairs: Pair[] = [];
  let [old, now] = [before, after];
  for (const sameness of [samePlaceAndText, samePlace]) {
    const waiting = Map.groupBy(old, sameness);
    const found = new Set<Violation>();
    now = now.filter((violation) => {
      const was = waiting.get(sameness(violation))?.shift();
      if (was === undefined) return true;
      found.add(was);
      pairs.push([was, violation]);
      return false;
    });
    old = old.filter((violation) => !found.has(violation));
  }
  const longer = old.length > now.length ? old : now;
  return [...pairs, ...longer.map((_, index): Pair => [old[index], now[index]])];
}

function samePlaceAndText({ path, message }: Violation): string {
  return JSON.stringify([formatPath(path), message]);
}

function samePlace({ path }: Violation): string {
  return formatPath(path);
}
