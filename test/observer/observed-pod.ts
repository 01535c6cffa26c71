import { diagnose } from '../../src/observer/failing/diagnosis.ts';
import { podHealth } from '../../src/observer/failing/pod-health.ts';
import { readProbeEvent } from '../../src/observer/failing/probe-events.ts';
import { ProbeHints } from '../../src/observer/failing/probe-hints.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** All times are seconds after this instant. */
const T0 = Date.parse('2026-11-20T10:00:00Z');
const instant = (seconds: number): string => new Date(T0 + seconds * 1000).toISOString().replace('.000Z', 'Z');

/** What the status says about the container `app`. */
export interface ContainerScene {
  /** The present run began then; undefined while nothing runs. */
  readonly runsFrom?: number;
  /** The run before: its start, its end, and the exit code. */
  readonly last?: readonly [from: number, until: number, exitCode?: number];
  readonly restarts?: number;
  readonly ready?: boolean;
  readonly started?: boolean;
  /** When the containers became ready, or stopped being ready. Default 0. */
  readonly changedAt?: number;
  readonly phase?: string;
}

/** A Pod with one container `app`, as a watch receives it. */
export function observedPod(container: JsonObject, scene: ContainerScene, spec: JsonObject = {}): JsonObject {
  const { runsFrom, last, ready = false, started = ready, changedAt = 0, phase = 'Running' } = scene;
  const terminated = last && {
    terminated: { startedAt: instant(last[0]), finishedAt: instant(last[1]), exitCode: last[2] ?? 143 },
  };
  const state = runsFrom === undefined ? (terminated ?? {}) : { running: { startedAt: instant(runsFrom) } };
  const status = { name: 'app', ready, started, restartCount: scene.restarts ?? (last ? 1 : 0), state };
  return {
    metadata: { namespace: 'apps', name: 'web-1', uid: 'u' },
    spec: { containers: [{ name: 'app', ...container }], ...spec },
    status: {
      phase,
      conditions: [
        { type: 'ContainersReady', status: ready ? 'True' : 'False', lastTransitionTime: instant(changedAt) },
      ],
      containerStatuses: [{ ...status, lastState: runsFrom === undefined ? {} : (terminated ?? {}) }],
    },
  };
}

/** One event for each second: as a kubelet writes them, without those that it combines. */
export function events(
  reason: string,
  message: string,
  seconds: readonly number[],
  place = 'containers',
): JsonObject[] {
  return seconds.map((at) => ({
    metadata: { namespace: 'apps' },
    reason,
    message,
    involvedObject: { kind: 'Pod', namespace: 'apps', uid: 'u', fieldPath: `spec.${place}{app}` },
    lastTimestamp: instant(at),
  }));
}

/** What the observer tells about the Pod at a second, as `livenessProbe http-404`. A void result has `(void)`. */
export function told(pod: JsonObject, given: readonly JsonObject[], now: number): string[] {
  const health = podHealth(pod);
  const hints = new ProbeHints();
  for (const event of given) {
    const hint = readProbeEvent(event);
    if (hint !== undefined) hints.add(hint, T0 + now * 1000);
  }
  const failures = health === undefined ? [] : diagnose(health, hints.of('apps', 'u'), T0 + now * 1000);
  return failures.map(({ probe, cause, isVoid }) => `${probe} ${cause}${isVoid === true ? ' (void)' : ''}`);
}

/** The events of a probe that fails, and of kills by the liveness probe, at these seconds. */
export const fails = (probe: string, text: string, ...seconds: number[]): JsonObject[] =>
  events('Unhealthy', `${probe} probe failed: ${text}`, seconds);
export const kills = (...seconds: number[]): JsonObject[] =>
  events('Killing', 'Container app failed liveness probe, will be restarted', seconds);

/** What the kubelet writes about an answer. */
export const status = (code: number): string => `HTTP probe failed with statuscode: ${code}`;
export const REFUSED = 'Get "http://10.0.0.1:8080/r": dial tcp 10.0.0.1:8080: connect: connection refused';
const TEXTS: Readonly<Record<string, string>> = {
  EOF: 'Get "http://10.0.0.1:8080/r": EOF',
  reset: 'Get "http://10.0.0.1:8080/r": read tcp 10.0.0.9:4711->10.0.0.1:8080: read: connection reset by peer',
  refused: REFUSED,
  hang: 'Get "http://x/l": context deadline exceeded',
  'missing program':
    'rpc error: code = Unknown desc = failed to exec in container: failed to start exec "b3c2": OCI runtime exec ' +
    'failed: exec failed: unable to start container process: exec: "probe": executable file not found in $PATH',
};

