import { duration } from '../../base/text/duration.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { Span } from '../../engine/probe/timing.ts';
import type { Figure } from './figures.ts';

/**
 * The meaning of a stretch of time. safe: no probe kills yet; unsure: may pass, may be killed; stopping: SIGTERM has
 * been sent; unnoticed: broken, and no probe has given up yet; idle, maybe, serving: no, perhaps, or sure traffic.
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
  /** When the kill begins at the latest, in seconds. */
  readonly stopAt?: number;
  /** How the kill begins: with SIGTERM, or with the preStop hook, which SIGTERM follows. */
  readonly stopSign?: 'SIGTERM' | 'preStop';
}

export interface Scene {
  readonly title: string;
  readonly origin: string;
  /** The end of the axis, in seconds. Longer segments are cut off there. */
  readonly end: number;
  readonly lanes: readonly Lane[];
  /** Measured starts, in seconds. Absent when none are known. */
  readonly starts?: MeasuredStarts;
}

export interface MeasuredStarts {
  readonly title: string;
  readonly seconds: readonly number[];
  readonly caption: string;
}

export function segment(tone: Tone, from: number, to: number, label: string, caption: string): Segment {
  return { tone, from, to, label, caption };
}

/** The segments that take any time. */
export function nonEmpty(segments: readonly Segment[]): Segment[] {
  return segments.filter(({ from, to }) => to > from);
}

export interface Circumstances {
  /** The kubelet may start the container again after a probe has killed it. */
  readonly restarts: boolean;
  readonly mute: readonly ProbeKind[];
  readonly hasLiveness: boolean;
}

/** True when the container can never be Ready, because the probe that decides on that never has a result. */
export function isNeverReady({ mute }: Circumstances): boolean {
  return mute.includes('startupProbe') || mute.includes('readinessProbe');
}

/** Shortest axis of a scene in which no probe kills, in seconds. */
const SHORTEST = 10;

/** Where a scene's axis ends, in seconds. Of a long grace period or wait for traffic it shows the beginning. */
export function axisEnd(verdict: Span | undefined, dead: Span | undefined, traffic: Span | undefined): number {
  const latestTraffic = traffic?.latest ?? 0;
  if (verdict === undefined || dead === undefined) return Math.max(SHORTEST, latestTraffic * 1.4);
  const grace = dead.latest - verdict.latest;
  const killed = grace <= verdict.latest ? dead.latest * 1.08 : verdict.latest * 1.35;
  return latestTraffic <= 2 * killed ? Math.max(killed, latestTraffic * 1.1) : killed;
}

/**
 * The segments from the verdict on: the grace period, then death. With restartPolicy Never the container is not started
 * again (pkg/kubelet/kuberuntime/kuberuntime_manager.go, computePodActions).
 *
 * @param dead when the container is dead at the latest, in seconds
 */
export function killSegments(
  { span: { latest: verdict }, preStopSeconds }: Figure,
  dead: number,
  { restarts }: Circumstances,
): Segment[] {
  const sent = preStopSeconds === undefined ? 'SIGTERM has been sent' : 'The preStop hook runs, then SIGTERM is sent';
  const after = restarts ? 'and the kubelet starts it again' : 'and is not started again';
  const grace = `${sent}. The container has ${duration(dead - verdict)} at most to exit.`;
  return [
    segment('stopping', verdict, dead, 'being stopped', grace),
    segment('dead', dead, Infinity, 'dead', `The container is dead ${after}.`),
  ];
}

/** The first thing that the container notices of a kill. */
export function stopSign({ preStopSeconds }: Figure): NonNullable<Lane['stopSign']> {
  return preStopSeconds === undefined ? 'SIGTERM' : 'preStop';
}
