import { explainManifest } from '../../src/explain/timeline/explain-manifest.ts';
import { figureOf, type Figure, type FigureId } from '../../src/explain/timeline/figures.ts';
import { objectMember, stringMember } from '../../src/base/json/json-value.ts';
import { KNOWN_KINDS } from '../../src/engine/workload/kinds.ts';
import { policySet } from '../support/worlds.ts';
import { NOW } from '../support/now.ts';
import {
  byPod,
  recording,
  scriptsOf,
  type Script,
  type Batch,
  type PodEvent,
  type RecordedCase,
  type TruthEntry,
} from './recordings.ts';
import type { ContainerExplanation } from '../../src/explain/timeline/explanation.ts';
import type { ProbeKind } from '../../src/engine/probe/probe.ts';

/** One run of a recorded container: what it did, and what the kubelet did to it. */
export interface RecordedRun {
  /** Batch, Pod, container and number of the run, for messages. */
  readonly name: string;
  readonly recorded: RecordedCase;
  readonly explained: ContainerExplanation;
  readonly script: Script;
  readonly attempt: number;
  /** Seconds since 1970. */
  readonly startedAt: number;
  /** Seconds after the start at which a probe's kill began: with the preStop hook, else with SIGTERM. */
  readonly killedAfter: number | undefined;
  readonly sigterm: TruthEntry | undefined;
  readonly exit: TruthEntry | undefined;
  /** Probes that reached the container. */
  readonly hits: readonly TruthEntry[];
  /** The probe that killed the run before, if one did. */
  readonly restartedBy: KillingProbe | undefined;
  /** The probe that killed this run, if one did. */
  readonly killedBy: KillingProbe | undefined;
  readonly statuses: readonly PodEvent[];
}

type KillingProbe = 'startupProbe' | 'livenessProbe';

/** A deletion gave 2 s of grace, and a deletionTimestamp is a whole second. */
const DELETION_SECONDS = 3;

/** Speaks HTTP where the probe speaks HTTPS. */
const WRONG_SCHEME = 'plain-tls';

/** All runs of HTTP containers of a batch, each with what `explain` says about its container. */
export function recordedRuns(batch: Batch): RecordedRun[] {
  const { cases, truth, pods } = recording(batch);
  const [truthOf, statusesOf] = [byPod(truth), byPod(pods)];
  const settings = { snapshot: policySet(), namespace: batch, kinds: KNOWN_KINDS, now: NOW };
  return cases.flatMap((recorded) => {
    const metadata = objectMember(recorded.pod, 'metadata') ?? {};
    const pod = stringMember(metadata, 'name') ?? '';
    const statuses = statusesOf.get(pod) ?? [];
    const containers = explainManifest(recorded.pod, pod, settings)?.containers ?? [];
    return containers.flatMap((explained) => {
      const scripts = scriptsOf(recorded.pod, explained.name);
      const entries = (truthOf.get(pod) ?? []).filter(({ ctr }) => ctr === explained.name);
      return scripts.length === 0 || !isPlain(scripts) || recorded.tag === WRONG_SCHEME
        ? []
        : runsOf(entries, scripts, { name: `${batch}/${pod}/${explained.name}`, recorded, explained, statuses });
    });
  });
}

/** Answers that are a success at once, a failure at once, or no answer. Others do not follow the figures' assumptions. */
const PLAIN_ANSWERS = new Set(['200', '503', 'hang', 'eof', 'reset']);

/** True for a container that gives plain HTTP answers alone. */
function isPlain(scripts: readonly Script[]): boolean {
  return scripts.every(({ kind, phases = {} }) => {
    const ofProbes = Object.entries(phases).filter(([path]) => path.startsWith('/'));
    return kind === 'http' && ofProbes.every(([, phase]) => phase.every(([, answer]) => PLAIN_ANSWERS.has(answer)));
  });
}

