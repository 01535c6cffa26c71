import { figureOf, type Figure } from './figures.ts';
import { axisEnd, isNeverReady, killSegments, nonEmpty, segment, stopSign } from './scene.ts';
import type { Span } from '../../engine/probe/timing.ts';
import type { Circumstances, Lane, MeasuredStarts, Scene } from './scene.ts';

const TRAFFIC = 'Traffic, if healthy at once';

/** A container from its start on: how long it may take, and from when it gets traffic. */
export function startScene(
  figures: readonly Figure[],
  circumstances: Circumstances,
  measured: readonly number[],
): Scene {
  const stop = figureOf(figures, 'never-healthy-stop');
  const dead = figureOf(figures, 'never-healthy-dead');
  const readiness = figureOf(figures, 'ready-after-start');
  // Without a readiness probe a container is Ready as soon as it has started: with the startup probe's success, or at
  // once.
  const ready = (readiness ?? figureOf(figures, 'started'))?.span ?? { earliest: 0, latest: 0 };
  return {
    title: 'First start',
    origin: 'second 0 = the container starts',
    end: axisWithStarts(axisEnd(stop?.span, dead?.span, ready), measured),
    lanes: [
      stop && dead ? startLane(stop, dead.span, circumstances) : startsFreely(circumstances),
      isNeverReady(circumstances) ? NEVER_READY : trafficAtStart(ready, readiness !== undefined),
    ],
    ...(measured.length > 0 && { starts: measuredStarts(measured) }),
  };
}

/** Measured starts may make the axis this many times longer. Later ones are drawn at its end. */
const MOST_STRETCH = 4;

function axisWithStarts(end: number, measured: readonly number[]): number {
  const longest = Math.max(0, ...measured) * 1.05;
  return Math.max(end, Math.min(longest, MOST_STRETCH * end));
}

function measuredStarts(seconds: readonly number[]): MeasuredStarts {
  const words = measuredInWords(seconds);
  return { title: 'Measured starts', seconds, caption: `${words.charAt(0).toUpperCase()}${words.slice(1)}.` };
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

const NO_RESULT = 'Never Ready: the probe that decides on traffic never has a result.';
const NEVER_READY: Lane = {
  title: TRAFFIC,
  segments: [segment('idle', 0, Infinity, 'never Ready: no traffic', NO_RESULT)],
};

function startsFreely({ mute, hasLiveness }: Circumstances): Lane {
  const free = hasLiveness
    ? 'The container may take any time to start: the liveness probe never has a result.'
    : 'The container may take any time to start: without startup and liveness probe, no probe kills it.';
  const never = 'Never counts as started: the startup probe never has a result. No probe kills the container.';
  const only = mute.includes('startupProbe')
    ? segment('unnoticed', 0, Infinity, 'never counts as started', never)
    : segment('safe', 0, Infinity, 'no limit', free);
  return { title: 'Not healthy yet', segments: [only] };
}

function startLane(verdict: Figure, dead: Span, circumstances: Circumstances): Lane {
  const { earliest, latest } = verdict.span;
  const promise = 'Guaranteed time to start: no probe kills the container yet.';
  const gamble = 'May pass or be killed. The moments of the probes and their lengths decide.';
  return {
    title: 'Not healthy yet',
    segments: [
      ...nonEmpty([segment('safe', 0, earliest, 'guaranteed', promise)]),
      segment('unsure', earliest, latest, 'may pass or be killed', gamble),
      ...killSegments(verdict, dead.latest, circumstances),
    ],
    stopAt: latest,
    stopSign: stopSign(verdict),
  };
}

function trafficAtStart({ earliest, latest }: Span, hasReadiness: boolean): Lane {
  const proof = hasReadiness
    ? 'the readiness probe has succeeded'
    : 'the container counts as started (no readiness probe)';
  const served = hasReadiness
    ? 'Ready and gets traffic, if the container was healthy from the start.'
    : 'Gets traffic, even if it cannot serve it: the container has no readiness probe.';
  return {
    title: TRAFFIC,
    segments: nonEmpty([
      segment('idle', 0, earliest, 'no traffic', 'No traffic yet: too early for the probes.'),
      segment('maybe', earliest, latest, 'soon', `Gets traffic as soon as ${proof}.`),
      segment('serving', latest, Infinity, 'gets traffic', served),
    ]),
  };
}
