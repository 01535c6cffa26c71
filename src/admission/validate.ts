import { isDeepStrictEqual } from 'node:util';
import { member, objectMember } from '../probes/json.ts';
import { PROBE_KINDS } from '../probes/probe.ts';
import { validProbe } from '../checks/valid-probe.ts';
import { formatViolation, violationKey } from '../checks/violation.ts';
import { laxer } from '../policy/check-catalogue.ts';
import { containersOf } from '../workload/containers.ts';
import { isPod, podTemplatesOf, workloadKind } from '../workload/kinds.ts';
import { runToEnd } from '../steps.ts';
import { skip } from './decision.ts';
import { judgeInSteps } from '../verdict/judge.ts';
import { isControlled } from './trusted-controllers.ts';
import { allowed, auditText, denied } from './response.ts';
import { ObjectTooLarge, refuseTooLarge } from './object-size.ts';
import { scopeOf } from './scope.ts';
import type { Steps } from '../steps.ts';
import type { JsonObject } from '../probes/json.ts';
import type { Violation } from '../checks/violation.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { WorkloadKind } from '../workload/kinds.ts';
import type { Decision, MutationMode } from './decision.ts';
import type { Scope } from './scope.ts';
import type { TrustedControllers } from './trusted-controllers.ts';
import type { AdmissionRequest } from './review.ts';

/** Caps what violations lead to, server-wide: the ladder for a first rollout. */
export const ENFORCEMENTS = ['Deny', 'Warn', 'Audit'] as const;
export type Enforcement = (typeof ENFORCEMENTS)[number];

/** How the server is set. */
export interface ValidateSettings {
  readonly enforcement: Enforcement;
  readonly mutation: MutationMode;
  readonly kinds: readonly WorkloadKind[];
  /** Whose controller references are believed. */
  readonly controllers: TrustedControllers;
}

/**
 * Answers `/validate`: the whole catalogue of checks on the effective template, at CREATE and when the template (of a Pod: a probe)
 * changed. Only what an update adds may deny; what was there before warns.
 */
export function validate(request: AdmissionRequest, policies: PolicySet, settings: ValidateSettings): Decision {
  return runToEnd(validateInSteps(request, policies, settings));
}

/** The same in steps, for an object that takes long. */
export function* validateInSteps(
  request: AdmissionRequest,
  policies: PolicySet,
  settings: ValidateSettings,
): Steps<Decision> {
  const { controllers } = settings;
  let scope: Scope;
  try {
    scope = scopeOf(request, settings.kinds, controllers);
  } catch (error) {
    if (error instanceof ObjectTooLarge) return refuseUnseen(request, settings, error);
    throw error;
  }
  if ('skipped' in scope) return skip(request, scope.skipped);
  const { object, kind, templates } = scope;
  const { namespace } = request;
  const oldObject = comparable(request, settings.kinds);
  if (oldObject !== undefined && !hasChanged(object, oldObject, kind)) return skip(request, 'unchanged');
  yield;

  const willBeDefaulted = settings.mutation === 'On' && !isPod(kind);
  const judgement = yield* judgeInSteps({ object, kind, templates, namespace }, policies, willBeDefaulted);
  const before =
    oldObject === undefined
      ? []
      : (yield* judgeInSteps(
          { object: oldObject, kind, templates: podTemplatesOf(oldObject, kind), namespace },
          policies,
          willBeDefaulted,
        )).violations;
  const tolerated = new Set(before.map(violationKey));
  // A namespace could make its old object violate a floored check by parameters of its own, and so excuse the next fault.
  const needsPlatform = judgement.violations.some(
    (found) => found.isFloored === true && tolerated.has(violationKey(found)),
  );
  const flooredBefore =
    oldObject === undefined || !needsPlatform
      ? undefined
      : new Set(
          (yield* judgeInSteps(
            { object: oldObject, kind, templates: podTemplatesOf(oldObject, kind), namespace },
            policies.ofCluster,
            willBeDefaulted,
          )).violations
            .filter(({ isFloored }) => isFloored === true)
            .map(violationKey),
        );
  const isTolerated = (violation: Violation): boolean => {
    const key = violationKey(violation);
    return tolerated.has(key) && (violation.isFloored !== true || flooredBefore?.has(key) === true);
  };
  // A Pod that a controller creates was judged in its template; refusing it would only hide it from its author.
  const cap = isPod(kind) && isControlled(request, controllers) ? 'Audit' : settings.enforcement;
  const violations = judgement.violations.map((violation) => {
    const ratchet: Violation['action'] = isTolerated(violation) ? 'Warn' : 'Deny';
    return { ...violation, action: laxer(laxer(violation.action, ratchet), cap) };
  });
  yield;
  return decide(request, violations, isPod(kind) ? [] : judgement.warnings, judgement.policies);
}

