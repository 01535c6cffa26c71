import { laxer, type Enforcement } from '../../policy/action.ts';
import { judge, type Workload } from '../judge.ts';
import { probeChanges, violationChanges, type ProbeChange, type ViolationChange } from './changes.ts';
import type { Violation } from '../../checks/violation.ts';
import type { Snapshot } from '../../facts/snapshot.ts';

/** How the webhook treats workloads, where plans differ from servers. */
export interface WebhookBehaviour {
  readonly injects: boolean;
  readonly strictest: Enforcement;
}

const FULL_BEHAVIOUR: WebhookBehaviour = { injects: true, strictest: 'Deny' };

/** Whether a workload gets or loses violations with an action. Undefined if neither is the case. */
export type Transition = 'new' | 'gone' | undefined;

export interface Outcome {
  readonly probes: readonly ProbeChange[];
  readonly violations: readonly ViolationChange[];
  readonly denied: Transition;
  readonly warned: Transition;
}

const UNCHANGED: Outcome = { probes: [], violations: [], denied: undefined, warned: undefined };

/** What a change of policies does to one workload at an instant, in milliseconds since the epoch. */
export function outcomeOf(
  workload: Workload,
  before: Snapshot,
  after: Snapshot,
  now: number,
  behaviour: WebhookBehaviour = FULL_BEHAVIOUR,
): Outcome {
  if (isOutOfReach(workload, before, after)) return UNCHANGED;
  const old = violationsOf(workload, before, now, behaviour);
  const later = violationsOf(workload, after, now, behaviour);
  const probes = behaviour.injects ? probeChanges(workload, before, after) : [];
  const violations = violationChanges(old, later);
  return { probes, violations, denied: transition(old, later, 'Deny'), warned: transition(old, later, 'Warn') };
}

/** True if the same policies and facts apply to the workload before and after: a verdict depends on nothing else. */
function isOutOfReach({ pods, asSent, namespace }: Workload, before: Snapshot, after: Snapshot): boolean {
  if (before.facts !== after.facts) return false;
  return [...pods, ...(asSent?.pods ?? [])].every(({ labels }) => {
    const [old, now] = [before.policyFor(namespace, labels).layers, after.policyFor(namespace, labels).layers];
    return old.length === now.length && old.every((layer, index) => layer === now[index]);
  });
}

function violationsOf(
  workload: Workload,
  policies: Snapshot,
  now: number,
  { injects, strictest }: WebhookBehaviour,
): readonly Violation[] {
  const { violations } = judge(workload.asSent ?? workload, policies, injects, now);
  const ofText = workload.violationsOfText?.(policies) ?? [];
  const all = ofText.length === 0 ? violations : [...ofText, ...violations];
  if (strictest === 'Deny') return all;
  return all.map((violation) => ({ ...violation, action: laxer(violation.action, strictest) }));
}

function transition(
  before: readonly Violation[],
  after: readonly Violation[],
  action: Violation['action'],
): Transition {
  const has = (violations: readonly Violation[]): boolean => violations.some((found) => found.action === action);
  const [was, is] = [has(before), has(after)];
  return was === is ? undefined : is ? 'new' : 'gone';
}
