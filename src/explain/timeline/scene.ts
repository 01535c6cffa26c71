import { duration } from '../../base/text/duration.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { Span } from '../../engine/time/timing.ts';
import type { UnknownTime } from './container-timings.ts';
import { figureOf, type Figure } from './figures.ts';

/**
 * The meaning of a stretch of time. safe: no probe kills yet; unsure: may pass, may be killed; stopping: SIGTERM has
 * been sent; unnoticed: broken, and no probe has given up yet; maybe, serving: perhaps, or sure traffic; idle: no
 * traffic, or no limit.
 */
export type Tone = 'safe' | 'unsure' | 'stopping' | 'dead' | 'unnoticed' | 'idle' | 'maybe' | 'serving';

export interface Segment {
  readonly tone: Tone;
  readonly from: number;
  readonly to: number;
  /** A few words, for the bar itself where there is room. */
  readonly label: string;
  /** The meaning, in a sentence for a reader who knows nothing of probes. */
  readonly caption: string;
}

/** One thing followed over time. Its segments follow each other without a gap. */
export interface Lane {
  readonly title: string;
  readonly segments: readonly Segment[];
  /** How the segment `stopping` begins: with SIGTERM, or with the preStop hook, which SIGTERM follows. */
  readonly stopSign?: 'SIGTERM' | 'preStop';
}

export interface Scene {
  readonly title: string;
  readonly origin: string;
  /** The end of the axis, in seconds. Longer segments are cut off there. */
  readonly end: number;
  readonly lanes: readonly Lane[];
  /** Measured starts, in seconds. Absent when none are known. */
  readonly starts?: readonly number[];
}

function segment(tone: Tone, from: number, to: number, label: string, caption: string): Segment {
  return { tone, from, to, label, caption };
}

/** The segments that take any time. */
function nonEmpty(segments: readonly Segment[]): Segment[] {
  return segments.filter(({ from, to }) => to > from);
}

/** What scenes and sentences follow from. */
export interface ContainerFacts {
  readonly figures: readonly Figure[];
  /** Starts that were measured in the past, in seconds. */
  readonly measured: readonly number[];
  /** The kubelet may start the container again after a probe has killed it. */
  readonly restarts: boolean;
  readonly mute: readonly ProbeKind[];
  readonly hasLiveness: boolean;
  /** What is not known of the container, because a probe cannot work: `its livenessProbe cannot work (probe-host)`. */
  readonly unknown: ReadonlyMap<UnknownTime, string>;
}

function unknownSegment(tone: Tone, why: string): Segment {
  return segment(tone, 0, Infinity, 'not known', `Not known: ${why}.`);
}

/** True when the container can never be Ready, because the probe that decides on that never has a result. */
export function isNeverReady({ mute }: ContainerFacts): boolean {
  return mute.includes('startupProbe') || mute.includes('readinessProbe');
}

/** Shortest axis of a scene in which no probe kills, in seconds. */
const SHORTEST = 10;

/** Where a scene's axis ends, in seconds. Of a long grace period or wait for traffic it shows the beginning. */
function axisEnd(verdict: Span | undefined, dead: Span | undefined, traffic: Span | undefined): number {
  const latestTraffic = traffic?.latest ?? 0;
  if (verdict === undefined || dead === undefined) return Math.max(SHORTEST, latestTraffic * 1.4);
  const grace = dead.latest - verdict.latest;
  const killed = grace <= verdict.latest ? dead.latest * 1.08 : verdict.latest * 1.35;
  return latestTraffic <= 2 * killed ? Math.max(killed, latestTraffic * 1.1) : killed;
}

/**
 * A lane that ends with a kill. With restartPolicy Never the container is not started again
 * (pkg/kubelet/kuberuntime/kuberuntime_manager.go, computePodActions).
 *
 * @param dead when the container is dead at the latest
 * @param before the time in which no probe kills
 * @param unsure the time in which a probe may kill: its label and its caption
 */
