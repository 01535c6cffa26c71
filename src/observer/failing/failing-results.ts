import { CONTAINER_FAILING_RULE, POD_FAILING_RULE, PROBE_FAILING_RULE } from '../../engine/facts/live-rules.ts';
import { compareText, count, cut } from '../../base/text/cut.ts';
import { formatInstant } from '../../base/text/duration.ts';
import { giverOfLiveProbe, injectedProbeText } from '../../engine/defaulting/injected-by.ts';
import { CAUSE_TEXTS, isDefinite, subjectOfCause, type CauseText } from './causes.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { Failure, FailureFacts } from './diagnosis.ts';
import type { NamedObject } from '../observed-workload.ts';
import type { LiveProperties } from '../../explain/fleet-page/live-findings.ts';
import { restartLine } from '../../explain/fleet-page/restart-line.ts';
import { resultOfLive, type ReportResult } from '../reports/report-result.ts';
import type { PodHealth } from './pod-health.ts';

export interface FailingWorkload {
  readonly workload: NamedObject;
  readonly failures: readonly Failure[];
  readonly shared: SharedTrouble | undefined;
}

export const SHARED_CAUSE = 'shared-dependency';

export const SHARED_MESSAGE =
  'readiness fails together with other workloads while the containers run: they share a dependency';
export const SHARED_REMEDY =
  'Check what the workloads have in common: a database, a DNS server, a network policy, a node.';
const MOST_LISTED = 20;

/** The rule of a finding, by what its cause is about. */
export const FAILING_RULES = {
  probe: PROBE_FAILING_RULE,
  container: CONTAINER_FAILING_RULE,
  pod: POD_FAILING_RULE,
} as const;

const FAILS_NOW = { rule: PROBE_FAILING_RULE as string, category: 'Fails now', severity: 'high' } as const;

const workloadText = ({ namespace, kind, name }: NamedObject): string => `${kind} ${namespace}/${name}`;

export function failingResults(failing: FailingWorkload): ReportResult[] {
  return resultsOf(failing, false);
}

/** With the numbers that change while the cause stays. A report would be written again for each of them. */
export function countedResults(failing: FailingWorkload): ReportResult[] {
  return resultsOf(failing, true);
}

function resultsOf({ workload, failures, shared }: FailingWorkload, hasCounts: boolean): ReportResult[] {
  const own = failures.map((failure) => failureResult(failure, hasCounts, workload));
  return [...(shared === undefined ? [] : [sharedResult(shared, workload)]), ...own];
}

export function failingCauses({ failures, shared }: FailingWorkload): ReadonlySet<string> {
  return new Set([...(shared === undefined ? [] : [SHARED_CAUSE]), ...failures.map(({ cause }) => cause)]);
}

function failureResult(failure: Failure, hasCounts: boolean, workload: NamedObject): ReportResult {
  const { container, probe, cause, described } = failure;
  const layer = described?.injectedBy?.layer;
  const policy = layer === 'safety' || layer === 'annotation' ? undefined : layer;
  const from = layer === undefined ? {} : { sources: layer };
  const properties = {
    cause,
    ...(container !== undefined && { container }),
    ...(probe !== undefined && { probe }),
    ...from,
    ...factProperties(failure.facts, hasCounts),
    ...(isLearnedTooShort(failure) && { learnedSeconds: String(described?.injectedBy?.learnedSeconds) }),
    fix: failureFix(failure, workload),
  } satisfies LiveProperties;
  const rule = FAILING_RULES[subjectOfCause(cause) ?? 'probe'];
  return resultOfLive({ ...FAILS_NOW, rule }, policy, failureMessage(failure), properties);
}

