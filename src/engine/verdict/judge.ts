import { objectMember, stringMember, stringMembers, type JsonObject } from '../../base/json/json-value.ts';
import { checkedWorkload } from '../checks/checked-workload.ts';
import { runChecks } from '../checks/run-checks.ts';
import { withoutInjections, type Defaulting } from '../defaulting/default-probes.ts';
import { effectiveTemplate } from '../defaulting/injection.ts';
import { isPod, mayHoldSeveralTemplates, templateName } from '../workload/kinds.ts';
import type { PlacedTemplate, WorkloadKind } from '../workload/kinds.ts';
import { CommandReader } from '../workload/command-reader.ts';
import { workloadNameOf } from '../workload/workload-of-pod.ts';
import { withExceptions } from './exceptions-of-workload.ts';
import { withPoliciesAtFault, withReasons } from './injected-violations.ts';
import { injectedBefore, permittedDefaulting } from './permitted-defaulting.ts';
import type { Violation } from '../checks/violation.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import type { NamedWorkload } from '../policy/probe-exception.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';

export interface Subject {
  readonly object: JsonObject;
  readonly kind: WorkloadKind;
  readonly templates: readonly PlacedTemplate[];
  readonly namespace: string;
  /** For a Pod of a trusted controller: the workloads that the Pod belongs to. Exceptions may name them. */
  readonly controllers?: readonly NamedWorkload[];
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
  readonly policies: readonly string[];
}

/**
 * Judges an object by its effective templates.
 *
 * @param willBeDefaulted true when `/mutate` will add probes to the Pods. False for a Pod that `/mutate` has seen
 *   already, and while mutation is not On
 * @param now the instant of the verdict, in milliseconds since the epoch
 * @param commands reads the commands of the object; the same for each verdict on it
 */
export function judge(
  subject: Subject,
  policies: Snapshot,
  willBeDefaulted: boolean,
  now: number,
  commands = commandsOf(subject),
): Judgement {
  const { object, kind, templates, namespace } = subject;
  // A Pod's controller reference is ignored: anybody can write one.
  const itself = workloadNameOf(object, kind, false);
  const options = { ...kind, commands };
  const judged = templates.map(({ template, path }) => {
    const policy = policies.policyFor(namespace, podLabelsOf(template), itself);
    const { injections, notInjected, warnings } = willBeDefaulted
      ? permittedDefaulting(template, policy, options)
      : withoutInjections(template, policy);
    const effective = { template: effectiveTemplate(template, injections), path };
    const isSeen = !willBeDefaulted && isPod(kind);
    const given = {
      injections: isSeen ? injectedBefore(template, policy, options) : injections,
      notInjected,
      commands,
    };
    const found = violationsOf(subject, effective, policies, policy, given, now);
    const which = mayHoldSeveralTemplates(kind) && { template: templateName(object, path) };
    const violations = which ? found.map((violation) => ({ ...violation, ...which })) : found;
    return { violations, warnings, policies: policy.sources };
  });
  return {
    violations: reported(judged.flatMap(({ violations }) => violations)),
    warnings: [...new Set(judged.flatMap(({ warnings }) => warnings))],
    policies: [...new Set(judged.flatMap(({ policies: sources }) => sources))],
  };
}

/** At most so many violations that deny, and as many others, are reported. Objects of a cluster may have any number. */
const MOST_VIOLATIONS = 5000;

/** Violations that deny nothing must not hide one that denies. */
function reported(violations: readonly Violation[]): readonly Violation[] {
  let [denials, others] = [0, 0];
  return violations.filter(({ action }) => (action === 'Deny' ? ++denials : ++others) <= MOST_VIOLATIONS);
}

/**
 * The violations of one template as its Pods will be, with the policies at fault and with exceptions.
 *
 * @param given the injected probes, why others are not injected, and what reads the commands of the object
 */
export function violationsOf(
  subject: Omit<Subject, 'templates'>,
  effective: PlacedTemplate,
  policies: Snapshot,
  policy: WorkloadPolicy,
  given: Pick<Defaulting, 'injections' | 'notInjected'> & { readonly commands: CommandReader },
  now: number,
): readonly Violation[] {
  const { object, kind, namespace } = subject;
  const { checkPolicy, layers } = policy;
  const { injections, notInjected, commands } = given;
  const workload = checkedWorkload(object, kind, effective, { namespace, facts: policies.facts, commands });
  const found = runChecks(workload, checkPolicy);
  if (found.length === 0) return found;
  const assigned = withPoliciesAtFault(withReasons(found, notInjected, layers), injections, checkPolicy);
  const named = { namespace, names: namesOfSubject(subject), podLabels: podLabelsOf(effective.template) };
  return withExceptions(assigned, named, policies, policy, now);
}

/** What reads the commands of an object, with the budget of one object for all of its templates. */
export function commandsOf({ templates }: Pick<Subject, 'templates'>): CommandReader {
  return new CommandReader(templates.map(({ template }) => template));
}

export function podLabelsOf(template: JsonObject): ReturnType<typeof stringMembers> {
  return stringMembers(objectMember(template, 'metadata') ?? {}, 'labels');
}

export function namesOfSubject({
  object,
  kind,
  controllers = [],
}: Omit<Subject, 'templates'>): readonly NamedWorkload[] {
  const name = stringMember(objectMember(object, 'metadata') ?? {}, 'name');
  return name === undefined ? controllers : [{ kind: kind.kind, name }, ...controllers];
}