function killLane(
  title: string,
  verdict: Figure,
  dead: Span,
  { restarts }: ContainerFacts,
  before: readonly [tone: Tone, label: string, caption: string],
  unsure: readonly [label: string, caption: string],
): Lane {
  const { span, preStopSeconds } = verdict;
  const [tone, ...texts] = before;
  const sent = preStopSeconds === undefined ? 'SIGTERM has been sent' : 'The preStop hook runs, then SIGTERM is sent';
  const grace = `${sent}. The container has ${duration(dead.latest - span.latest)} at most to exit.`;
  const end = `The container is dead ${restarts ? 'and the kubelet starts it again' : 'and is not started again'}.`;
  return {
    title,
    segments: [
      ...nonEmpty([segment(tone, 0, span.earliest, ...texts)]),
      segment('unsure', span.earliest, span.latest, ...unsure),
      segment('stopping', span.latest, dead.latest, 'being stopped', grace),
      segment('dead', dead.latest, Infinity, 'dead', end),
    ],
    stopSign: stopSign(verdict),
  };
}

/** The first thing that the container notices of a kill. */
export function stopSign({ preStopSeconds }: Figure): NonNullable<Lane['stopSign']> {
  return preStopSeconds === undefined ? 'SIGTERM' : 'preStop';
}

const TRAFFIC = 'Traffic, if healthy at once';

/** A container from its start on: how long it may take, and from when it gets traffic. */
export function startScene(facts: ContainerFacts): Scene {
  const { figures, measured, unknown } = facts;
  const stop = figureOf(figures, 'never-healthy-stop');
  const dead = figureOf(figures, 'never-healthy-dead')?.span;
  const readiness = figureOf(figures, 'ready-after-start');
  const [start, traffic] = [unknown.get('starts'), unknown.get('traffic')];
  // Without a readiness probe a container is Ready as soon as it has started: with the startup probe's success, or at
  // once.
  const ready = (readiness ?? figureOf(figures, 'started'))?.span ?? { earliest: 0, latest: 0 };
  return {
    title: 'First start',
    origin: 'second 0 = the container starts',
    end: axisWithStarts(axisEnd(stop?.span, dead, ready), measured),
    lanes: [
      stop && dead
        ? killLane('Not healthy yet', stop, dead, facts, GUARANTEED, GAMBLE)
        : {
            title: 'Not healthy yet',
            segments: [start === undefined ? freeStart(facts) : unknownSegment('unsure', start)],
          },
      {
        title: TRAFFIC,
        segments: isNeverReady(facts)
          ? [segment('idle', 0, Infinity, 'never Ready: no traffic', NO_RESULT)]
          : traffic === undefined
            ? trafficAtStart(ready, readiness !== undefined)
            : [unknownSegment('maybe', traffic)],
      },
    ],
    ...(measured.length > 0 && { starts: measured }),
  };
}

const GUARANTEED = ['safe', 'guaranteed', 'Guaranteed time to start: no probe kills the container yet.'] as const;
const GAMBLE = [
  'may pass or be killed',
  'May pass or be killed. The moments of the probes and their lengths decide.',
] as const;
const NO_RESULT = 'Never Ready: the probe that decides on traffic never has a result.';

/** Measured starts may make the axis this many times longer. Later ones are drawn at its end. */
const MOST_STRETCH = 4;

function axisWithStarts(end: number, measured: readonly number[]): number {
  const longest = Math.max(0, ...measured) * 1.05;
  return Math.max(end, Math.min(longest, MOST_STRETCH * end));
}

