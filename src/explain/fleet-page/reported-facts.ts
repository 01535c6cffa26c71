import { CHECKS } from '../../engine/checks/catalogue.ts';
import { checkUrl } from '../../engine/checks/violation.ts';
import { startsOfContainer, startsOfWorkload } from '../../engine/facts/learned-starts.ts';
import { endOf, exceptionRules } from '../../engine/policy/exception-rules.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { LabelSelector, Requirement } from '../../engine/policy/label-selector.ts';
import type { ExceptionSpec } from '../../engine/policy/probe-exception.ts';
import type { ReportedCheck, ReportedException } from './report.ts';

/** Returns every exception of the snapshot, with the end that the policies of its namespace allow. */
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

/** Returns the measured starts of a workload, in seconds, by container. Containers without one are left out. */
export function reportedStarts(
  { facts }: Snapshot,
  { namespace, kind, name }: { readonly namespace: string; readonly kind: string; readonly name: string },
  containers: readonly string[],
): ReadonlyMap<string, readonly number[]> {
  const known = startsOfWorkload(facts.starts, namespace, { kind, name });
  const starts = new Map<string, readonly number[]>();
  for (const container of known === undefined ? [] : containers) {
    const found = known && startsOfContainer(known, container);
    if (found?.seconds !== undefined && found.seconds.length > 0) starts.set(container, found.seconds);
  }
  return starts;
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

/** All checks of this build, in the order of the catalogue. */
export function reportedChecks(): ReadonlyMap<string, ReportedCheck> {
  return new Map(CHECKS.map(({ id, summary }) => [id, { summary, url: checkUrl(id) }]));
}
