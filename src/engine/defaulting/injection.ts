import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { StartFigures } from '../probe/startup-budget.ts';
import type { ProbeJson, ProbeKind } from '../probe/probe.ts';
import type { Container } from '../workload/pod.ts';

/** A probe that policies give, and how it was worked out. */
export interface GivenProbe {
  readonly code?: undefined;
  readonly probe: ProbeJson;
  /** Where the probe comes from: a policy as kind/namespace/name, `annotation`, or `safety`. */
  readonly source: string;
  /** A startup probe with the handler of the liveness probe. */
  readonly copiesLiveness?: true;
  /** The author's probe that parts of the handler come from. */
  readonly follows?: FollowedProbe;
  /** A startup probe whose handler, or all of it but the path, is that of the author's own liveness probe. */
  readonly isLikeOwn?: true;
  /** periodSeconds and failureThreshold are not all the policy's, so that a restart is safe. */
  readonly isMadeSafe?: true;
  /** A startup probe that follows from the `initialDelaySeconds` of the author's liveness probe. */
  readonly followsDelay?: true;
  readonly learned?: LearnedBudget;
  /** The time to start that a startup probe guarantees. */
  readonly budget?: StartBudget;
  /** A layer that is aimed at the container names the port. */
  readonly isPortAimed?: true;
}

/** Seconds to start, and the rule that gives them (startup.ts). */
export interface StartBudget {
  readonly seconds: number;
  readonly rule:
    | 'learned'
    | 'startupSeconds'
    | 'fromInitialDelaySeconds'
    | 'failureThreshold'
    | 'livenessProbe'
    | 'readinessProbe'
    | 'safety';
}

export interface Injection extends GivenProbe {
  readonly container: Container;
  readonly kind: ProbeKind;
  /** The merged policy of the container. It tells which layer set each field (field-origin.ts). */
  readonly policy: ContainerPolicy;
}

/** A probe of the author, and the fields of its handler that an injected handler has, too. */
export interface FollowedProbe {
  readonly kind: ProbeKind;
  readonly fields: readonly string[];
}

export interface LearnedBudget {
  readonly figures: StartFigures;
  /** The result of the formula, before `startupSeconds` and the author's probes raise it. */
  readonly seconds: number;
}

/** The injection of a probe into the container at a place: names may repeat. */
export function injectionAt(
  injections: readonly Injection[],
  { list, index }: Pick<Container, 'list' | 'index'>,
  kind: ProbeKind,
): Injection | undefined {
  return injections.find((one) => one.kind === kind && one.container.list === list && one.container.index === index);
}

/** Why a probe was not injected. The codes are stable: metrics count by them, and docs/defaulting.md explains them. */
export const REASON_CODES = [
  'run-to-completion',
  'no-main-container',
  'container-not-found',
  'init-container',
  'mesh-container',
  'skipped-by-annotation',
  'removed-by-policy',
  'no-endpoint',
  'no-port',
  'no-http-port',
  'port-not-declared',
  'port-not-tcp',
  'no-liveness-probe',
  'liveness-cannot-work',
  'own-handler-differs',
  'own-handler-acts',
  'startup-period-too-long',
  'opted-out',
  'forbidden-by-floor',
  'too-few-starts',
  'own-path-differs',
  'cannot-work',
  'debug-copy',
  'mesh-came-first',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

export interface HandlerProblem {
  readonly code: ReasonCode;
  readonly detail: string;
}

/** Why policies give no probe: the highest removes it, or none has a handler. */
export function withoutHandler(removedBy: string | undefined): HandlerProblem {
  return removedBy === undefined
    ? { code: 'no-endpoint', detail: 'no policy names an endpoint or another handler' }
    : { code: 'removed-by-policy', detail: `${removedBy} removes it` };
}

/**
 * A probe that was not injected although a policy applies. Without `container` the reason holds for the whole Pod,
 * without `probe` for all missing probes of the container.
 */
export interface NotInjected {
  readonly container?: string;
  readonly probe?: ProbeKind;
  readonly code: ReasonCode;
  /** The layer that wanted to give the probe. Absent when no layer did, or when the reason is not about one probe. */
  readonly wantedBy?: string;
  /** The cause and the remedy, as the end of a sentence. */
  readonly detail: string;
}

/** One line: `container "app", livenessProbe: declares no TCP port (no-port)`. */
export function formatNotInjected({ container, probe, code, detail }: NotInjected): string {
  const place = container === undefined ? 'Pod' : `container "${container}"`;
  return `${place}${probe === undefined ? '' : `, ${probe}`}: ${detail} (${code})`;
}
