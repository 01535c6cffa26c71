import { judgeObject, type Workload } from '../judge.ts';
import { toleranceOf } from '../ratchet.ts';
import { isPod } from '../../workload/kinds.ts';
import { probeChanges, violationChanges, type PodStore, type ProbeChange, type ViolationChange } from './changes.ts';
import type { Check, Finding } from '../../checks/check.ts';
import type { RunCheck } from '../../checks/run-checks.ts';
import type { Violation } from '../../checks/violation.ts';
import type { Container } from '../../workload/pod.ts';
import type { Snapshot } from '../../facts/snapshot.ts';

/** Whether a workload gets or loses violations with an action. Undefined if neither is the case. */
export type Transition = 'new' | 'gone' | undefined;

export interface WorkloadOutcome {
  readonly probes: readonly ProbeChange[];
  readonly violations: readonly ViolationChange[];
  /** Whether the workload would be denied if somebody created it. */
  readonly denied: Transition;
  /** Whether a change of the Pod template would be denied that adds no violation. */
  readonly deniedAtUpdate: Transition;
  readonly warned: Transition;
}

const UNCHANGED = { probes: [], violations: [], denied: undefined, deniedAtUpdate: undefined, warned: undefined };

/**
 * What a change of policies does to one workload at an instant, in milliseconds since the epoch, with `enforcement:
 * Deny`.
 *
 * @param store what the API server stores of the workload's Pods
 * @param injects false for a server that never adds probes
 */
export function outcomeOf(
  workload: Workload,
  before: Snapshot,
  after: Snapshot,
  store: PodStore,
  now: number,
  injects = true,
): WorkloadOutcome {
  if (isOutOfReach(workload, before, after)) return UNCHANGED;
  const areFactsSame = before.facts === after.facts;
  const subject = areFactsSame ? { ...workload, run: eachCheckOnce() } : workload;
  const old = verdictOn(subject, before, injects, now);
  const later = verdictOn(subject, after, injects, now);
  // A template and its Pods get the same probes. Without injections, they are not known.
  const isInjected = old.isInjected === true || later.isInjected === true;
  const mayChange = isInjected || !areFactsSame || !injects || workload.asSent !== undefined;
  const transition = (has: (verdict: Verdict) => boolean): Transition =>
    has(old) === has(later) ? undefined : has(later) ? 'new' : 'gone';
  return {
    probes: mayChange ? probeChanges(workload, before, after, store, now) : [],
    violations: violationChanges(old.violations, later.violations),
    denied: transition(({ violations }) => violations.some(({ action }) => action === 'Deny')),
    deniedAtUpdate: transition((verdict) => verdict.isUpdateDenied),
    warned: transition(({ violations }) => violations.some(({ action }) => action === 'Warn')),
  };
}

/** True if the same policies and facts apply to the workload before and after: a verdict depends on nothing else. */
function isOutOfReach({ pods, asSent, namespace }: Workload, before: Snapshot, after: Snapshot): boolean {
  if (before.facts !== after.facts) return false;
  return [...pods, ...(asSent?.pods ?? [])].every(({ labels }) => {
    const [old, now] = [before.policyFor(namespace, labels).layers, after.policyFor(namespace, labels).layers];
    return old.length === now.length && old.every((layer, index) => layer === now[index]);
  });
}

/**
 * Runs each check once for a container of a Pod and its parameters: a change of policies leaves most checks as they
 * are. A Pod with other probes is another Pod.
 */
function eachCheckOnce(): RunCheck {
  const known = new Map<Container, Map<Check, readonly [pod: unknown, parameters: unknown, readonly Finding[]]>>();
  return (check, container, parameters, workload) => {
    const ofContainer = known.get(container);
    const [pod, same, before] = ofContainer?.get(check) ?? [];
    if (before !== undefined && pod === workload.pod && same === parameters) return before;
    const found = check.run(container, parameters, workload);
    if (ofContainer === undefined) known.set(container, new Map([[check, [workload.pod, parameters, found]]]));
    else ofContainer.set(check, [workload.pod, parameters, found]);
    return found;
  };
}

interface Verdict {
  readonly isInjected: boolean | undefined;
  readonly violations: readonly Violation[];
  /** Whether `/validate` denies a change of the template that leaves the violations as they are. */
  readonly isUpdateDenied: boolean;
}

function verdictOn(workload: Workload, policies: Snapshot, injects: boolean, now: number): Verdict {
  const old = workload.asSent ?? workload;
  const judgement = judgeObject(old, policies, injects, now);
  const { violations } = judgement;
  const update = { judgement, object: old.object, old, changesTemplate: true };
  const isTolerated = toleranceOf(update, policies, injects, now);
  return {
    isInjected: judgement.isInjected,
    // What the text alone shows is stored nowhere, so no update has it.
    violations: [...(workload.violationsOfText?.(policies) ?? []), ...violations],
    // The probes of a Pod never change.
    isUpdateDenied: !isPod(old.kind) && violations.some((found) => found.action === 'Deny' && !isTolerated(found)),
  };
}
