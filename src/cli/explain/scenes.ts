import { figureOf } from '../../probes/timing-figures.ts';
import { duration } from './seconds.ts';
import type { Figure } from '../../probes/timing-figures.ts';
import type { Span } from '../../probes/timing.ts';

/**
 * What a stretch of time means.
 * safe: no probe kills yet; unsure: may pass, may be killed; stopping: told to stop, in its grace period; dead: killed for sure;
 * unnoticed: broken, and no probe has said so yet; idle: no traffic; maybe: perhaps traffic; serving: traffic.
 */
export type Tone = 'safe' | 'unsure' | 'stopping' | 'dead' | 'unnoticed' | 'idle' | 'maybe' | 'serving';

/** A stretch of a lane, in seconds; to Infinity when nothing ends it. */
export interface Segment {
  readonly tone: Tone;
  readonly from: number;
  readonly to: number;
  /** A few words, to be written into it when there is room. */
  readonly label: string;
  /** What it means, in a sentence for somebody who has never read about probes. */
  readonly caption: string;
}

/** One thing followed over time. Its segments follow each other without a gap. */
export interface Lane {
  readonly title: string;
  readonly segments: readonly Segment[];
  /** When it is told to stop for sure, in seconds. */
  readonly stopAt?: number;
}

/** Lanes on one axis from second 0. */
export interface Scene {
  readonly title: string;
  /** What second 0 is. */
  readonly origin: string;
  /** Where the axis ends, in seconds. What goes on longer is cut off. */
  readonly end: number;
  readonly lanes: readonly Lane[];
}

/** What happens to a container that a probe has killed. */
export interface Aftermath {
  readonly restarts: boolean;
}

/** A container's two stories: it starts, and later it hangs. */
export function scenesOf(figures: readonly Figure[], aftermath: Aftermath): Scene[] {
  return [startScene(figures, aftermath), hangScene(figures, aftermath)];
}

/** What the figures of the start come to, in one sentence. */
export function headlineOf(figures: readonly Figure[]): string {
  const stop = figureOf(figures, 'never-healthy-stop')?.span;
  const dead = figureOf(figures, 'never-healthy-dead')?.span;
  if (stop === undefined || dead === undefined) return 'No probe kills it while it starts, however long that takes.';
  const promise =
    stop.earliest === 0
      ? 'It is promised no time at all to start: one failed probe may kill it at once'
      : `It surely has ${duration(stop.earliest)} to start`;
  return `${promise}. Not healthy by second ${stop.latest}, it is told to stop for sure, and is dead by second ${dead.latest}.`;
}

function startScene(figures: readonly Figure[], aftermath: Aftermath): Scene {
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

/** Without a readiness probe a container is Ready as soon as it has started: with the startup probe's success, or at once. */
function readyAfterStart(figures: readonly Figure[]): Span {
  const readiness = figureOf(figures, 'ready-after-start') ?? figureOf(figures, 'started');
  return readiness?.span ?? { earliest: 0, latest: 0 };
}

/** The axis shows the verdict in full, and of a grace period only a part when the rest would squeeze all else. */
function axisEnd(verdict: Span | undefined, dead: Span | undefined, traffic: Span | undefined): number {
  const latestTraffic = traffic?.latest ?? 0;
  if (verdict === undefined || dead === undefined) return Math.max(10, latestTraffic * 1.4);
  const grace = dead.latest - verdict.latest;
  const killed = grace <= verdict.latest ? dead.latest * 1.08 : verdict.latest * 1.35;
  return latestTraffic <= 2 * killed ? Math.max(killed, latestTraffic * 1.1) : killed;
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
      'May still pass, or be killed any moment, as it depends on when the kubelet probes and how long each probe takes.',
  };
  return {
    title: 'Not healthy yet',
    segments: [
      ...(stop.earliest > 0 ? [promised] : []),
      gamble,
      ...endOf(stop.latest, dead.latest, aftermath, 'Still not healthy'),
    ],
    stopAt: stop.latest,
  };
}

/** From the verdict on: the grace period, then death. */
function endOf(verdict: number, dead: number, { restarts }: Aftermath, state: string): Segment[] {
  const after = restarts ? 'the kubelet starts it anew' : 'it is not started again';
  return [
    {
      tone: 'stopping',
      from: verdict,
      to: dead,
      label: 'being stopped',
      caption: `${state}: told to stop for sure (SIGTERM), with ${duration(dead - verdict)} at most to end.`,
    },
    { tone: 'dead', from: dead, to: Infinity, label: 'dead', caption: `Dead for sure; ${after}.` },
  ];
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

const nonEmpty = (segments: readonly Segment[]): Segment[] => segments.filter(({ from, to }) => to > from);

function hangScene(figures: readonly Figure[], aftermath: Aftermath): Scene {
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
      ...endOf(stop.latest, dead.latest, aftermath, 'Still hanging'),
    ],
    stopAt: stop.latest,
  };
}

/** The kill takes it out of service as well, when it comes first. */
function trafficWhileHanging(notReady: Span, stop: Span | undefined, dead: Span | undefined): Lane {
  const earliest = Math.min(notReady.earliest, stop?.earliest ?? Infinity);
  const latest = Math.min(notReady.latest, dead?.latest ?? Infinity);
  const isKillFirst = earliest < notReady.earliest || latest < notReady.latest;
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
        caption: `Taken out of service some time in here, by its readiness probe${isKillFirst ? ' or by the kill' : ''}.`,
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