function runsOf(
  entries: readonly TruthEntry[],
  scripts: readonly Script[],
  known: Pick<RecordedRun, 'name' | 'recorded' | 'explained' | 'statuses'>,
): RecordedRun[] {
  const deletion = known.statuses.find(({ del }) => del !== undefined)?.del;
  const deletedAt = deletion === undefined ? Infinity : Date.parse(deletion) / 1000 - DELETION_SECONDS;
  let restartedBy: KillingProbe | undefined;
  return [...Map.groupBy(entries, ({ attempt = 0 }) => attempt)].map(([attempt, ofRun]) => {
    const first = (ev: TruthEntry['ev']): TruthEntry | undefined => ofRun.find((entry) => entry.ev === ev);
    const sigterm = first('sigterm');
    const isKilled = sigterm !== undefined && sigterm.t < deletedAt && first('exit')?.by !== 'itself';
    const hits = ofRun.filter(({ ev }) => ev === 'hit');
    const hook = hits.find(({ path }) => path === 'prestop');
    const run = {
      ...known,
      name: `${known.name}/${attempt}`,
      script: scripts[Math.min(attempt, scripts.length - 1)] ?? {},
      attempt,
      startedAt: first('start')?.t ?? NaN,
      killedAfter: isKilled ? (hook ?? sigterm).age : undefined,
      sigterm,
      exit: first('exit'),
      hits,
      restartedBy,
    };
    const killedBy = isKilled ? killerOf(run) : undefined;
    restartedBy = killedBy;
    return { ...run, killedBy };
  });
}

/** The startup probe kills before its first success, but for the open gate, where liveness failures come first. */
function killerOf(run: Omit<RecordedRun, 'killedBy'>): KillingProbe {
  if (figure(run, 'started') === undefined) return 'livenessProbe';
  const isStarted = run.hits.some((hit) => hit.path === '/s' && hit.do === '200');
  return isStarted || isInOpenGate(run) ? 'livenessProbe' : 'startupProbe';
}

/** Killed sooner than the startup probe can: the liveness probe did it. */
function isInOpenGate({ killedAfter = 0, explained }: Omit<RecordedRun, 'killedBy'>): boolean {
  return killedAfter < (figureOf(explained.figures, 'time-to-start')?.span.earliest ?? 0);
}

/** A figure of the run's container. */
export function figure({ explained }: Pick<RecordedRun, 'explained'>, id: FigureId): Figure | undefined {
  return figureOf(explained.figures, id);
}

/** The probe that decides on the start of the run's container. */
export function gateOf(run: RecordedRun): ProbeKind | undefined {
  return figure(run, 'time-to-start')?.probe;
}

export const PATHS: Readonly<Record<ProbeKind, string>> = {
  startupProbe: '/s',
  livenessProbe: '/l',
  readinessProbe: '/r',
};

/** True when the container answers the probe with 200 at once, at this second after its start. */
export function isHealthy({ script }: Pick<RecordedRun, 'script'>, kind: ProbeKind, age: number): boolean {
  const { phases = {}, listenAt = 0, closeAt = Infinity, reopenAt = Infinity } = script;
  if (age < listenAt || (age >= closeAt && age < reopenAt)) return false;
  return (phases[PATHS[kind]]?.findLast(([from]) => from <= age)?.[1] ?? '200') === '200';
}

/** The moments at which a script changes what the container does, ascending. */
function changesOf({ phases = {}, ...moments }: Script): number[] {
  const ofPorts = [0, moments.listenAt, moments.closeAt, moments.reopenAt].filter((at) => at !== undefined);
  return [...ofPorts, ...Object.values(phases).flatMap((phase) => phase.map(([from]) => from))].sort((a, b) => a - b);
}

/** The second after the start at which the probe would first succeed. Infinity for never. */
export function healthyFrom(run: Pick<RecordedRun, 'script'>, kind: ProbeKind): number {
  return changesOf(run.script).find((at) => isHealthy(run, kind, at)) ?? Infinity;
}

/** The second at which the probe would fail for the first time after it would have succeeded. Infinity for never. */
export function faultyFrom(run: Pick<RecordedRun, 'script'>, kind: ProbeKind): number {
  const healthy = healthyFrom(run, kind);
  return changesOf(run.script).find((at) => at > healthy && !isHealthy(run, kind, at)) ?? Infinity;
}

/** The second at which the probe would succeed again after that fault. Infinity for never. */
export function healthyAgainFrom(run: Pick<RecordedRun, 'script'>, kind: ProbeKind): number {
  const faulty = faultyFrom(run, kind);
  return changesOf(run.script).find((at) => at > faulty && isHealthy(run, kind, at)) ?? Infinity;
}
