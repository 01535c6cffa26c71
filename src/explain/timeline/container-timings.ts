import { isPortName } from '../../engine/probe/handler-values.ts';
import { without } from '../../base/json/json-value.ts';
import { DEFAULT_POD_GRACE_SECONDS } from '../../engine/probe/api-defaults.ts';
import type { Kill } from '../../engine/time/kill.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { ProbeTiming } from '../../engine/time/timing.ts';
import type { BrokenProbe } from '../../engine/verdict/broken-probes.ts';
import { isProbeObject, killOf, type Container } from '../../engine/workload/pod.ts';
import { isDeclared } from '../../engine/workload/ports.ts';

/** The timing of each probe, and how the container is stopped when the probe gives up. */
export type ContainerTimings = Readonly<Partial<Record<ProbeKind, ProbeTiming & { readonly kill: Kill }>>>;

export function containerTimings({ written, hasPreStop }: Container): ContainerTimings {
  const byDefault = { graceSeconds: DEFAULT_POD_GRACE_SECONDS, hasPreStop };
  const timings = written
    .filter(isProbeObject)
    .map((probe) => [probe.kind, { ...probe.numbers, kill: killOf(probe) ?? byDefault }] as const);
  return Object.fromEntries(timings);
}

/**
 * The probes that never have a result, because they name a port that the container does not declare, with that name.
 * What is no name of a port is refused by the API server, and no kubelet sees it.
 * The kubelet discards each result (pkg/kubelet/prober/worker.go, doProbe): such a probe never succeeds, fails or
 * kills.
 */
export function muteProbes({ written, readablePorts }: Container): ReadonlyMap<ProbeKind, string> {
  return new Map(
    written.flatMap(({ kind, handler }) => {
      const port = handler?.kind === 'httpGet' || handler?.kind === 'tcpSocket' ? handler.port : undefined;
      return typeof port === 'string' && isPortName(port) && !isDeclared(readablePorts, port)
        ? [[kind, port] as const]
        : [];
    }),
  );
}

/**
 * The timings with an effect, of probes that work. With a mute startup probe the other probes never run (worker.go,
 * doProbe), and with one that cannot work nobody knows when they run.
 *
 * @param useless the probes that are mute or cannot work
 */
export function effectiveTimings(timings: ContainerTimings, useless: readonly ProbeKind[]): ContainerTimings {
  return useless.includes('startupProbe') ? {} : without(timings, ...useless);
}

/** What nobody can tell when a probe cannot work. */
export type UnknownTime = 'starts' | 'hangs' | 'traffic';

/** What nobody can tell of a container, and which probe that cannot work is the reason. */
export function unknownTimes(
  timings: ContainerTimings,
  broken: readonly Pick<BrokenProbe, 'probe' | 'check' | 'hidesFailures'>[],
): ReadonlyMap<UnknownTime, string> {
  const deciding: readonly (readonly [UnknownTime, readonly ProbeKind[]])[] = [
    ['starts', [timings.startupProbe === undefined ? 'livenessProbe' : 'startupProbe']],
    ['hangs', timings.livenessProbe === undefined ? [] : ['startupProbe', 'livenessProbe']],
    ['traffic', ['startupProbe', 'readinessProbe']],
  ];
  return new Map(
    deciding.flatMap(([time, kinds]) => {
      const kind = kinds.find((each) => broken.some(({ probe }) => probe === each));
      const own = broken.filter(({ probe }) => probe === kind);
      const checks = new Set(own.map(({ check }) => check));
      const fault = own.every(({ hidesFailures }) => hidesFailures) ? 'hides failures' : 'cannot work';
      return kind === undefined ? [] : [[time, `its ${kind} ${fault} (${[...checks].join(', ')})`] as const];
    }),
  );
}
