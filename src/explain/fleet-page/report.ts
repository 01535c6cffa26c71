import { CHECKS } from '../../engine/checks/catalogue.ts';
import { checkUrl, type Violation } from '../../engine/checks/violation.ts';
import { startsOfContainer, startsOfWorkload } from '../../engine/facts/learned-starts.ts';
import { endOf, exceptionRules, type ExceptionSpec } from '../../engine/policy/probe-exception.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { LabelSelector, Requirement } from '../../engine/policy/label-selector.ts';
import type { WorkloadExplanation } from '../timeline/explanation.ts';

/** The content of the page about a fleet. Texts are as the manifests have them: the page escapes them. */
export interface Report {
  readonly subject: string;
  /** The instant of the verdicts, in milliseconds since the epoch. */
  readonly now: number;
  readonly version: string;
  readonly workloads: readonly ReportedWorkload[];
  readonly policies: readonly ReportedPolicy[];
  readonly exceptions: readonly ReportedException[];
  readonly problems: readonly string[];
  /** The most workloads that have a row, the worst first. Summaries count all. Undefined = all have one. */
  readonly mostRows?: number;
  /** The checks of this build: what a finding means, and where its page is. */
  readonly checks: ReadonlyMap<string, ReportedCheck>;
}

export type ReportedCheck = Readonly<Record<'summary' | 'url', string>>;

export interface ReportedWorkload extends Readonly<Record<'kind' | 'namespace' | 'name', string>> {
  /** Times of all containers. Its texts are those of `explain`. */
  readonly explanation: WorkloadExplanation;
  readonly violations: readonly Violation[];
  readonly policies: readonly string[];
  readonly warnings: readonly string[];
  readonly learned: ReadonlyMap<string, readonly number[]>;
  /** The findings of an observer in live Pods, for people: `3 Pods lack probes that they would get today`. */
  readonly live: readonly LiveFinding[];
}

export interface LiveFinding {
  /** `missed-pods`, `probe-failing`. */
  readonly name: string;
  readonly message: string;
  readonly pods: number;
  /** The command to run: `kubectl rollout restart deployment/web -n apps`. */
  readonly command?: string;
}

export interface ReportedPolicy {
  /** `ProbePolicy/apps/web` */
  readonly source: string;
  readonly advice: readonly Pick<Violation, 'check' | 'message' | 'remedy'>[];
}

export interface ReportedException extends Readonly<Record<'namespace' | 'name' | 'owner' | 'reason', string>> {
  readonly checks: readonly string[];
  /** The target of the exception: `Deployment legacy`, `Pods with app=legacy`. */
  readonly workloads: string;
  readonly ticket?: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

export function reportedExceptions(snapshot: Snapshot): ReportedException[] {
  return [...snapshot.facts.exceptions.lists].flatMap(([namespace, exceptions]) => {
    const rules = exceptionRules(snapshot.policyFor(namespace, new Map()).layers);
    return exceptions.map((exception) => {
      const { checks, owner, reason, ticket, ...about } = exception.spec;
      return {
        namespace,
        name: exception.name,
        checks,
        workloads: workloadsText(about),
        owner,
        reason,
        ...(ticket !== undefined && { ticket }),
        expires: endOf(exception, rules),
      };
    });
  });
}

export function reportedStarts(
  { facts }: Snapshot,
  { namespace, kind, name, containers }: WorkloadExplanation,
): ReadonlyMap<string, readonly number[]> {
  const known = startsOfWorkload(facts.starts, namespace, { kind, name });
  const starts = containers.map(
    ({ name: container }) => [container, known && startsOfContainer(known, container)] as const,
  );
  return new Map(starts.flatMap(([name, { seconds = [] } = {}]) => (seconds.length > 0 ? [[name, seconds]] : [])));
}

function workloadsText({ workloads, workloadSelector, containers }: Partial<ExceptionSpec>): string {
  const about =
    workloads?.map(({ kind, name }) => `${kind} ${name}`).join(', ') ?? selectorText(workloadSelector ?? []);
  return containers === undefined ? about : `${about}: ${containers.join(', ')}`;
}

function selectorText(selector: LabelSelector): string {
  return selector.length === 0 ? 'all Pods' : `Pods with ${selector.map(requirementText).join(', ')}`;
}

/** As `kubectl get --selector` writes it. */
function requirementText({ key, operator, values }: Requirement): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  const [only, ...others] = values;
  if (only !== undefined && others.length === 0) return `${key}${operator === 'In' ? '=' : '!='}${only}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
}

export function reportedChecks(): ReadonlyMap<string, ReportedCheck> {
  return new Map(CHECKS.map(({ id, summary }) => [id, { summary, url: checkUrl(id) }]));
}
