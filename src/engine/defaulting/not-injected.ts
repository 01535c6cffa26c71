import type { ProbeKind } from '../probe/probe.ts';

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
  'not-native',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

export interface HandlerProblem {
  readonly code: ReasonCode;
  /** The cause and the remedy, as the end of a sentence. */
  readonly detail: string;
  /** Of `not-native`: the constructs for which the native policy leaves the probe out. */
  readonly constructs?: readonly string[];
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
export interface NotInjected extends HandlerProblem {
  readonly container?: string;
  readonly probe?: ProbeKind;
  /** The layer that wanted to give the probe. Absent when no layer did, or when the reason is not about one probe. */
  readonly wantedBy?: string;
}

/** One line: `container "app", livenessProbe: declares no TCP port (no-port)`. */
export function formatNotInjected({ container, probe, code, detail }: NotInjected): string {
  const place = container === undefined ? 'Pod' : `container "${container}"`;
  return `${place}${probe === undefined ? '' : `, ${probe}`}: ${detail} (${code})`;
}
