import { duration, parseInstant } from '../../base/text/duration.ts';
import { wrap } from '../../base/text/wrap.ts';
import { printLine, type CommandIo } from '../io.ts';
import type { ReportResult } from '../../observer/reports/report-result.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { WorkloadExplanation } from '../../explain/timeline/explanation.ts';
import type { LiveProperties } from '../../explain/fleet-page/live-findings.ts';
import type { ListedFailure } from '../output/json-outputs.ts';

const WIDTH = 100;

export type WorkloadWithFailures = WorkloadExplanation & { readonly failures?: readonly ListedFailure[] };

/** Why the Pods of a workload are not Ready, for programs. */
export function listedFailure({ message, properties }: Pick<ReportResult, 'message' | 'properties'>): ListedFailure {
  const facts: Partial<LiveProperties> = properties;
  const { cause = '', container, probe, fix = '', reason, words, since, workloads } = facts;
  const numbers = NUMBERS.flatMap((name) => (facts[name] === undefined ? [] : [[name, Number(facts[name])]]));
  return {
    cause,
    ...(container !== undefined && { container }),
    ...(probe !== undefined && { probe: probe as ProbeKind }),
    message,
    remedy: fix,
    ...(Object.fromEntries(numbers) as Partial<ListedFailure>),
    ...(reason !== undefined && { reason }),
    ...(words !== undefined && { words }),
    ...(since !== undefined && { since }),
    ...(workloads !== undefined && { together: workloads }),
  };
}

const NUMBERS = ['status', 'timeoutSeconds', 'learnedSeconds', 'exitCode', 'times', 'restarts', 'pods'] as const;

/** Prints why workloads are not Ready. Workloads without failures are left out. */
export function printFailures(workloads: readonly WorkloadWithFailures[], io: CommandIo): void {
  for (const { kind, namespace, name, failures = [] } of workloads) {
    if (failures.length === 0) continue;
    printLine(io.stdout, '');
    printLine(io.stdout, `Why is ${kind} ${namespace}/${name} not Ready?`);
    for (const failure of failures) {
      for (const [index, text] of wrap(failure.message, WIDTH).entries())
        printLine(io.stdout, `${index === 0 ? '  ' : '    '}${text}`);
      const said = failure.words === undefined ? '' : `"${failure.words}"`;
      for (const text of [factsText(failure, io.now()), said, failure.remedy].flatMap((each) => wrap(each, WIDTH)))
        if (text !== '') printLine(io.stdout, `      ${text}`);
    }
  }
}

/** `status 503, told 12 times, not Ready since 2026-11-20T10:00:00Z (1200 s (20 min))` */
function factsText(
  { status, timeoutSeconds, learnedSeconds, exitCode, reason, times, restarts, pods, since }: ListedFailure,
  now: number,
): string {
  const at = since === undefined ? undefined : parseInstant(since);
  const parts = [
    status === undefined ? '' : `status ${status}`,
    timeoutSeconds === undefined ? '' : `timeoutSeconds ${timeoutSeconds}`,
    learnedSeconds === undefined ? '' : `the Pod has ${learnedSeconds} s to start`,
    exitCode === undefined ? '' : `exit code ${exitCode}`,
    reason ?? '',
    times === undefined ? '' : times === 1 ? 'seen once' : `seen ${times} times`,
    restarts === undefined ? '' : restarts === 1 ? 'restarted once' : `restarted ${restarts} times`,
    pods === undefined || pods === 1 ? '' : `in ${pods} Pods`,
    at === undefined ? '' : `not Ready since ${since} (${ago(now - at)})`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function ago(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  return seconds < 120 ? duration(seconds) : `${Math.round(seconds / 60)} min`;
}