function factProperties(facts: FailureFacts = {}, hasCounts: boolean): Partial<LiveProperties> {
  const { since, times, restarts, pods, ...others } = facts;
  const counts = hasCounts ? { times, restarts, pods } : {};
  const shown: Record<string, string | number | undefined> = {
    ...others,
    ...counts,
    since: since && formatInstant(since),
  };
  return Object.fromEntries(
    Object.entries(shown).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

/** The report is in the namespace of the workload, so the result names no workload of another namespace. */
function sharedResult({ since, count: all, byNamespace }: SharedTrouble, { namespace }: NamedObject): ReportResult {
  const own = byNamespace.get(namespace) ?? [];
  const listed = own.slice(0, MOST_LISTED).map(workloadText).join(', ');
  const [more, elsewhere] = [own.length - MOST_LISTED, all - own.length];
  const parts = [
    more > 0 ? `${listed} and ${more} more` : listed,
    ...(elsewhere > 0 ? [`${count(elsewhere, 'workload')} in other namespaces`] : []),
  ];
  const properties = {
    cause: SHARED_CAUSE,
    workloads: parts.join('; '),
    since: new Date(since).toISOString(),
    fix: SHARED_REMEDY,
  } satisfies LiveProperties;
  return resultOfLive(FAILS_NOW, undefined, SHARED_MESSAGE, properties);
}

/** The texts of a probe that gets a cause in another way. */
const NO_GRPC: CauseText = {
  problem: 'gets no connection, or the port speaks no gRPC',
  remedy:
    'Set the port of the gRPC server, and let the server listen on 0.0.0.0 or [::]. For an HTTP server use httpGet.',
};
const ENDLESS_BODY: CauseText = {
  problem: 'gets an answer that does not end within timeoutSeconds',
  remedy: 'Set httpGet.path to a path whose answer ends at once, or set a larger timeoutSeconds.',
};
const EARLY_LIVENESS: CauseText = {
  problem: 'stops the container before the container has started',
  remedy:
    'Make (failureThreshold - 1) x periodSeconds of livenessProbe at least periodSeconds of startupProbe. ' +
    'Kubernetes 1.35 to 1.37 may run livenessProbe before the start, after a kill or a kubelet restart.',
};

/** The effect of a probe whose results the kubelet throws away (pkg/kubelet/prober/worker.go, doProbe). */
const WITHOUT_RESULT: Readonly<Record<ProbeKind, string>> = {
  startupProbe: ': it never has a result, and the container never starts',
  livenessProbe: ': it never has a result, and protects nothing',
  readinessProbe: ': it never has a result',
};

/** A startup probe with a learned time stops a start. The next Pod gets more, because the kill counts. */
const LEARNED_TOO_SHORT: CauseText = {
  problem: 'stops the container before it has started: learned too short; new Pods get more, up to maximumSeconds',
  remedy: 'Replace the Pods, or set slowStart.startupSeconds in the policy.',
};

function isLearnedTooShort({ cause, probe, described }: Failure): boolean {
  const isStart = cause === 'killed-while-starting' && probe === 'startupProbe';
  return isStart && described?.injectedBy?.learnedSeconds !== undefined;
}

/** The container has no startup probe whose numbers could be set. */
const UNGUARDED_START: CauseText = {
  problem: CAUSE_TEXTS['killed-while-starting'].problem,
  remedy:
    'Add a startupProbe with (failureThreshold - 1) x periodSeconds above the longest start, or make the start faster. ' +
    'If the container never listens there, correct the port.',
};

function textsOf(failure: Failure): CauseText {
  const { cause, probe, described, isVoid, isEarly } = failure;
  if (isEarly === true) return EARLY_LIVENESS;
  if (cause === 'killed-while-starting' && probe === 'livenessProbe') return UNGUARDED_START;
  if (isLearnedTooShort(failure)) return LEARNED_TOO_SHORT;
  if (cause === 'timeout' && isVoid === true) return ENDLESS_BODY;
  return cause === 'connection-refused' && described?.asks.startsWith('grpc ') === true ? NO_GRPC : CAUSE_TEXTS[cause];
}

const MOST_CHARACTERS = 200;
const MOST_NAMED = 63;

/** The message of a finding, without what changes while the cause stays: times, counts, names of Pods. */
export function failureMessage(failure: Failure): string {
  const { container, probe, described, isVoid } = failure;
  const asks = described === undefined || described.asks === '' ? '' : ` (${described.asks})`;
  const { problem: what } = textsOf(failure);
  if (container === undefined) return what;
  if (probe === undefined) return `container "${cut(container, MOST_NAMED)}" ${what}`;
  const by = described?.injectedBy;
  const probeText = (asks = ''): string =>
    by === undefined ? `its ${probe}${asks}` : injectedProbeText(probe, by, asks);
  const problem = `${what}${isVoid === true ? WITHOUT_RESULT[probe] : ''}`;
  const text = `container "${container}": ${probeText(asks)} ${problem}`;
  if (text.length <= MOST_CHARACTERS) return text;
  return cut(`container "${cut(container, MOST_NAMED)}": ${probeText()} ${problem}`, MOST_CHARACTERS);
}

/** What to do: the command that replaces the Pods of a workload, where that is enough. */
export function failureFix(failure: Failure, workload: NamedObject): string {
  return isLearnedTooShort(failure) ? restartLine(workload) : failureRemedy(failure);
}

/** The change to make, and its place. A probe that a policy injects is repaired in the policy. */
export function failureRemedy(failure: Failure): string {
  const { remedy } = textsOf(failure);
  const by = failure.described?.injectedBy;
  return by === undefined ? remedy : `${remedy} ${sentenceStart(giverOfLiveProbe(by))} injects the probe.`;
}

function sentenceStart(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Workloads that stopped being ready together. */
export interface SharedTrouble {
  /** When the first of them stopped, in milliseconds since the epoch. */
  readonly since: number;
  readonly count: number;
  /** By namespace, because who reads a report may not read other namespaces. */
  readonly byNamespace: ReadonlyMap<string, readonly NamedObject[]>;
}

export interface Candidate {
  readonly key: string;
  readonly workload: NamedObject;
  readonly failures: readonly Failure[];
  readonly pods: readonly PodHealth[];
}

const TOGETHER_MILLISECONDS = 60_000;
/** Two workloads of one namespace may fail together because one needs the other. */
const FEWEST_WORKLOADS = 3;
/** A workload that is ready again before this time may have failed in the same minute by chance. */
const CHANCE_MILLISECONDS = 30_000;

/**
 * The workloads that fail together, by key: three, or workloads of two namespaces. They stopped being ready within a
 * minute and stayed so, their containers run on, and the probes get what an application answers that waits for
 * something else. Wrong paths, ports and schemes do not count, because they belong to one workload.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export function sharedTroubles(candidates: readonly Candidate[], now: number): ReadonlyMap<string, SharedTrouble> {
  const onsets = candidates
    .flatMap((candidate) => {
      const since = onsetOf(candidate);
      return since === undefined || now - since < CHANCE_MILLISECONDS ? [] : [{ ...candidate, since }];
    })
    .toSorted((one, other) => one.since - other.since || compareText(one.key, other.key));
  const found = new Map<string, SharedTrouble>();
  for (const [first, { key: own, since }] of onsets.entries()) {
    if (found.has(own)) continue;
    let end = first;
    while ((onsets[end]?.since ?? Infinity) - since <= TOGETHER_MILLISECONDS) end += 1;
    const together = onsets.slice(first, end);
    const workloads = together.map(({ workload }) => workload);
    const byNamespace = Map.groupBy(workloads, ({ namespace }) => namespace);
    if (workloads.length < FEWEST_WORKLOADS && byNamespace.size === 1) continue;
    for (const { key } of together) found.set(key, { since, count: workloads.length, byNamespace });
  }
  return found;
}

/** When the workload stopped being ready by itself; undefined when it never was, or when its containers do not run. */
function onsetOf({ failures, pods }: Candidate): number | undefined {
  // Answers of the other probes count only where they keep the container from starting, or stop it.
  const soft = failures.filter(({ cause, isVoid }) => !isDefinite(cause) && isVoid !== true);
  const isSoft = soft.length > 0;
  const isKilled = soft.some(({ probe }) => probe !== 'readinessProbe');
  if (!isSoft || isKilled) return undefined;
  const unready = pods.filter(({ isReady }) => !isReady);
  const run = unready.every(({ containers }) => containers.every(({ runningSince }) => runningSince !== undefined));
  const onsets = unready.map(({ unreadySince }) => unreadySince);
  if (!run || onsets.length === 0 || onsets.includes(undefined)) return undefined;
  return Math.min(...onsets.map((onset) => onset ?? Infinity));
}
