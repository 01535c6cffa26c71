import { selects, type Labels } from '../policy/label-selector.ts';
import { formatInstant } from '../../base/text/duration.ts';
import {
  endOf,
  exceptionRules,
  exceptionSpec,
  EXPIRING_MILLISECONDS,
  mayExcept,
  type ExceptionSpec,
  type NamedWorkload,
  type ProbeException,
} from '../policy/probe-exception.ts';
import { validProbe } from '../checks/valid-probe.ts';
import type { AppliedException, Violation } from '../checks/violation.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';

export interface ExceptableWorkload {
  readonly namespace: string;
  /** The object itself. For a Pod of a trusted controller also the workloads that the Pod belongs to. */
  readonly names: readonly NamedWorkload[];
  readonly podLabels: Labels;
}

/**
 * Applies the exceptions of the namespace. A violation that an exception covers becomes `Excepted`. One whose exception
 * has ended keeps its action and names the exception.
 *
 * @param now the instant of the verdict, in milliseconds since the epoch
 */
export function withExceptions(
  violations: readonly Violation[],
  workload: ExceptableWorkload,
  snapshot: Snapshot,
  policy: Pick<WorkloadPolicy, 'layers'>,
  now: number,
): readonly Violation[] {
  const candidates = candidatesFor(workload, snapshot, policy);
  if (candidates.length === 0) return violations;
  const byCheck = new Map<string, readonly Candidate[]>();
  return violations.map((violation) => {
    const { check, container } = violation;
    const ofCheck = byCheck.get(check) ?? candidates.filter(({ checks }) => checks.includes(check));
    byCheck.set(check, ofCheck);
    const covering = ofCheck.find(({ containers }) => containers?.has(container) ?? true);
    if (covering === undefined) return violation;
    const exception = applied(covering, now);
    return now < covering.end ? { ...violation, action: 'Excepted', exception } : { ...violation, ended: exception };
  });
}

/**
 * True if an exception for each of these checks helps: the policies of a workload honour it, and the API server takes
 * the Pods.
 */
export function mayExceptAll({ layers }: Pick<WorkloadPolicy, 'layers'>, checks: readonly string[]): boolean {
  const rules = exceptionRules(layers);
  return rules.action === 'Allow' && checks.every((check) => check !== validProbe.id && mayExcept(rules, check));
}

export interface ExceptionOfWorkload extends AppliedException {
  readonly checks: readonly string[];
  readonly containers: readonly string[] | undefined;
  readonly hasEnded: boolean;
}

export function exceptionsOfWorkload(
  workload: ExceptableWorkload,
  snapshot: Snapshot,
  policy: Pick<WorkloadPolicy, 'layers'>,
  now: number,
): readonly ExceptionOfWorkload[] {
  return candidatesFor(workload, snapshot, policy).map((candidate) => {
    const { checks, spec, end } = candidate;
    return { ...applied(candidate, now), checks, containers: spec.containers, hasEnded: now >= end };
  });
}

interface Candidate {
  readonly exception: ProbeException;
  readonly spec: ExceptionSpec;
  /** Those of its checks that the policies allow to be excepted: one at least. */
  readonly checks: readonly string[];
  readonly end: number;
  /** As a set: a hostile Pod has thousands of violations, and its namespace a thousand exceptions. */
  readonly containers: ReadonlySet<string> | undefined;
}

/** The exceptions for the workload, the one that ends last first. */
function candidatesFor(
  workload: ExceptableWorkload,
  { facts }: Snapshot,
  { layers }: Pick<WorkloadPolicy, 'layers'>,
): readonly Candidate[] {
  const rules = exceptionRules(layers);
  const exceptions = rules.action === 'Ignore' ? [] : facts.exceptions.ofNamespace(workload.namespace);
  const candidates = exceptions.flatMap((exception): Candidate[] => {
    const spec = exceptionSpec(exception);
    const checks = coversWorkload(spec, workload) ? spec.checks.filter((check) => mayExcept(rules, check)) : [];
    const containers = spec.containers && new Set(spec.containers);
    return checks.length === 0 ? [] : [{ exception, spec, checks, end: endOf(exception, rules), containers }];
  });
  return candidates.sort((a, b) => b.end - a.end || (a.exception.name < b.exception.name ? -1 : 1));
}

function coversWorkload(
  { workloads, workloadSelector }: ExceptionSpec,
  { names, podLabels }: Pick<ExceptableWorkload, 'names' | 'podLabels'>,
): boolean {
  if (workloadSelector !== undefined) return selects(workloadSelector, podLabels);
  return (workloads ?? []).some(({ kind, name }) => names.some((own) => own.kind === kind && own.name === name));
}

function applied({ exception, spec, end }: Candidate, now: number): AppliedException {
  const { owner, reason, ticket } = spec;
  return {
    name: exception.name,
    owner,
    reason,
    ...(ticket !== undefined && { ticket }),
    expires: formatInstant(end),
    isEnding: end - now <= EXPIRING_MILLISECONDS,
  };
}
