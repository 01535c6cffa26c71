import { axisEnd } from './axis-end.ts';
import { figureOf } from './figure.ts';
import { isNeverReady } from './circumstances.ts';
import { killSegments, stopSign } from './kill-segments.ts';
import { nonEmpty } from './scene.ts';
import type { Span } from '../../engine/probe/timing.ts';
import type { Circumstances } from './circumstances.ts';
import type { Figure } from './figure.ts';
import type { Lane, MeasuredStarts, Scene, Segment } from './scene.ts';

const TRAFFIC = 'Traffic, if healthy at once';

/** A container from its start on: how long it may take, and from when it gets traffic. */
export function startScene(
  figures: readonly Figure[],
  circumstances: Circumstances,
  measured: readonly number[] = [],
): Scene {
  const stop = figureOf(figures, 'never-healthy-stop');
  const dead = figureOf(figures, 'never-healthy-dead');
  const ready = readyAfterStart(figures);
  return {
    title: 'First start',
    origin: 'second 0 = the container starts',
    end: axisWithStarts(axisEnd(stop?.span, dead?.span, ready), measured),
    lanes: [
      stop && dead ? startLane(stop, dead.span, circumstances) : startsFreely(circumstances),
      isNeverReady(circumstances)
        ? NEVER_READY
        : trafficAtStart(ready, figureOf(figures, 'ready-after-start') !== undefined),
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
  const [shortest, longest] = [Math.min(...seconds), Math.max(...seconds)];
  const range = shortest === longest ? `${longest} s` : `${shortest} to ${longest} s`;
  const caption = `${seconds.length === 1 ? 'One measured start' : `${seconds.length} measured starts`}: ${range}.`;
  return { title: 'Measured starts', seconds, caption };
}

/**
 * Without a readiness probe a container is Ready as soon as it has started: with the startup probe's success, or at
 * once.
 */
function readyAfterStart(figures: readonly Figure[]): Span {
  const readiness = figureOf(figures, 'ready-after-start') ?? figureOf(figures, 'started');
  return readiness?.span ?? { earliest: 0, latest: 0 };
}

const NEVER_READY: Lane = {
  title: TRAFFIC,
  segments: [
    {
      tone: 'idle',
      from: 0,
      to: Infinity,
      label: 'never Ready: no traffic',
      caption: 'Never Ready: the probe that decides on traffic never has a result.',
    },
  ],
};

function startsFreely({ mute, hasLiveness }: Circumstances): Lane {
  const isNeverStarted = mute.includes('startupProbe');
  const free = hasLiveness
    ? 'The container may take any time to start: the liveness probe never has a result.'
    : 'The container may take any time to start: without startup and liveness probe, no probe kills it.';
  return {
    title: 'Not healthy yet',
    segments: [
      {
        tone: isNeverStarted ? 'unnoticed' : 'safe',
        from: 0,
        to: Infinity,
        label: isNeverStarted ? 'never counts as started' : 'no limit',
        caption: isNeverStarted
          ? 'Never counts as started: the startup probe never has a result. No probe kills the container.'
          : free,
      },
    ],
  };
}

function startLane(verdict: Figure, dead: Span, circumstances: Circumstances): Lane {
  const { span: stop } = verdict;
  const promised: Segment = {
    tone: 'safe',
    from: 0,
    to: stop.earliest,
    label: 'guaranteed',
    caption: 'Guaranteed time to start: no probe kills the container yet.',
  };
  const gamble: Segment = {
    tone: 'unsure',
    from: stop.earliest,
    to: stop.latest,
    label: 'may pass or be killed',
    caption: 'May pass or be killed. The moments of the probes and their lengths decide.',
  };
  return {
    title: 'Not healthy yet',
    segments: [...(stop.earliest > 0 ? [promised] : []), gamble, ...killSegments(verdict, dead.latest, circumstances)],
    stopAt: stop.latest,
    stopSign: stopSign(verdict),
  };
}

function trafficAtStart(ready: Span, hasReadiness: boolean): Lane {
  const proof = hasReadiness
    ? 'the readiness probe has succeeded'
    : 'the container counts as started (no readiness probe)';
  return {
    title: TRAFFIC,
    segments: nonEmpty([
      {
        tone: 'idle',
        from: 0,
        to: ready.earliest,
        label: 'no traffic',
        caption: 'No traffic yet: too early for the probes.',
      },
      {
        tone: 'maybe',
        from: ready.earliest,
        to: ready.latest,
        label: 'soon',
        caption: `Gets traffic as soon as ${proof}.`,
      },
      {
        tone: 'serving',
        from: ready.latest,
        to: Infinity,
        label: 'gets traffic',
        caption: hasReadiness
          ? 'Ready and gets traffic, if the container was healthy from the start.'
          : 'Gets traffic, even if it cannot serve it: the container has no readiness probe.',
      },
    ]),
  };
}
