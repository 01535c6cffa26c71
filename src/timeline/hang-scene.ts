import { axisEnd } from './axis-end.ts';
import { figureOf } from './figure.ts';
import { killSegments } from './kill-segments.ts';
import { nonEmpty } from './scene.ts';
import type { Span } from '../probes/timing.ts';
import type { Figure } from './figure.ts';
import type { Aftermath } from './kill-segments.ts';
import type { Lane, Scene } from './scene.ts';

/** A container that hangs or fails later: when its probes notice, kill it and take its traffic. */
export function hangScene(figures: readonly Figure[], aftermath: Aftermath): Scene {
  const stop = figureOf(figures, 'deadlock-stop')?.span;
  const dead = figureOf(figures, 'deadlock-dead')?.span;
  const notReady = figureOf(figures, 'not-ready')?.span;
  return {
    title: 'Later, when it stops answering',
    origin: 'second 0 = it hangs or fails',
    end: axisEnd(stop, dead, notReady),
    lanes: [
      stop && dead ? hangLane(stop, dead, aftermath) : NEVER_RESTARTED,
      notReady ? trafficWhileHanging(notReady, stop, dead) : keepsTraffic(stop, dead),
    ],
  };
}

const NEVER_RESTARTED: Lane = {
  title: 'Hanging',
  segments: [
    {
      tone: 'unnoticed',
      from: 0,
      to: Infinity,
      label: 'stays as it is',
      caption: 'Stays as it is: it has no liveness probe, so nobody restarts it.',
    },
  ],
};

function hangLane(stop: Span, dead: Span, aftermath: Aftermath): Lane {
  return {
    title: 'Hanging',
    segments: [
      ...nonEmpty([
        {
          tone: 'unnoticed',
          from: 0,
          to: stop.earliest,
          label: 'not noticed yet',
          caption: 'Not noticed yet: too few liveness probes have failed in a row.',
        },
      ]),
      {
        tone: 'unsure',
        from: stop.earliest,
        to: stop.latest,
        label: 'may be killed',
        caption: 'May be killed any moment; one that recovers before is left alone.',
      },
      ...killSegments(stop.latest, dead.latest, aftermath, 'Still hanging'),
    ],
    stopAt: stop.latest,
  };
}

/** The kill takes it out of service as well, when it comes first. */
function trafficWhileHanging(notReady: Span, stop: Span | undefined, dead: Span | undefined): Lane {
  const earliest = Math.min(notReady.earliest, stop?.earliest ?? Infinity);
  const latest = Math.min(notReady.latest, dead?.latest ?? Infinity);
  const isKillFirst = earliest < notReady.earliest || latest < notReady.latest;
  const cause = isKillFirst ? 'readiness probe or by the kill' : 'readiness probe';
  return {
    title: 'Traffic meanwhile',
    segments: nonEmpty([
      {
        tone: 'serving',
        from: 0,
        to: earliest,
        label: 'still gets traffic',
        caption: 'Still gets traffic that it cannot serve.',
      },
      {
        tone: 'maybe',
        from: earliest,
        to: latest,
        label: 'being taken out',
        caption: `Taken out of service some time in here, by its ${cause}.`,
      },
      { tone: 'idle', from: latest, to: Infinity, label: 'no traffic', caption: 'No new traffic for sure.' },
    ]),
  };
}

/** No readiness probe: only the container's end takes it out of service. */
function keepsTraffic(stop: Span | undefined, dead: Span | undefined): Lane {
  const until = stop?.earliest ?? Infinity;
  return {
    title: 'Traffic meanwhile',
    segments: nonEmpty([
      {
        tone: 'serving',
        from: 0,
        to: until,
        label: 'still gets traffic',
        caption: 'Still gets traffic that it cannot serve: it has no readiness probe.',
      },
      {
        tone: 'maybe',
        from: until,
        to: dead?.latest ?? Infinity,
        label: 'until it is dead',
        caption: 'Gets traffic until the kill has taken effect.',
      },
      {
        tone: 'idle',
        from: dead?.latest ?? Infinity,
        to: Infinity,
        label: 'no traffic',
        caption: 'No traffic until it has started again.',
      },
    ]),
  };
}
