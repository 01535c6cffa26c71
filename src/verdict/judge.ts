import { objectMember, stringMembers } from '../probes/json.ts';
import { CHECKS } from '../checks/catalogue.ts';
import { checkedWorkload } from '../checks/checked-workload.ts';
import { runChecksInSteps } from '../checks/run-checks.ts';
import { voidInitialDelay } from '../checks/void-initial-delay.ts';
import { defaultProbesInSteps } from '../defaulting/default-probes.ts';
import { effectiveTemplate } from '../defaulting/effective.ts';
import { runToEnd } from '../steps.ts';
import { mayHoldSeveralTemplates, templateName } from '../workload/kinds.ts';
import { permittedDefaulting } from './permitted-defaulting.ts';
import type { JsonObject } from '../probes/json.ts';
import type { ProbeKind } from '../probes/probe.ts';
import type { Violation } from '../checks/violation.ts';
import type { Defaulting, Injection } from '../defaulting/default-probes.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { Steps } from '../steps.ts';
import type { PlacedTemplate, WorkloadKind } from '../workload/kinds.ts';

/** So many that deny, and so many others, are reported: nobody reads more, and an object of megabytes has room for any number. */
const MOST_VIOLATIONS = 5000;

/** An object to be judged. */
export interface Subject {
  readonly object: JsonObject;
  readonly kind: WorkloadKind;
  readonly templates: readonly PlacedTemplate[];
  readonly namespace: string;
}

/** What was found, and what the workload's author got wrong in annotations. */
export interface Judgement {
  readonly violations: readonly Violation[];
  readonly warnings: readonly string[];
  readonly policies: readonly string[];
}

/**
 * Judges an object by its effective templates.
 *
 * @param willBeDefaulted the Pods will get what policy gives them; false for a Pod that has been through the mutating webhook, and while
 *   mutation is not On: then it is judged as it stands
 */
export function judge(subject: Subject, policies: PolicySet, willBeDefaulted: boolean): Judgement {
  return runToEnd(judgeInSteps(subject, policies, willBeDefaulted));
}

/** The same in steps, for an object that takes long. */
export function* judgeInSteps(
  { object, kind, templates, namespace }: Subject,
  policies: PolicySet,
  willBeDefaulted: boolean,
): Steps<Judgement> {
  const violations: Violation[] = [];
  const warnings = new Set<string>();
  const sources = new Set<string>();
  let denials = 0;
  for (const { template, path } of templates) {
    if (denials >= MOST_VIOLATIONS) break;
    const policy = policies.policyFor(namespace, stringMembers(objectMember(template, 'metadata') ?? {}, 'labels'));
    for (const { source } of policy.layers) sources.add(source);
    // Of what stands as it is only the warnings about annotations are needed: floors need not be asked about probes that nobody will add.
    const defaulting = yield* (willBeDefaulted ? permittedDefaulting : defaultProbesInSteps)(template, policy, kind);
    for (const warning of defaulting.warnings) warnings.add(warning);
    const effective = willBeDefaulted ? effectiveTemplate(template, defaulting.injections) : template;
    yield;
    const workload = checkedWorkload(object, kind, { template: effective, path });
    const found = yield* runChecksInSteps(workload, policy.checkPolicy);
    const which = mayHoldSeveralTemplates(kind) ? { template: templateName(object, path) } : undefined;
    // One by one: what is spread into a call has to fit on the stack, and a hostile object has any number of faults.
    for (const violation of willBeDefaulted ? withSources(found, defaulting) : found) {
      const isDenial = violation.action === 'Deny';
      if (isDenial) denials += 1;
      // Faults that deny nothing must not hide one that does.
      else if (violations.length - denials >= MOST_VIOLATIONS) continue;
      violations.push(which === undefined ? violation : { ...violation, ...which });
    }
    yield;
  }
  return { violations, warnings: [...warnings], policies: [...sources] };
}

/** Says so where a probe that counts is not the author's: somebody else has to change it. */
function withSources(violations: readonly Violation[], { injections }: Defaulting): readonly Violation[] {
  if (violations.length === 0 || injections.length === 0) return violations;
  const injected = new Map(injections.map((injection) => [`${injection.container.name} ${injection.kind}`, injection]));
  return violations.flatMap((violation) => {
    const { check, container, probe, message } = violation;
    const of = (kind: ProbeKind): Injection | undefined => injected.get(`${container} ${kind}`);
    // Far from void: the startup probe is there because of it.
    if (check === voidInitialDelay.id && probe === 'livenessProbe' && of('startupProbe')?.followsDelay === true)
      return [];
    const own = probe && of(probe);
    const notes =
      own === undefined
        ? (RELATED_PROBES.get(check) ?? []).flatMap((kind) => injectedNote(kind, of(kind)))
        : injectedNote('this probe', own);
    return [notes.length === 0 ? violation : { ...violation, message: [message, ...notes].join('; ') }];
  });
}

function injectedNote(subject: string, injection: Injection | undefined): string[] {
  return injection === undefined ? [] : [`${subject} is injected (${injection.source})`];
}

const RELATED_PROBES: ReadonlyMap<string, readonly ProbeKind[]> = new Map(
  CHECKS.map(({ id, relatedProbes = [] }) => [id, relatedProbes]),
);
