import { isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { killEndsPod, podGraceSeconds, probeGraceSeconds } from '../../engine/probe/grace-period.ts';
import { PROBE_KINDS, ownProbe, type ProbeKind } from '../../engine/probe/probe.ts';
import { OPEN_GATE_ISSUE, OPEN_GATE_VERSIONS } from '../../engine/probe/timing.ts';
import { duration } from '../../base/text/duration.ts';
import { undeclaredPortName } from '../../engine/workload/ports.ts';
import { figureOf, type Figure } from './figures.ts';
import type { ContainerFacts } from './scene.ts';

/** The figures of the start, in two or three short sentences. */
export function headlineOf({ figures, restarts, mute }: ContainerFacts): string {
  if (mute.includes('startupProbe'))
    return 'Never counts as started, and gets no traffic. No probe kills the container.';
  const verdict = figureOf(figures, 'never-healthy-stop');
  const stop = verdict?.span;
  const dead = figureOf(figures, 'never-healthy-dead')?.span;
  const traffic = mute.includes('readinessProbe') ? ' Never Ready, so it gets no traffic.' : '';
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

/** What a reader of the figures must know beside them, one text for each fact. */
export function caveatsOf(container: JsonObject, podSpec: JsonObject, figures: readonly Figure[]): string[] {
  return [...faultsOf(container), ...openGateOf(figures), ...unusedGraceOf(container, podSpec)];
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

function unusedGraceOf(container: JsonObject, podSpec: JsonObject): string[] {
  if (!killEndsPod(container, podSpec)) return [];
  return PROBE_KINDS.flatMap((kind): string[] => {
    const probe = ownProbe(container, kind);
    if (kind === 'readinessProbe' || !isJsonObject(probe) || typeof probeGraceSeconds(probe) !== 'number') return [];
    return [
      `${kind}: its terminationGracePeriodSeconds is not used, because restartPolicy Never ends the Pod. ` +
        `The Pod's ${podGraceSeconds(podSpec)} s count.`,
    ];
  });
}

/** Faults of a container's probes that decide what happens to the container. */
function faultsOf(container: JsonObject): string[] {
  return PROBE_KINDS.flatMap((kind): string[] => {
    const probe = ownProbe(container, kind);
    if (probe === undefined) return [];
    if (!isJsonObject(probe)) return [`${kind} is not an object: the API server rejects it.`];
    const port = undeclaredPortName(container, probe);
    if (port === undefined) return [];
    const name = JSON.stringify(port);
    return [`${kind}: this container does not declare port ${name}. The kubelet discards every result. ${LOSS[kind]}`];
  });
}
