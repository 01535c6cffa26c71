import { type ObservedResult } from '../../cluster/sources/observer-reports.ts';
import { isFailingRule, MISSED_PODS_RULE, PROBE_FAILING_RULE } from '../../engine/facts/live-rules.ts';
import { PROBE_KINDS } from '../../engine/probe/probe.ts';
import { subjectOfCause, type FailureCause } from '../failing/causes.ts';
import {
  SHARED_CAUSE,
  SHARED_MESSAGE,
  SHARED_REMEDY,
  FAILING_RULES,
  failureMessage,
  failureFix,
} from '../failing/failing-results.ts';
import { MISSED_CAUSES, MISSED_MESSAGES } from '../missed/missed-probes.ts';
import { restartLine, type RestartedWorkload } from '../../explain/fleet-page/restart-line.ts';
import type { LiveProperties } from '../../explain/fleet-page/live-findings.ts';

/** The result with texts of its cause: who may write reports may write any text. Undefined for an unknown cause. */
export function knownResult(result: ObservedResult, workload: RestartedWorkload): ObservedResult | undefined {
  const texts = textsOf(result, workload);
  if (texts === undefined) return undefined;
  const { rule, properties } = result;
  const kept = KEPT.flatMap(([name, pattern]) => {
    const value = properties[name];
    return value !== undefined && pattern.test(value) ? [[name, value] as const] : [];
  });
  return { rule, message: texts.message, properties: { ...Object.fromEntries(kept), fix: texts.fix } };
}

const SOURCE = '(?:annotation|safety|ClusterProbePolicy/[^/, ]+|ProbePolicy/[^/, ]+/[^/, ]+)';
const LAYER = new RegExp(`^${SOURCE}$`);
const WORKLOAD = '[A-Z][A-Za-z0-9]* [^/, ;]+/[^/, ;]+';

/** The properties that leave, and what an observer writes into them. */
const KEPT: readonly (readonly [Exclude<keyof LiveProperties, 'fix'>, RegExp])[] = [
  ['cause', /^/],
  ['container', /^[a-z0-9-]{1,63}$/],
  ['probe', new RegExp(`^(?:${PROBE_KINDS.join('|')})$`)],
  ['pods', /^\d{1,9}$/],
  ['sources', new RegExp(`^${SOURCE}(?:, ${SOURCE})*$`)],
  ['status', /^[1-5]\d\d$/],
  ['timeoutSeconds', /^\d{1,9}$/],
  ['learnedSeconds', /^\d{1,6}$/],
  ['exitCode', /^-?\d{1,9}$/],
  ['reason', /^[A-Z][A-Za-z]{1,62}$/],
  ['times', /^\d{1,9}$/],
  ['restarts', /^\d{1,9}$/],
  ['since', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/],
  [
    'workloads',
    new RegExp(`^${WORKLOAD}(?:, ${WORKLOAD})*(?: and \\d+ more)?(?:; \\d+ workloads? in other namespaces)?$`),
  ],
];

function textsOf(
  { rule, properties }: ObservedResult,
  workload: RestartedWorkload,
): { readonly message: string; readonly fix: string } | undefined {
  const { cause, container = '' } = properties;
  if (rule === MISSED_PODS_RULE) {
    const known = MISSED_CAUSES.find((each) => each === cause);
    return known && { message: MISSED_MESSAGES[known], fix: restartLine(workload) };
  }
  if (!isFailingRule(rule)) return undefined;
  if (cause === SHARED_CAUSE) return { message: SHARED_MESSAGE, fix: SHARED_REMEDY };
  const probe = PROBE_KINDS.find((kind) => kind === properties['probe']);
  const hasProbe = rule === PROBE_FAILING_RULE;
  const subject = subjectOfCause(cause ?? '');
  if (subject === undefined || FAILING_RULES[subject] !== rule || (hasProbe && probe === undefined)) return undefined;
  const layer = LAYER.test(properties['sources'] ?? '') ? properties['sources'] : undefined;
  const learned = properties['learnedSeconds'];
  const injectedBy = layer !== undefined && {
    layer,
    ...(learned !== undefined && { learnedSeconds: Number(learned) }),
  };
  const described = injectedBy === false ? undefined : { asks: '', injectedBy };
  const failure = {
    container: subject === 'pod' ? undefined : container,
    probe: hasProbe ? probe : undefined,
    cause: cause as FailureCause,
    described,
  };
  return { message: failureMessage(failure), fix: failureFix(failure, workload) };
}
