import { checkedWorkload } from '../checks/checked-workload.ts';
import { runChecks, type RunCheck } from '../checks/run-checks.ts';
import { mayHoldSeveralTemplates, templateName } from '../workload/kinds.ts';
import type { WorkloadKind } from '../workload/kinds.ts';
import type { Pod } from '../workload/pod.ts';
import { namesOf, workloadNameOf } from '../workload/workload-of-pod.ts';
import { withExceptions } from './exceptions-of-workload.ts';
import { withPoliciesAtFault, withReasons } from './injected-violations.ts';
import { permittedDefaulting, withoutInjections, type PermittedDefaulting } from './permitted-defaulting.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Violation } from '../checks/violation.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import type { NamedWorkload } from '../policy/probe-exception.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';

export interface Subject {
  readonly object: JsonObject;
  readonly kind: WorkloadKind;
  /** The Pods of its templates, as they are written. */
  readonly pods: readonly Pod[];
  readonly namespace: string;
  /** For a Pod of a trusted controller: the workloads that the Pod belongs to. Exceptions may name them. */
  readonly controllers?: readonly NamedWorkload[];
  /** Runs a check, for a caller that judges the Pods several times. */
  readonly run?: RunCheck;
}

/** A workload whose future under other policies is computed. */
export interface Workload extends Subject {
  readonly name: string;
  /** The object as the API server decodes the object, if that differs. Violations are found in it. */
  readonly asSent?: Subject;
  /** The violations that no review shows, as the API server drops such fields. Absent for objects of a cluster. */
  readonly violationsOfText?: (policies: Snapshot) => readonly Violation[];
}

export interface Judgement {
  readonly violations: readonly Violation[];
  readonly warnings: readonly string[];
  /** The policies of each Pod template. */
  readonly inForce: readonly WorkloadPolicy[];
  /** True when a Pod gets a probe of a policy. Absent = none does. */
  readonly isInjected?: boolean;
}

/** The sources of the policies of all Pod templates. */
export function sourcesOf({ inForce }: Pick<Judgement, 'inForce'>): readonly string[] {
  return [...new Set(inForce.flatMap(({ sources }) => sources))];
}

/**
 * Judges an object by its effective templates.
 *
 * @param willBeDefaulted true when `/mutate` will add probes to the Pods. False for a Pod that `/mutate` has seen
 *   already, and while mutation is not On
 * @param now the instant of the verdict, in milliseconds since the epoch
 */
export function judgeObject(subject: Subject, policies: Snapshot, willBeDefaulted: boolean, now: number): Judgement {
  const { object, kind } = subject;
  const judged = subject.pods.map((pod) => {
    const policy = policyOfPod(subject, pod, policies);
    const given = willBeDefaulted ? permittedDefaulting(pod, policy) : withoutInjections(pod, policy);
    const found = violationsOf(subject, policies, policy, given, now);
    const which = mayHoldSeveralTemplates(kind) && { template: templateName(object, pod.path) };
    const violations = which ? found.map((violation) => ({ ...violation, ...which })) : found;
    return { violations, warnings: given.warnings, policy, isInjected: given.injections.length > 0 };
  });
  return {
    violations: reported(judged.flatMap(({ violations }) => violations)),
    warnings: [...new Set(judged.flatMap(({ warnings }) => warnings))],
    inForce: judged.map(({ policy }) => policy),
    isInjected: judged.some(({ isInjected }) => isInjected),
  };
}

/** The policy in force for the Pods of one template. A Pod's controller reference is ignored: anybody can write one. */
export function policyOfPod(
  { object, kind, namespace }: Pick<Subject, 'object' | 'kind' | 'namespace'>,
  { labels }: Pod,
  policies: Snapshot,
): WorkloadPolicy {
  return policies.policyFor(namespace, labels, workloadNameOf(object, kind, false));
}

/** At most so many violations that deny, and as many others, are reported. Objects of a cluster may have any number. */
const MOST_VIOLATIONS = 5000;

/** Violations that deny nothing must not hide one that denies. */
function reported(violations: readonly Violation[]): readonly Violation[] {
  let [denials, others] = [0, 0];
  return violations.filter(({ action }) => (action === 'Deny' ? ++denials : ++others) <= MOST_VIOLATIONS);
}

/**
 * The violations of the Pods of one template, with the policies at fault and with exceptions.
 *
 * @param given the Pod with the injected probes, which probes these are, and why others are not injected
 */
export function violationsOf(
  subject: Omit<Subject, 'pods'>,
  policies: Snapshot,
  policy: WorkloadPolicy,
  { pod, injections, notInjected }: Omit<PermittedDefaulting, 'warnings'>,
  now: number,
): readonly Violation[] {
  const { object, kind, namespace } = subject;
  const { checkPolicy, layers, services } = policy;
  const around = { object, kind, namespace, facts: policies.facts, services };
  const found = runChecks(checkedWorkload(pod, around), checkPolicy, subject.run);
  if (found.length === 0) return found;
  const assigned = withPoliciesAtFault(withReasons(found, notInjected, layers), injections, checkPolicy);
  const named = { namespace, names: namesOfSubject(subject), podLabels: pod.labels };
  return withExceptions(assigned, named, policies, policy, now);
}

export function namesOfSubject({ object, kind, controllers = [] }: Omit<Subject, 'pods'>): readonly NamedWorkload[] {
  const { name } = namesOf(object);
  return name === undefined ? controllers : [{ kind: kind.kind, name }, ...controllers];
}
