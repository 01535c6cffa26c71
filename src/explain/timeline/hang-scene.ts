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
      { title: 'Traffic meanwhile', segments: trafficSegments(figures, circumstances) },
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

function trafficSegments(figures: readonly Figure[], circumstances: Circumstances): Segment[] {
  if (isNeverReady(circumstances))
    return [segment('idle', 0, Infinity, 'no traffic', 'No traffic: the container was never Ready.')];
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