export const httpGet = { path: '/healthz', port: 8080 };
export const livenessProbe = { httpGet: { path: '/l', port: 8080 }, periodSeconds: 5, failureThreshold: 3 };
export const readinessProbe = { httpGet: { path: '/r', port: 8080 }, periodSeconds: 2, failureThreshold: 3 };
export const both = { livenessProbe, readinessProbe };

/** What the kubelet writes: about a probe that fails, or in the state that an errored probe ends in; or another event. */
type EventCase = { readonly at?: readonly number[]; readonly every?: number; readonly until?: number } & (
  | { readonly kills: readonly number[] }
  | { readonly reason: string; readonly message: string }
  | ({ readonly [probe in 'Startup' | 'Liveness' | 'Readiness']?: string | number } & {
      readonly state?: string;
      /** The kubelet has combined it with similar events. */
      readonly combined?: boolean;
    })
);

interface PodCase {
  /** Of `livenessProbe` at `/l` and `readinessProbe` at `/r`; both unless there is a container. */
  readonly probes?: readonly (keyof typeof both)[];
  readonly container?: JsonObject;
  /** The failureThreshold of a startup probe with a period of 5 s. */
  readonly startup?: number;
  readonly isSidecar?: boolean;
  readonly scene: ContainerScene;
  readonly spec?: JsonObject;
  readonly metadata?: JsonObject;
  readonly events: readonly EventCase[];
  /** The second at which the observer tells. */
  readonly now: number;
}

function eventsOf(given: EventCase, place: string): JsonObject[] {
  if ('kills' in given) return kills(...given.kills);
  const { every = 1, until = 0 } = given;
  const seconds = given.at ?? Array.from({ length: Math.floor(until / every) + 1 }, (_, index) => every * index);
  if ('reason' in given) return events(given.reason, given.message, seconds, place);
  const { state, combined = false } = given;
  return (['Startup', 'Liveness', 'Readiness'] as const).flatMap((probe) => {
    const answer = given[probe];
    if (answer === undefined) return [];
    if (answer === 'redirect') {
      const message = `${probe} probe warning: Probe terminated redirects, Response body: <a href="x">`;
      return events('ProbeWarning', message, seconds, place);
    }
    const text = typeof answer === 'number' ? status(answer) : (TEXTS[answer] ?? answer);
    const how = state === undefined ? 'failed' : `errored and resulted in ${state} state`;
    const message = `${combined ? '(combined from similar events): ' : ''}${probe} probe ${how}: ${text}`;
    return events('Unhealthy', message, seconds, place);
  });
}

/** What the observer tells in a case of test/fixtures/failing. */
export function toldInCase(given: JsonObject): JsonObject {
  const {
    probes,
    container,
    startup,
    isSidecar = false,
    scene,
    spec,
    metadata,
    events: list,
    now,
  } = given as unknown as PodCase;
  const names = probes ?? (container === undefined ? (['livenessProbe', 'readinessProbe'] as const) : []);
  const startupProbe = startup && { httpGet, periodSeconds: 5, failureThreshold: startup };
  const whole = {
    ...Object.fromEntries(names.map((name) => [name, both[name]])),
    ...(startupProbe && { startupProbe }),
    ...container,
  };
  const own = observedPod(whole, scene, spec);
  const pod = { ...own, metadata: { ...(own['metadata'] as JsonObject), ...metadata } };
  return {
    told: told(
      isSidecar ? asSidecar(pod) : pod,
      list.flatMap((one) => eventsOf(one, isSidecar ? 'initContainers' : 'containers')),
      now,
    ),
  };
}

/** The Pod with its container as a native sidecar, beside another container. */
function asSidecar(pod: JsonObject): JsonObject {
  const { containers } = pod['spec'] as { containers: JsonObject[] };
  const { containerStatuses, ...others } = pod['status'] as JsonObject;
  const initContainers = containers.map((one) => ({ ...one, restartPolicy: 'Always' }));
  return {
    ...pod,
    spec: { initContainers, containers: [{ name: 'web' }] },
    status: { ...others, initContainerStatuses: containerStatuses },
  };
}
