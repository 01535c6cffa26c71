import type { ProbeKind } from '../../engine/probe/probe.ts';

/**
 * What a probe got, in the words of the kubelet (pkg/kubelet/prober/prober.go, runProbe). `warning` counts as success.
 * An `error` is tried three times and then thrown away: the probe has no result. `failed-error` is the same with the
 * word "failure" in the event.
 */
export interface Answer {
  readonly result: 'success' | 'warning' | 'failure' | 'failed-error' | 'error';
  /** What follows "probe failed: " in the event; empty for a success. */
  readonly text: string;
  /** The HTTP status, or the exit code of a command. */
  readonly code?: number;
  /** True when the body of an HTTP answer is longer than what the kubelet reads of it. */
  readonly isLong?: true;
  /** A status from 300 to 399 without a Location: a warning that no other host causes. */
  readonly isNoRedirect?: true;
  /** The URL that was asked in the end, where the path was redirected. */
  readonly redirectedTo?: string;
  /** The URL at another host to which the path is redirected. The kubelet does not ask it. */
  readonly otherHost?: string;
  /** How long the answer took, without what the way to the container takes. */
  readonly milliseconds?: number;
}

/** A probe cannot be asked. The message is the reason. */
export class NotRun extends Error {}

/** The kubelet of Kubernetes 1.36 calls itself so (pkg/probe/http/request.go, userAgent). */
export const KUBE_PROBE = 'kube-probe/1.36';

export const SUCCESS: Answer = { result: 'success', text: '' };

/** A failure with the kubelet's text. */
export function failure(text: string, code?: number): Answer {
  return { result: 'failure', text, ...(code !== undefined && { code }) };
}

/** True where the kubelet counts a success. */
export function isSuccess({ result }: Answer): boolean {
  return result === 'success' || result === 'warning';
}

const VERBS = {
  warning: 'warning',
  failure: 'failed',
  'failed-error': 'errored and resulted in failure state',
  error: 'errored and resulted in unknown state',
} as const;

/** The message of the event that the kubelet records (prober.go, probe); empty for a plain success. */
export function eventMessage(probe: ProbeKind, { result, text }: Answer): string {
  const name = `${probe.charAt(0).toUpperCase()}${probe.slice(1, -'Probe'.length)}`;
  return result === 'success' ? '' : `${name} probe ${VERBS[result]}: ${text}`;
}

/** A host and port as Go joins them: an IPv6 address in brackets. */
export function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The text of bytes, which a text in Latin-1 holds. */
export function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString();
}

const SOCKET_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by peer',
  EHOSTUNREACH: 'no route to host',
  EHOSTDOWN: 'host is down',
  ENETUNREACH: 'network is unreachable',
  EPIPE: 'broken pipe',
  ETIMEDOUT: 'connection timed out',
  EACCES: 'permission denied',
};

/** An error of Node's sockets as Go's net package writes it, behind `dial tcp ADDRESS: ` or `read tcp ...: `. */
export function socketErrorText(error: unknown): string {
  return SOCKET_ERRORS[codeOf(error) ?? ''] ?? String(error);
}

/** The code of an error of Node: `ECONNREFUSED`. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  // Happy Eyeballs reports the failures of all addresses together.
  if (code === undefined && error instanceof AggregateError) return codeOf(error.errors.at(-1));
  return typeof code === 'string' ? code : undefined;
}

/** Seconds as Go prints a time.Duration: `0.3s`, `1m30s`, `1h0m0s`. */
export function goDuration(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours > 0) return `${hours}h${minutes}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}
