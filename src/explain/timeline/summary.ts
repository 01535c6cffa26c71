import type { ProbeKind } from '../../engine/probe/probe.ts';
import { OPEN_GATE_ISSUE, OPEN_GATE_VERSIONS, type Span } from '../../engine/time/timing.ts';
import { duration } from '../../base/text/duration.ts';
import { isProbeObject, type Container } from '../../engine/workload/pod.ts';
import { namedPort } from '../../engine/checks/named-port.ts';
import { figureOf, type Figure } from './figures.ts';
import { endOfTraffic, isNeverReady, measuredInWords, stopSign, type ContainerFacts } from './scene.ts';
import type { BrokenProbe } from '../../engine/verdict/broken-probes.ts';
import type { ContainerExplanation, ProbeExplanation, SummaryLine } from './explanation.ts';

/** The figures of the start, in two or three short sentences. */
export function headlineOf({ figures, restarts, mute, unknown }: ContainerFacts): string {
  if (mute.includes('startupProbe'))
    return 'Never counts as started, and gets no traffic. No probe kills the container.';
  const verdict = figureOf(figures, 'never-healthy-stop');
  const stop = verdict?.span;
  const dead = figureOf(figures, 'never-healthy-dead')?.span;
  const [start, served] = [unknown.get('starts'), unknown.get('traffic')];
  const traffic = mute.includes('readinessProbe')
    ? ' Never Ready, so it gets no traffic.'
    : served === undefined || served === start
      ? ''
      : ` Its traffic is not known: ${served}.`;
  if (start !== undefined) return `Its times are not known: ${start}.${traffic}`;
  if (stop === undefined || dead === undefined)
    return `No limit on the time to start: no probe kills the container.${traffic}`;
  const promise =
    stop.earliest === 0
      ? 'No time to start is guaranteed: one failed probe can kill the container'
      : `Guaranteed ${duration(stop.earliest)} to start${afterLivenessKill(figures, stop.earliest)}`;
  const latest = `after ${duration(stop.latest)} at the latest`;
  const hook = verdict?.preStopSeconds;
  const kill =
    hook === undefined ? `SIGTERM ${latest}` : `The preStop hook runs ${latest}, SIGTERM up to ${duration(hook)} later`;
  const end = `${kill}; dead by ${duration(dead.latest)}`;
  return `${promise}. ${end}${restarts ? '' : ', and not started again'}.${traffic}`;
}

/** The words for a container that is guaranteed less time after a liveness kill than at its first start. */
function afterLivenessKill(figures: readonly Figure[], firstStart: number): string {
  const seconds = figureOf(figures, 'time-to-restart')?.span.earliest ?? firstStart;
  return seconds === firstStart ? '' : `, but only ${duration(seconds)} after a liveness kill`;
}

const LOSS: Readonly<Record<ProbeKind, string>> = {
  startupProbe: 'The container never counts as started, and its other probes never run.',
  livenessProbe: 'The probe never kills the container.',
  readinessProbe: 'The container is never Ready.',
};

/** What a probe does that succeeds while the application fails. */
const BLIND: Readonly<Record<ProbeKind, string>> = {
  startupProbe: 'passes while the application answers errors',
  livenessProbe: 'never restarts an application that answers errors',
  readinessProbe: 'never takes traffic from an application that answers errors',
};

/** What a reader of the figures must know beside them, one text for each fact. */
export function caveatsOf(
  container: Container,
  mute: ReadonlyMap<ProbeKind, string>,
  figures: readonly Figure[],
  broken: readonly BrokenProbe[],
): string[] {
  const useless = broken.map(
    ({ probe, check, message, hidesFailures }) =>
      `${probe} ${hidesFailures ? BLIND[probe] : 'cannot work'} (${check}): ${message}.`,
  );
  return [...useless, ...faultsOf(container, mute), ...openGateOf(figures), ...unusedGraceOf(container)];
}

function openGateOf(figures: readonly Figure[]): string[] {
  const first = figureOf(figures, 'time-to-start')?.span.earliest;
  const { span, inputs } = figureOf(figures, 'time-to-restart') ?? {};
  if (first === undefined || span === undefined || span.earliest >= first) return [];
  return [
    `After a liveness kill, ${OPEN_GATE_VERSIONS} may kill the container again ${span.earliest} s after the restart: the ` +
      `liveness probe runs for up to ${inputs?.['Ps']} s before the startup probe holds it back (${OPEN_GATE_ISSUE}).`,
  ];
}

