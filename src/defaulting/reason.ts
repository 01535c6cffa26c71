import type { ProbeKind } from '../probes/probe.ts';

/** Why a probe was not given. The codes are stable: metrics count by them and docs/defaulting.md explains each. */
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
  'port-not-declared',
  'port-not-tcp',
  'no-liveness-probe',
  'liveness-cannot-work',
  'opted-out',
  'forbidden-by-floor',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/**
 * A probe that was not injected although a policy speaks for the container, and why. `container` is absent when the reason holds
 * for the whole Pod, `probe` when it holds for all of the container's missing probes.
 */
export interface NotInjected {
  readonly container?: string;
  readonly probe?: ProbeKind;
  readonly code: ReasonCode;
  /** What stood in the way and what would help, as the end of a sentence. */
  readonly detail: string;
}

/** One line: `container "app", livenessProbe: declares no TCP port (no-port)`. */
export function formatNotInjected({ container, probe, code, detail }: NotInjected): string {
  const place = [
    container === undefined ? 'Pod' : `container "${container}"`,
    ...(probe === undefined ? [] : [probe]),
  ].join(', ');
  return `${place}: ${detail} (${code})`;
}
