import { figureOf, type Figure } from './figures.ts';
import { axisEnd, isNeverReady, killSegments, nonEmpty, segment, stopSign } from './scene.ts';
import type { Span } from '../../engine/probe/timing.ts';
import type { Circumstances, Lane, Scene, Segment } from './scene.ts';

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
      { title: 'Traffic meanwhile', segments: trafficSegments(notReady, stop, dead, circumstances) },
    ],
  };
}

function neverRestarted({ mute, hasLiveness }: Circumstances): Lane {
  const never = mute.includes('startupProbe')
    ? 'the liveness probe never runs, because the startup probe never succeeds'
    : 'the liveness probe never has a result';
  const why = hasLiveness ? never : 'without a liveness probe, no probe restarts the container';
  return {
    title: 'Hanging',
    segments: [segment('unnoticed', 0, Infinity, 'stays as it is', `Stays as it is: ${why}.`)],
  };
}

function hangLane(verdict: Figure, dead: Span, circumstances: Circumstances): Lane {
  const { earliest, latest } = verdict.span;
  const unnoticed = 'Not noticed yet: too few liveness probes have failed in a row.';
  const unsure = 'May be killed at any moment. A container that recovers in time keeps running.';
  return {
    title: 'Hanging',
    segments: [
      ...nonEmpty([segment('unnoticed', 0, earliest, 'not noticed yet', unnoticed)]),
      segment('unsure', earliest, latest, 'may be killed', unsure),
      ...killSegments(verdict, dead.latest, circumstances),
    ],
    stopAt: latest,
    stopSign: stopSign(verdict),
  };
}

function trafficSegments(
  notReady: Span | undefined,
  stop: Span | undefined,
  dead: Span | undefined,
  circumstances: Circumstances,
): Segment[] {
  if (isNeverReady(circumstances))
    return [segment('idle', 0, Infinity, 'no traffic', 'No traffic: the container was never Ready.')];
  const killed = { earliest: stop?.earliest ?? Infinity, latest: dead?.latest ?? Infinity };
  if (notReady === undefined) {
    // Only the container's end takes it out of service.
    const unserved = 'Still gets traffic that it cannot serve: the container has no readiness probe.';
    return nonEmpty([
      segment('serving', 0, killed.earliest, 'still gets traffic', unserved),
      segment('maybe', killed.earliest, killed.latest, 'until it is dead', 'The kill ends the traffic in this time.'),
      segment('idle', killed.latest, Infinity, 'no traffic', 'No traffic until the container has started again.'),
    ]);
  }
  // The kill takes it out of service as well, when it comes first.
  const earliest = Math.min(notReady.earliest, killed.earliest);
  const latest = Math.min(notReady.latest, killed.latest);
  const isKillFirst = earliest < notReady.earliest || latest < notReady.latest;
  const cause = isKillFirst ? 'readiness probe or the kill' : 'readiness probe';
  return nonEmpty([
    segment('serving', 0, earliest, 'still gets traffic', 'Still gets traffic that it cannot serve.'),
    segment('maybe', earliest, latest, 'being taken out', `The ${cause} ends the traffic in this time.`),
    segment('idle', latest, Infinity, 'no traffic', 'No new traffic.'),
  ]);
}
