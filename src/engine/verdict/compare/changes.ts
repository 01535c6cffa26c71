import { equalJson, type JsonObject } from '../../../base/json/json-value.ts';
import { PROBE_KINDS, type ProbeKind } from '../../probe/probe.ts';
import type { Container, Pod } from '../../workload/pod.ts';
import { mayHoldSeveralTemplates, templateName } from '../../workload/kinds.ts';
import { formatPath, valueAt } from '../../../base/json/field-path.ts';
import { violationKey, type Violation } from '../../checks/violation.ts';
import type { Snapshot } from '../../facts/snapshot.ts';
import type { Workload } from '../judge.ts';

export interface ProbeChange {
  readonly container: string;
  /** The list and the index of the container, because names may repeat. */
  readonly list: Container['list'];
  readonly index: number;
  readonly template?: string;
  readonly probe: ProbeKind;
  readonly change: 'added' | 'removed' | 'changed';
  /** The whole probe. Null = the container has no such probe. */
  readonly before: unknown;
  readonly after: unknown;
}

/** The Pod of a template as the API server stores it under a snapshot, and whether the webhook patched it. */
export type PodStore = (
  workload: Workload,
  template: JsonObject,
  snapshot: Snapshot,
  now: number,
) => { readonly pod: JsonObject; readonly isPatched: boolean };

/** Compares the Pods of a workload as they are stored under two snapshots, at an instant in milliseconds. */
export function probeChanges(
  workload: Workload,
  before: Snapshot,
  after: Snapshot,
  store: PodStore,
  now: number,
): readonly ProbeChange[] {
  return workload.pods.flatMap((pod) => {
    const [old, later] = [before, after].map((snapshot) => store(workload, pod.template, snapshot, now));
    return old?.isPatched || later?.isPatched ? changesOfPod(workload, pod, old?.pod, later?.pod) : [];
  });
}

function changesOfPod(
  { object, kind }: Workload,
  { containers, path }: Pod,
  old: unknown,
  later: unknown,
): ProbeChange[] {
  const which = mayHoldSeveralTemplates(kind) ? { template: templateName(object, path) } : {};
  return containers.flatMap(({ name, list, index }) =>
    PROBE_KINDS.flatMap((probe): ProbeChange[] => {
      const [was, is] = [old, later].map((pod) => valueAt(pod, ['spec', list, index, probe]) ?? null);
      if (equalJson(was, is)) return [];
      const change = was === null ? 'added' : is === null ? 'removed' : 'changed';
      return [{ container: name, list, index, ...which, probe, change, before: was, after: is }];
    }),
  );
}

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
  const pathOf = ({ path }: Violation): string => formatPath(path);
  for (const sameness of [(one: Violation) => JSON.stringify([pathOf(one), one.message]), pathOf]) {
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
