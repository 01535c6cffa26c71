import { axisEnd } from './axis-end.ts';
import { figureOf } from './figure.ts';
import { isNeverReady } from './circumstances.ts';
import { killSegments, stopSign } from './kill-segments.ts';
import { nonEmpty } from './scene.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { Span } from '../../engine/probe/timing.ts';
import type { Circumstances } from './circumstances.ts';
import type { Figure } from './figure.ts';
import type { Lane, Scene } from './scene.ts';

/** A container that hangs or fails later: when its probes notice, kill it and take its traffic. */
export function hangScene(figures: readonly Figure[], circumstances: Circumstances): Scene {
  const verdict = figureOf(figures, 'deadlock-stop');
  const stop = verdict?.span;
  const dead = figureOf(figures, 'deadlock-dead')?.span;
  const notReady = figureOf(figures, 'not-ready')?.span;
  return {
    title: 'Later, when it stops answering',
    origin: 'second 0 = it hangs or fails',
    end: axisEnd(stop, dead, notReady),
    lanes: [
      verdict && dead ? hangLane(verdict, dead, circumstances) : neverRestarted(circumstances),
      trafficLane(notReady, stop, dead, circumstances),
    ],
  };
}

function neverRestarted({ mute, hasLiveness }: Circumstances): Lane {
  const segment = { tone: 'unnoticed', from: 0, to: Infinity, label: 'stays as it is' } as const;
  return {
    title: 'Hanging',
    segments: [{ ...segment, caption: `Stays as it is: ${whyNotRestarted(mute, hasLiveness)}.` }],
  };
}

function whyNotRestarted(mute: readonly ProbeKind[], hasLiveness: boolean): string {
  if (!hasLiveness) return 'without a liveness probe, no probe restarts the container';
  return mute.includes('startupProbe')
    ? 'the liveness probe never runs, because the startup probe never succeeds'
    : 'the liveness probe never has a result';
}

function trafficLane(
  notReady: Span | undefined,
  stop: Span | undefined,
  dead: Span | undefined,
  circumstances: Circumstances,
): Lane {
  if (isNeverReady(circumstances)) return NEVER_TRAFFIC;
  return notReady ? trafficWhileHanging(notReady, stop, dead) : keepsTraffic(stop, dead);
}

const NEVER_TRAFFIC: Lane = {
  title: 'Traffic meanwhile',
  segments: [
    { tone: 'idle', from: 0, to: Infinity, label: 'no traffic', caption: 'No traffic: the container was never Ready.' },
  ],
};

function hangLane(verdict: Figure, dead: Span, circumstances: Circumstances): Lane {
  const { span: stop } = verdict;
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
        caption: 'May be killed at any moment. A container that recovers in time keeps running.',
      },
      ...killSegments(verdict, dead.latest, circumstances),
    ],
    stopAt: stop.latest,
    stopSign: stopSign(verdict),
  };
}

/** The kill takes it out of service as well, when it comes first. */
function trafficWhileHanging(notReady: Span, stop: Span | undefined, dead: Span | undefined): Lane {
  const earliest = Math.min(notReady.earliest, stop?.earliest ?? Infinity);
  const latest = Math.min(notReady.latest, dead?.latest ?? Infinity);
  const isKillFirst = earliest < notReady.earliest || latest < notReady.latest;
  const cause = isKillFirst ? 'readiness probe or the kill' : 'readiness probe';
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
        caption: `The ${cause} ends the traffic in this time.`,
      },
      { tone: 'idle', from: latest, to: Infinity, label: 'no traffic', caption: 'No new traffic.' },
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
        caption: 'Still gets traffic that it cannot serve: the container has no readiness probe.',
      },
      {
        tone: 'maybe',
        from: until,
        to: dead?.latest ?? Infinity,
        label: 'until it is dead',
        caption: 'The kill ends the traffic in this time.',
      },
      {
        tone: 'idle',
        from: dead?.latest ?? Infinity,
        to: Infinity,
        label: 'no traffic',
        caption: 'No traffic until the container has started again.',
      },
    ]),
  };
}