/** The title of measured starts in a scene, and their caption. */
export const MEASURED = 'Measured starts';
export function measuredCaption(seconds: readonly number[]): string {
  const words = measuredInWords(seconds);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** `5 measured starts: 22 to 41 s`, or `one measured start: 41 s`. */
export function measuredInWords(seconds: readonly number[]): string {
  return `${seconds.length === 1 ? 'one measured start' : `${seconds.length} measured starts`}: ${rangeOfStarts(seconds)}`;
}

/** The shortest and the longest of some starts: `22 to 41 s`, or `41 s`. */
export function rangeOfStarts(seconds: readonly number[]): string {
  const [shortest, longest] = [Math.min(...seconds), Math.max(...seconds)];
  return shortest === longest ? `${longest} s` : `${shortest} to ${longest} s`;
}

function freeStart({ mute, hasLiveness }: ContainerFacts): Segment {
  const free = hasLiveness
    ? 'The container may take any time to start: the liveness probe never has a result.'
    : 'The container may take any time to start: without startup and liveness probe, no probe kills it.';
  const never = 'Never counts as started: the startup probe never has a result. No probe kills the container.';
  return mute.includes('startupProbe')
    ? segment('unnoticed', 0, Infinity, 'never counts as started', never)
    : segment('idle', 0, Infinity, 'no limit', free);
}

function trafficAtStart({ earliest, latest }: Span, hasReadiness: boolean): Segment[] {
  const proof = hasReadiness
    ? 'the readiness probe has succeeded'
    : 'the container counts as started (no readiness probe)';
  const served = hasReadiness
    ? 'Ready and gets traffic, if the container was healthy from the start.'
    : 'Gets traffic, even if it cannot serve it: the container has no readiness probe.';
  return nonEmpty([
    segment('idle', 0, earliest, 'no traffic', 'No traffic yet: too early for the probes.'),
    segment('maybe', earliest, latest, 'soon', `Gets traffic as soon as ${proof}.`),
    segment('serving', latest, Infinity, 'gets traffic', served),
  ]);
}

/** A container that hangs or fails later: when its probes notice, kill it and take its traffic. */
export function hangScene(facts: ContainerFacts): Scene {
  const { figures } = facts;
  const hang = facts.unknown.get('hangs');
  const unrestarted = segment('unnoticed', 0, Infinity, 'stays as it is', neverRestarted(facts));
  const stop = figureOf(figures, 'deadlock-stop');
  const dead = figureOf(figures, 'deadlock-dead')?.span;
  return {
    title: 'Later, when it stops answering',
    origin: 'second 0 = it hangs or fails',
    end: axisEnd(stop?.span, dead, figureOf(figures, 'not-ready')?.span),
    lanes: [
      stop && dead
        ? killLane('Hanging', stop, dead, facts, UNNOTICED, UNSURE)
        : { title: 'Hanging', segments: [hang === undefined ? unrestarted : unknownSegment('unsure', hang)] },
      { title: 'Traffic meanwhile', segments: trafficSegments(facts) },
    ],
  };
}

const UNNOTICED = [
  'unnoticed',
  'not noticed yet',
  'Not noticed yet: too few liveness probes have failed in a row.',
] as const;
const UNSURE = [
  'may be killed',
  'May be killed at any moment. A container that recovers in time keeps running.',
] as const;

function neverRestarted({ mute, hasLiveness }: ContainerFacts): string {
  const never = mute.includes('startupProbe')
    ? 'the liveness probe never runs, because the startup probe never succeeds'
    : 'the liveness probe never has a result';
  return `Stays as it is: ${hasLiveness ? never : 'without a liveness probe, no probe restarts the container'}.`;
}

function trafficSegments(facts: ContainerFacts): Segment[] {
  const { figures } = facts;
  if (isNeverReady(facts))
    return [segment('idle', 0, Infinity, 'no traffic', 'No traffic: the container was never Ready.')];
  const why = facts.unknown.get('traffic');
  if (why !== undefined) return [unknownSegment('maybe', why)];
  const { earliest, latest } = endOfTraffic(figures);
  const notReady = figureOf(figures, 'not-ready')?.span;
  if (notReady === undefined) {
    // Only the container's end takes it out of service.
    const unserved = 'Still gets traffic that it cannot serve: the container has no readiness probe.';
    return nonEmpty([
      segment('serving', 0, earliest, 'still gets traffic', unserved),
      segment('maybe', earliest, latest, 'until it is dead', 'The kill ends the traffic in this time.'),
      segment('idle', latest, Infinity, 'no traffic', 'No traffic until the container has started again.'),
    ]);
  }
  const isKillFirst = earliest < notReady.earliest || latest < notReady.latest;
  const cause = isKillFirst ? 'readiness probe or the kill' : 'readiness probe';
  return nonEmpty([
    segment('serving', 0, earliest, 'still gets traffic', 'Still gets traffic that it cannot serve.'),
    segment('maybe', earliest, latest, 'being taken out', `The ${cause} ends the traffic in this time.`),
    segment('idle', latest, Infinity, 'no traffic', 'No new traffic.'),
  ]);
}

/** When a fault ends the traffic: by the readiness probe, or by a kill that comes first. Infinity for never. */
export function endOfTraffic(figures: readonly Figure[]): Span {
  const killed = {
    earliest: figureOf(figures, 'deadlock-stop')?.span.earliest ?? Infinity,
    latest: figureOf(figures, 'deadlock-dead')?.span.latest ?? Infinity,
  };
  const { earliest, latest } = figureOf(figures, 'not-ready')?.span ?? killed;
  return { earliest: Math.min(earliest, killed.earliest), latest: Math.min(latest, killed.latest) };
}
