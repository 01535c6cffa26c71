import { objectMember, stringMembers } from '../json/json-value.ts';
import { CHECK_CATALOGUE } from '../checks/catalogue.ts';
import { checkedWorkload } from '../checks/checked-workload.ts';
import { runChecksInSteps } from '../checks/run-checks.ts';
import { defaultProbesInSteps } from '../defaulting/default-probes.ts';
import { effectiveTemplate } from '../defaulting/effective.ts';
import { runToEnd } from '../steps.ts';
import { mayHoldSeveralTemplates, templateName } from '../workload/kinds.ts';
import { permittedDefaulting } from './permitted-defaulting.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { ProbeKind } from '../probes/probe.ts';
import type { Violation } from '../checks/violation.ts';
import type { Defaulting } from '../defaulting/default-probes.ts';
import type { Injection } from '../defaulting/injection.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import type { Steps } from '../steps.ts';
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
 */
export function judge(subject: Subject, policies: Snapshot, willBeDefaulted: boolean): Judgement {
  return runToEnd(judgeInSteps(subject, policies, willBeDefaulted));
}

/** Like judge, in steps: a large object takes long. */
export function* judgeInSteps(
  { object, kind, templates, namespace }: Subject,
  policies: Snapshot,
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
    // When nothing is added, only the warnings about annotations are needed: floors need not be checked.
    const defaulting = yield* (willBeDefaulted ? permittedDefaulting : defaultProbesInSteps)(template, policy, kind);
    for (const warning of defaulting.warnings) warnings.add(warning);
    const effective = willBeDefaulted ? effectiveTemplate(template, defaulting.injections) : template;
    yield;
    const workload = checkedWorkload(object, kind, { template: effective, path });
    const found = yield* runChecksInSteps(workload, policy.checkPolicy);
    const which = mayHoldSeveralTemplates(kind) ? { template: templateName(object, path) } : undefined;
    // Pushed one by one: arguments of a spread call must fit on the stack, and a hostile object has any number of
    // violations.
    for (const violation of willBeDefaulted ? withSources(found, defaulting) : found) {
      const isDenial = violation.action === 'Deny';
      if (isDenial) denials += 1;
      // Violations that deny nothing must not hide one that denies.
      else if (violations.length - denials >= MOST_VIOLATIONS) continue;
      violations.push(which === undefined ? violation : { ...violation, ...which });
    }
    yield;
  }
  return { violations, warnings: [...warnings], policies: [...sources] };
}

/**
 * Names the policy in the message when the probe is injected: the policy's author has to change it. No edit of the
 * workload helps then.
 */
function withSources(violations: readonly Violation[], { injections }: Defaulting): readonly Violation[] {
  if (violations.length === 0 || injections.length === 0) return violations;
  const injected = new Map(injections.map((injection) => [`${injection.container.name} ${injection.kind}`, injection]));
  return violations.flatMap((violation) => {
    const { container, probe, message } = violation;
    const check = CHECK_CATALOGUE[violation.check];
    const of = (kind: ProbeKind): Injection | undefined => injected.get(`${container} ${kind}`);
    // The delay has an effect here: the injected startup probe follows from it.
    const isAccepted = check?.acceptsDelayOfInjectedStartup === true && probe === 'livenessProbe';
    if (isAccepted && of('startupProbe')?.followsDelay === true) return [];
    const own = probe && of(probe);
    const notes =
      own === undefined
        ? (check?.relatedProbes ?? []).flatMap((kind) => injectedNote(kind, of(kind)))
        : injectedNote('this probe', own);
    if (notes.length === 0) return [violation];
    return [withoutEdits({ ...violation, message: [message, ...notes].join('; ') })];
  });
}

function withoutEdits(violation: Violation): Violation {
  if (violation.edits === undefined) return violation;
  const copy: { -readonly [Key in keyof Violation]: Violation[Key] } = { ...violation };
  delete copy.edits;
  return copy;
}

function injectedNote(subject: string, injection: Injection | undefined): string[] {
  return injection === undefined ? [] : [`${subject} is injected (${injection.source})`];
}
