import { endOf, exceptionRules, EXPIRING_MILLISECONDS, mayExcept } from '../policy/exception-rules.ts';
import { selects } from '../policy/label-selector.ts';
import { formatInstant } from '../../base/text/instant.ts';
import type { AppliedException, Violation } from '../checks/violation.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import type { ExceptionRules } from '../policy/exception-rules.ts';
import type { Labels } from '../policy/label-selector.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';
import type { ExceptionSpec, NamedWorkload, ProbeException } from '../policy/probe-exception.ts';

/** A workload as exceptions name it. */
export interface ExceptableWorkload {
  readonly namespace: string;
  /** The object itself. For a Pod of a trusted controller also the workloads that the Pod belongs to. */
  readonly names: readonly NamedWorkload[];
  /** Labels of the Pods. */
  readonly podLabels: Labels;
}

/**
 * Applies the exceptions of the namespace. A violation that an exception covers becomes `Excepted`. A violation whose
 * exception has ended keeps its action and names the exception. An ended exception excuses no further change of the
 * template. All other violations stay as they are.
 *
 * @param now the instant of the verdict, in milliseconds since the epoch
 */
export function withExceptions(
  violations: readonly Violation[],
  workload: ExceptableWorkload,
  { facts }: Snapshot,
  { layers }: Pick<WorkloadPolicy, 'layers'>,
  now: number,
): readonly Violation[] {
  const exceptions = facts.exceptions.ofNamespace(workload.namespace);
  if (violations.length === 0 || exceptions.length === 0) return violations;
  const rules = exceptionRules(layers);
  if (rules.action === 'Ignore') return violations;
  const checks = new Set(violations.map(({ check }) => check));
  const candidates = candidatesFor(exceptions, workload, rules, checks);
  if (candidates.length === 0) return violations;
  const byCheck = new Map<string, CandidatesOfCheck>();
  for (const check of checks) if (mayExcept(rules, check)) byCheck.set(check, candidatesOfCheck(check, candidates));
  const result: Violation[] = [];
  for (const violation of violations) {
    const ofCheck = byCheck.get(violation.check);
    const covering = ofCheck && (ofCheck.byContainer.get(violation.container) ?? ofCheck.ofAll);
    result.push(covering === undefined ? violation : excepted(violation, covering, now));
  }
  return result;
}

/** An exception for a workload, with what it allows. */
export interface ExceptionOfWorkload extends AppliedException {
  /** The checks that the policies let exceptions name. */
  readonly checks: readonly string[];
  /** Undefined = all containers. */
  readonly containers: readonly string[] | undefined;
  readonly hasEnded: boolean;
}

/** Lists the exceptions for a workload, whether there are violations or not. The exception that ends last is first. */
export function exceptionsOfWorkload(
  workload: ExceptableWorkload,
  { facts }: Snapshot,
  { layers }: Pick<WorkloadPolicy, 'layers'>,
  now: number,
): readonly ExceptionOfWorkload[] {
  const exceptions = facts.exceptions.ofNamespace(workload.namespace);
  const rules = exceptionRules(layers);
  if (exceptions.length === 0 || rules.action === 'Ignore') return [];
  return candidatesFor(exceptions, workload, rules).flatMap((candidate) => {
    const checks = candidate.spec.checks.filter((check) => mayExcept(rules, check));
    if (checks.length === 0) return [];
    const { containers } = candidate.spec;
    return [{ ...applied(candidate, now), checks, containers, hasEnded: now >= candidate.end }];
  });
}

/** An exception that names or selects the workload. */
interface Candidate {
  readonly exception: ProbeException;
  readonly spec: ExceptionSpec;
  readonly end: number;
}

/**
 * The exceptions for the workload, the one that ends last first.
 *
 * @param checks exceptions without these checks are left out
 */
function candidatesFor(
  exceptions: readonly ProbeException[],
  workload: ExceptableWorkload,
  rules: ExceptionRules,
  checks?: ReadonlySet<string>,
): readonly Candidate[] {
  const found: Candidate[] = [];
  for (const exception of exceptions) {
    if (checks !== undefined && !maySpeakOfAny(exception, checks)) continue;
    const { spec } = exception;
    if (coversWorkload(spec, workload)) found.push({ exception, spec, end: endOf(exception, rules) });
  }
  return found.sort((a, b) => b.end - a.end || (a.exception.name < b.exception.name ? -1 : 1));
}

function maySpeakOfAny(exception: ProbeException, checks: ReadonlySet<string>): boolean {
  for (const check of checks) if (exception.maySpeakOf(check)) return true;
  return false;
}

/** True if the exception names or selects the workload. */
function coversWorkload(
  { workloads, workloadSelector }: ExceptionSpec,
  { names, podLabels }: Pick<ExceptableWorkload, 'names' | 'podLabels'>,
): boolean {
  if (workloadSelector !== undefined) return selects(workloadSelector, podLabels);
  return (workloads ?? []).some(({ kind, name }) => names.some((own) => own.kind === kind && own.name === name));
}

/** Which exception covers a violation of one check: the first one for the container, or for all containers. */
interface CandidatesOfCheck {
  readonly byContainer: ReadonlyMap<string, Candidate>;
  readonly ofAll: Candidate | undefined;
}

/** A lookup, so that the time does not grow with exceptions x violations. */
function candidatesOfCheck(check: string, candidates: readonly Candidate[]): CandidatesOfCheck {
  const byContainer = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { checks, containers } = candidate.spec;
    if (!checks.includes(check)) continue;
    if (containers === undefined) return { byContainer, ofAll: candidate };
    for (const container of containers) if (!byContainer.has(container)) byContainer.set(container, candidate);
  }
  return { byContainer, ofAll: undefined };
}

function excepted(violation: Violation, covering: Candidate, now: number): Violation {
  const exception = applied(covering, now);
  return now < covering.end ? { ...violation, action: 'Excepted', exception } : { ...violation, ended: exception };
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
