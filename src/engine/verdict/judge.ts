import { objectMember, stringMember, stringMembers } from '../../base/json/json-value.ts';
import { checkedWorkload } from '../checks/checked-workload.ts';
import { runChecks } from '../checks/run-checks.ts';
import { withoutInjections } from '../defaulting/default-probes.ts';
import { effectiveTemplate } from '../defaulting/effective.ts';
import { lacksProbe } from '../defaulting/lacking-probes.ts';
import { sourcesOf } from '../policy/layer-sources.ts';
import { isPod, mayHoldSeveralTemplates, templateName } from '../workload/kinds.ts';
import { workloadNameOf } from '../workload/workload-of-pod.ts';
import { withExceptions } from './exceptions-of-workload.ts';
import { injectedBefore } from './injected-before.ts';
import { withPoliciesAtFault } from './injected-violations.ts';
import { mayHaveReasons, withReasons } from './missing-probe-reasons.ts';
import { permittedDefaulting } from './permitted-defaulting.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Violation } from '../checks/violation.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import type { NamedWorkload } from '../policy/probe-exception.ts';
import type { PlacedTemplate, WorkloadKind } from '../workload/kinds.ts';

/**
 * At most this many violations that deny, and as many others, are reported. An object of megabytes can have any number.
 */
const MOST_VIOLATIONS = 5000;

/** An object to be judged. */
export interface Subject {
  readonly object: JsonObject;
  readonly kind: WorkloadKind;
  readonly templates: readonly PlacedTemplate[];
  readonly namespace: string;
  /** For a Pod of a trusted controller: the workloads that the Pod belongs to. Exceptions may name them. */
  readonly controllers?: readonly NamedWorkload[];
}

/** The violations, warnings about malformed annotations, and the policies that apply. */
export interface Judgement {
  readonly violations: readonly Violation[];
  readonly warnings: readonly string[];
  readonly policies: readonly string[];
}

/**
 * Judges an object by its effective templates.
 *
 * @param willBeDefaulted true when `/mutate` will add probes to the Pods. False for a Pod that `/mutate` has seen
 * already, and while mutation is not
 *   On: then the object is judged unchanged
 * @param now the instant of the verdict, in milliseconds since the epoch
 */
export function judge(subject: Subject, policies: Snapshot, willBeDefaulted: boolean, now: number): Judgement {
  const { object, kind, templates, namespace } = subject;
  const violations: Violation[] = [];
  let warnings: Set<string> | undefined;
  const sources = new DistinctTexts();
  // A Pod's controller reference is ignored: anybody can write one.
  const itself = workloadNameOf(object, kind, false);
  const circumstances = { namespace, facts: policies.facts, now };
  let denials = 0;
  for (const { template, path } of templates) {
    if (denials >= MOST_VIOLATIONS) break;
    const podLabels = stringMembers(objectMember(template, 'metadata') ?? {}, 'labels');
    const policy = policies.policyFor(namespace, podLabels, itself);
    sources.add(sourcesOf(policy.layers));
    // Most templates that are judged have all their probes, and get none.
    const mayGetProbes = willBeDefaulted && lacksProbe(template);
    const defaulting = mayGetProbes ? permittedDefaulting(template, policy, kind) : withoutInjections(template, policy);
    for (const warning of defaulting.warnings) (warnings ??= new Set()).add(warning);
    const effective = willBeDefaulted ? effectiveTemplate(template, defaulting.injections) : template;
    const workload = checkedWorkload(object, kind, { template: effective, path }, circumstances);
    const violated = runChecks(workload, policy.checkPolicy);
    let found: readonly Violation[] = violated;
    if (willBeDefaulted && violated.some(mayHaveReasons)) {
      const { notInjected } = mayGetProbes ? defaulting : permittedDefaulting(template, policy, kind);
      found = withReasons(violated, notInjected, policy.layers);
    }
    if (found.length > 0) {
      const injections = willBeDefaulted
        ? defaulting.injections
        : isPod(kind)
          ? injectedBefore(template, policy, kind)
          : [];
      found = withPoliciesAtFault(found, injections, policy.checkPolicy);
    }
    if (found.length > 0)
      found = withExceptions(found, { namespace, names: namesOfSubject(subject), podLabels }, policies, policy, now);
    const which = mayHoldSeveralTemplates(kind) ? { template: templateName(object, path) } : undefined;
    // Pushed one by one: arguments of a spread call must fit on the stack, and a hostile object has any number of
    // violations.
    for (const violation of found) {
      const isDenial = violation.action === 'Deny';
      if (isDenial) denials += 1;
      // Violations that deny nothing must not hide one that denies.
      else if (violations.length - denials >= MOST_VIOLATIONS) continue;
      violations.push(which === undefined ? violation : { ...violation, ...which });
    }
  }
  return { violations, warnings: warnings === undefined ? [] : [...warnings], policies: sources.list };
}

/** The texts of lists without repetitions. A single list stays the same list: most objects have one template. */
class DistinctTexts {
  #first: readonly string[] | undefined;
  #all: Set<string> | undefined;

  add(list: readonly string[]): void {
    this.#first ??= list;
    if (list === this.#first) return;
    this.#all ??= new Set(this.#first);
    for (const text of list) this.#all.add(text);
  }

  get list(): readonly string[] {
    return this.#all === undefined ? (this.#first ?? []) : [...this.#all];
  }
}

/** The names by which exceptions may name the object. */
export function namesOfSubject({ object, kind, controllers = [] }: Subject): readonly NamedWorkload[] {
  const name = stringMember(objectMember(object, 'metadata') ?? {}, 'name');
  return name === undefined ? controllers : [{ kind: kind.kind, name }, ...controllers];
}
