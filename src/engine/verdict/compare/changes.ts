import { equalJson } from '../../../base/json/json-value.ts';
import { injectionAt, type Injection } from '../../defaulting/injection.ts';
import { PROBE_KINDS, type ProbeKind } from '../../probe/probe.ts';
import type { Container, Pod } from '../../workload/pod.ts';
import { mayHoldSeveralTemplates, templateName } from '../../workload/kinds.ts';
import { workloadNameOf } from '../../workload/workload-of-pod.ts';
import type { Workload } from '../judge.ts';
import { permittedDefaulting } from '../permitted-defaulting.ts';
import { formatPath } from '../../../base/json/field-path.ts';
import { violationKey, type Violation } from '../../checks/violation.ts';
import type { Snapshot } from '../../facts/snapshot.ts';

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

/** Compares the Pods of a workload under two snapshots, as `/mutate` would patch them. */
export function probeChanges(workload: Workload, before: Snapshot, after: Snapshot): readonly ProbeChange[] {
  return workload.pods.flatMap((pod) => changesOfPod(workload, pod, before, after));
}

function changesOfPod(workload: Workload, pod: Pod, before: Snapshot, after: Snapshot): ProbeChange[] {
  const [old, now] = [before, after].map((policies) => injectedProbes(workload, pod, policies));
  if (old === undefined || now === undefined || (old.length === 0 && now.length === 0)) return [];
  const which = mayHoldSeveralTemplates(workload.kind) ? { template: templateName(workload.object, pod.path) } : {};
  return pod.containers.flatMap((container) =>
    PROBE_KINDS.flatMap((probe): ProbeChange[] => {
      const [was, is] = [probeAfter(old, container, probe), probeAfter(now, container, probe)];
      if (equalJson(was, is)) return [];
      const { name, list, index } = container;
      const change = was === null ? 'added' : is === null ? 'removed' : 'changed';
      return [{ container: name, list, index, ...which, probe, change, before: was, after: is }];
    }),
  );
}

function injectedProbes({ object, kind, namespace }: Workload, pod: Pod, policies: Snapshot): readonly Injection[] {
  const policy = policies.policyFor(namespace, pod.labels, workloadNameOf(object, kind, false));
  return permittedDefaulting(pod, policy).injections;
}

function probeAfter(injections: readonly Injection[], container: Container, kind: ProbeKind): unknown {
  const own = container.written.find((probe) => probe.kind === kind);
  return injectionAt(injections, container, kind)?.probe ?? own?.written ?? null;
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