function unusedGraceOf({ killEndsPod, pod, written }: Container): string[] {
  if (!killEndsPod) return [];
  return written.flatMap(({ kind, graceSeconds }): string[] => {
    if (kind === 'readinessProbe' || typeof graceSeconds !== 'number') return [];
    return [
      `${kind}: its terminationGracePeriodSeconds is not used, because restartPolicy Never ends the Pod. ` +
        `The Pod's ${pod.graceSeconds} s count.`,
    ];
  });
}

/** Faults of a container's probes that decide what happens to the container. */
function faultsOf({ written }: Container, mute: ReadonlyMap<ProbeKind, string>): string[] {
  return written.flatMap((probe): string[] => {
    const { kind } = probe;
    if (!isProbeObject(probe)) return [`${kind} is not an object: the API server rejects it.`];
    const port = mute.get(kind);
    if (port === undefined) return [];
    const name = JSON.stringify(port);
    return [
      `${kind}: this container does not declare port ${name}. The kubelet discards every result (${namedPort.id}). ${LOSS[kind]}`,
    ];
  });
}

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
      text: `${startsText(facts, probes)}${measured.length > 0 ? `; ${measuredInWords(measured)}` : ''}`,
    },
    { about: 'hangs', text: hangsText(facts) },
    { about: 'traffic', text: trafficText(facts) },
    { about: 'probes', text: probesText(probes) },
    ...(note === undefined ? [] : [{ about: 'note', text: `${place}${firstSentence(note)}` } as const]),
  ];
}

function startsText({ figures, mute, restarts, unknown }: ContainerFacts, probes: readonly ProbeExplanation[]): string {
  if (mute.includes('startupProbe')) return `never counts as started, and no probe kills it (${namedPort.id})`;
  const broken = unknown.get('starts');
  if (broken !== undefined) return `not known: ${broken}`;
  const stop = figureOf(figures, 'never-healthy-stop');
  const dead = figureOf(figures, 'never-healthy-dead');
  if (stop === undefined || dead === undefined) return 'no limit: no probe kills it while it starts';
  const { earliest, latest } = stop.span;
  const again = figureOf(figures, 'time-to-restart')?.span.earliest ?? earliest;
  const budget = probes.find(({ kind }) => kind === 'startupProbe')?.budget;
  // The line about probes names the policy that writes a number.
  const why = budget === undefined || budget.isWritten ? '' : ` ${budget.text}`;
  const promise = earliest === 0 ? 'no time is guaranteed' : `${duration(earliest)} guaranteed${why}`;
  const afterKill = again === earliest ? '' : `, only ${again} s after a liveness kill`;
  const end = `${signOf(stop)} by ${latest} s, dead by ${dead.span.latest} s`;
  return `${promise}${afterKill}; ${end}${restarts ? '' : ', not started again'}`;
}

function hangsText({ figures, mute, hasLiveness, unknown }: ContainerFacts): string {
  const why = unknown.get('hangs');
  if (why !== undefined) return `not known: ${why}`;
  const stop = figureOf(figures, 'deadlock-stop');
  const dead = figureOf(figures, 'deadlock-dead');
  if (stop !== undefined && dead !== undefined)
    return `${signOf(stop)} after ${range(stop.span)}, dead by ${dead.span.latest} s`;
  if (!hasLiveness) return 'no probe restarts it: there is no liveness probe';
  return `no probe restarts it: the liveness probe never ${mute.includes('startupProbe') ? 'runs' : 'has a result'} (${namedPort.id})`;
}

function trafficText(facts: ContainerFacts): string {
  const { figures } = facts;
  if (isNeverReady(facts)) return `none: the container is never Ready (${namedPort.id})`;
  const why = facts.unknown.get('traffic');
  if (why !== undefined) return `not known: ${why}`;
  const ready = figureOf(figures, 'ready-after-start')?.span;
  const again = figureOf(figures, 'ready-again')?.span;
  if (ready === undefined || again === undefined) return 'even when it cannot serve: no readiness probe';
  return `Ready ${range(ready)} after an instant start; off ${range(endOfTraffic(figures))} after it fails, on again within ${again.latest} s`;
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
