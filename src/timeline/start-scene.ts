import { axisEnd } from './axis-end.ts';
import { figureOf } from './figure.ts';
import { killSegments } from './kill-segments.ts';
import { nonEmpty } from './scene.ts';
import type { Span } from '../probes/timing.ts';
import type { Figure } from './figure.ts';
import type { Aftermath } from './kill-segments.ts';
import type { Lane, Scene, Segment } from './scene.ts';

/** A container from its start on: how long it may take, and from when it gets traffic. */
export function startScene(figures: readonly Figure[], aftermath: Aftermath): Scene {
  const stop = figureOf(figures, 'never-healthy-stop');
  const dead = figureOf(figures, 'never-healthy-dead');
  const ready = readyAfterStart(figures);
  return {
    title: 'While it starts',
    origin: 'second 0 = the container starts',
    end: axisEnd(stop?.span, dead?.span, ready),
    lanes: [
      stop && dead ? startLane(stop.span, dead.span, aftermath) : STARTS_FREELY,
      trafficAtStart(ready, figureOf(figures, 'ready-after-start') !== undefined),
    ],
  };
}

/**
 * Without a readiness probe a container is Ready as soon as it has started: with the startup probe's success, or at
 * once.
 */
function readyAfterStart(figures: readonly Figure[]): Span {
  const readiness = figureOf(figures, 'ready-after-start') ?? figureOf(figures, 'started');
  return readiness?.span ?? { earliest: 0, latest: 0 };
}

const STARTS_FREELY: Lane = {
  title: 'Not healthy yet',
  segments: [
    {
      tone: 'safe',
      from: 0,
      to: Infinity,
      label: 'may start as long as it likes',
      caption: 'It may start as long as it likes: it has no startup and no liveness probe, so no probe kills it.',
    },
  ],
};

function startLane(stop: Span, dead: Span, aftermath: Aftermath): Lane {
  const promised: Segment = {
    tone: 'safe',
    from: 0,
    to: stop.earliest,
    label: 'surely allowed to start',
    caption: 'Surely allowed to start: no probe kills it yet.',
  };
  const gamble: Segment = {
    tone: 'unsure',
    from: stop.earliest,
    to: stop.latest,
    label: 'may pass or be killed',
    caption:
      'May still pass, or be killed any moment, ' +
      'as it depends on when the kubelet probes and how long each probe takes.',
  };
  return {
    title: 'Not healthy yet',
    segments: [
      ...(stop.earliest > 0 ? [promised] : []),
      gamble,
      ...killSegments(stop.latest, dead.latest, aftermath, 'Still not healthy'),
    ],
    stopAt: stop.latest,
  };
}

function trafficAtStart(ready: Span, hasReadiness: boolean): Lane {
  const proof = hasReadiness ? 'its readiness probe has succeeded' : 'it counts as started (it has no readiness probe)';
  return {
    title: 'Traffic, if healthy at once',
    segments: nonEmpty([
      {
        tone: 'idle',
        from: 0,
        to: ready.earliest,
        label: 'no traffic',
        caption: 'No traffic yet: too early for its probes.',
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
          ? 'Ready for sure, if it was healthy from the start: gets traffic.'
          : 'Gets traffic, whether it can serve it or not: it has no readiness probe.',
      },
    ]),
  };
}