/**
 * Answers about an object that has more of something than is looked at. A refusal, as an error would let the object pass under failurePolicy Ignore:
 * whoever writes a command with 50,000 words would be past every check. What was as large before only warns.
 */
function refuseUnseen(request: AdmissionRequest, settings: ValidateSettings, { message }: ObjectTooLarge): Decision {
  const wasTooLarge = request.oldObject !== undefined && comparable(request, settings.kinds) === undefined;
  const cap = isControlled(request, settings.controllers) ? 'Audit' : settings.enforcement;
  const action = laxer(wasTooLarge ? 'Warn' : 'Deny', cap);
  const violation = { check: validProbe.id, action, container: '', path: 'spec', message, reason: 'FieldValueTooMany' };
  return decide(request, [violation], [], []);
}

/** The object before the update; undefined when there is none, or when it is too large to be looked at: then nothing that it had excuses anything. */
function comparable(
  { oldObject, kind, textLength }: AdmissionRequest,
  kinds: readonly WorkloadKind[],
): JsonObject | undefined {
  const known = workloadKind(kind.group, kind.kind, kinds);
  if (oldObject === undefined || known === undefined) return undefined;
  try {
    refuseTooLarge(podTemplatesOf(oldObject, known), textLength);
    return oldObject;
  } catch (error) {
    if (error instanceof ObjectTooLarge) return undefined;
    throw error;
  }
}

function decide(
  request: AdmissionRequest,
  violations: readonly Violation[],
  annotationWarnings: readonly string[],
  policies: readonly string[],
): Decision {
  const auditAnnotations = violations.length === 0 ? {} : { violations: auditText(violations, auditLine) };
  const deny = violations.filter(({ action }) => action === 'Deny');
  if (deny.length > 0)
    return { reply: denied(request.uid, deny, auditAnnotations), result: 'deny', violations, policies };
  const warnings = [
    ...violations.filter(({ action }) => action === 'Warn').map(formatViolation),
    ...annotationWarnings,
  ];
  return {
    reply: allowed(request.uid, { warnings, auditAnnotations }),
    result: warnings.length > 0 ? 'warn' : 'allow',
    violations,
    policies,
  };
}

/** `named-port app.livenessProbe Deny`: short, and the same whenever the webhook is asked about the same object. */
function auditLine({ check, container, probe, action }: Violation): string {
  return `${check} ${[container, probe].filter(Boolean).join('.')} ${action}`;
}

function hasChanged(object: JsonObject, oldObject: JsonObject, kind: WorkloadKind): boolean {
  if (isPod(kind)) return !isDeepStrictEqual(probesOf(object), probesOf(oldObject));
  return (
    !isDeepStrictEqual(podTemplatesOf(object, kind), podTemplatesOf(oldObject, kind)) ||
    !isDeepStrictEqual(rolloutOf(object), rolloutOf(oldObject))
  );
}

/** What stands outside of the template and checks look at: how long a Deployment's rollout may take. */
function rolloutOf(object: JsonObject): unknown {
  const spec = objectMember(object, 'spec') ?? {};
  return [member(spec, 'progressDeadlineSeconds') ?? null, member(spec, 'minReadySeconds') ?? null];
}

/** A Pod's probes, container by container: labels, images and tolerations may change without making them anybody's business. */
function probesOf(pod: JsonObject): unknown {
  const spec = member(pod, 'spec');
  if (typeof spec !== 'object' || spec === null) return [];
  return containersOf(spec as JsonObject).map(({ name, spec: container }) => [
    name,
    ...PROBE_KINDS.map((probe) => member(container, probe) ?? null),
  ]);
}
