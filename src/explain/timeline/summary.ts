import { duration } from '../../base/text/duration.ts';
import { OPEN_GATE_ISSUE, type Span } from '../../engine/probe/timing.ts';
import { figureOf, type Figure } from './figures.ts';
import { endOfTraffic, isNeverReady, measuredInWords, stopSign, type ContainerFacts } from './scene.ts';
import type { ContainerExplanation, ProbeExplanation, SummaryLine } from './explanation.ts';

/** At most five lines, so that a container has at most six with its name. Every number is one of the figures. */
export function summaryOf(
  facts: ContainerFacts,
  { probes, caveats }: Pick<ContainerExplanation, 'probes' | 'caveats'>,
): SummaryLine[] {
  const { measured } = facts;
  // The line about starts says the same in numbers.
  const [note, ...more] = caveats.filter((caveat) => !caveat.includes(OPEN_GATE_ISSUE));
  const place = more.length === 0 ? '' : `(1 of ${more.length + 1}) `;
  return [
    {
      about: 'starts',
      text: `${startsText(facts)}${measured.length > 0 ? `; ${measuredInWords(measured)}` : ''}`,
    },
    { about: 'hangs', text: hangsText(facts) },
    { about: 'traffic', text: trafficText(facts) },
    { about: 'probes', text: probesText(probes) },
    ...(note === undefined ? [] : [{ about: 'note', text: `${place}${firstSentence(note)}` } as const]),
  ];
}

function startsText({ figures, mute, restarts }: ContainerFacts): string {
  if (mute.includes('startupProbe')) return 'never counts as started, and no probe kills it';
  const stop = figureOf(figures, 'never-healthy-stop');
  const dead = figureOf(figures, 'never-healthy-dead');
  if (stop === undefined || dead === undefined) return 'no limit: no probe kills it while it starts';
  const { earliest, latest } = stop.span;
  const again = figureOf(figures, 'time-to-restart')?.span.earliest ?? earliest;
  const promise = earliest === 0 ? 'no time is guaranteed' : `${duration(earliest)} guaranteed`;
  const afterKill = again === earliest ? '' : `, only ${again} s after a liveness kill`;
  const end = `${signOf(stop)} by ${latest} s, dead by ${dead.span.latest} s`;
  return `${promise}${afterKill}; ${end}${restarts ? '' : ', not started again'}`;
}

function hangsText({ figures, mute, hasLiveness }: ContainerFacts): string {
  const stop = figureOf(figures, 'deadlock-stop');
  const dead = figureOf(figures, 'deadlock-dead');
  if (stop !== undefined && dead !== undefined)
    return `${signOf(stop)} after ${range(stop.span)}, dead by ${dead.span.latest} s`;
  if (!hasLiveness) return 'no probe restarts it: there is no liveness probe';
  return `no probe restarts it: the liveness probe never ${mute.includes('startupProbe') ? 'runs' : 'has a result'}`;
}

function trafficText(facts: ContainerFacts): string {
  const { figures } = facts;
  if (isNeverReady(facts)) return 'none: the container is never Ready';
  const ready = figureOf(figures, 'ready-after-start')?.span;
  const again = figureOf(figures, 'ready-again')?.span;
  if (ready === undefined || again === undefined) return 'even when it cannot serve: no readiness probe';
  return `Ready ${range(ready)} after a healthy start; off ${range(endOfTraffic(figures))} after it fails, on again within ${again.latest} s`;
}

const SHORT_KINDS = { startupProbe: 'startup', livenessProbe: 'liveness', readinessProbe: 'readiness' } as const;

function probesText(probes: readonly ProbeExplanation[]): string {
  const groups = [...Map.groupBy(probes, ({ from }) => from)];
  const texts = groups.map(([from, given]) => `${given.map(({ kind }) => SHORT_KINDS[kind]).join(', ')} from ${from}`);
  return texts.join('; ') || 'none';
}

function signOf(kill: Figure): string {
  return stopSign(kill) === 'preStop' ? 'preStop hook' : 'SIGTERM';
}

function range({ earliest, latest }: Span): string {
  return `${earliest} to ${latest} s`;
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/s.exec(text)?.[0] ?? text;
}
