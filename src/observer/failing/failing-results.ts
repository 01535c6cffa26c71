import { PROBE_FAILING_RULE } from '../../cluster/sources/observer-reports.ts';
import { count } from '../../base/text/count.ts';
import { failureMessage, failureRemedy } from './cause-texts.ts';
import type { WorkloadName } from '../workload-key.ts';
import type { LiveProperties } from '../../explain/fleet-page/live-findings.ts';
import type { ReportResult } from '../reports/report-result.ts';
import type { FailingWorkload } from './failing-workloads.ts';
import type { Failure } from './diagnosis.ts';
import type { SharedTrouble } from './shared-trouble.ts';

/** The cause of workloads that fail together. */
export const SHARED_CAUSE = 'shared-dependency';

/** The texts of a finding about workloads that fail together. */
export const SHARED_MESSAGE =
  'readiness fails together with other workloads while the containers run: they share a dependency';
export const SHARED_REMEDY =
  'Check what the workloads have in common: a database, a DNS server, a network policy, a node.';
/** A property lists at most this many workloads. */
const MOST_LISTED = 20;

const workloadText = ({ namespace, kind, name }: WorkloadName): string => `${kind} ${namespace}/${name}`;

/** The results of a workload for its report. */
export function failingResults({ workload, failures, shared }: FailingWorkload): ReportResult[] {
  return [...(shared === undefined ? [] : [sharedResult(shared, workload)]), ...failures.map(failureResult)];
}

/** The causes of a workload, each once. */
export function failingCauses({ failures, shared }: FailingWorkload): ReadonlySet<string> {
  return new Set([...(shared === undefined ? [] : [SHARED_CAUSE]), ...failures.map(({ cause }) => cause)]);
}

function failureResult(failure: Failure): ReportResult {
  const { container, probe, cause, described } = failure;
  const source = described?.injectedBy;
  return {
    policy: source === undefined || source === 'safety' || source === 'annotation' ? 'probewright' : source,
    rule: PROBE_FAILING_RULE,
    category: 'Fails now',
    severity: 'high',
    result: 'warn',
    scored: false,
    message: failureMessage(failure),
    properties: { cause, container, probe, fix: failureRemedy(failure) } satisfies LiveProperties,
  };
}

/** The report is in the namespace of the workload, so the result names no workload of another namespace. */
function sharedResult({ since, count: all, byNamespace }: SharedTrouble, { namespace }: WorkloadName): ReportResult {
  const own = byNamespace.get(namespace) ?? [];
  const listed = own.slice(0, MOST_LISTED).map(workloadText).join(', ');
  const [more, elsewhere] = [own.length - MOST_LISTED, all - own.length];
  const parts = [
    more > 0 ? `${listed} and ${more} more` : listed,
    ...(elsewhere > 0 ? [`${count(elsewhere, 'workload')} in other namespaces`] : []),
  ];
  return {
    policy: 'probewright',
    rule: PROBE_FAILING_RULE,
    category: 'Fails now',
    severity: 'high',
    result: 'warn',
    scored: false,
    message: SHARED_MESSAGE,
    properties: {
      cause: SHARED_CAUSE,
      workloads: parts.join('; '),
      since: new Date(since).toISOString(),
      fix: SHARED_REMEDY,
    } satisfies LiveProperties,
  };
}
