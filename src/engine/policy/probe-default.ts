import { quoted } from '../../base/json/quoted-value.ts';
import { BOUNDS, boundProblem, textLength } from './bounds.ts';
import type { HandlerFields, HandlerKind, ProbeInteger } from '../probe/probe.ts';

/** A handler: one of the four kinds, with its fields as written. A policy's httpGet may lack the port. */
export interface HandlerDefault {
  readonly kind: HandlerKind;
  readonly fields: HandlerFields;
}

/**
 * One policy's settings for one probe. `removed` (a null in the policy, or `disabled: true`): the probe is never
 * injected. An integer that is null resets a lower layer's value to the API server's default.
 */
export interface ProbeDefault {
  readonly removed?: true;
  readonly handler?: HandlerDefault;
  /** What is written in `kubernetesProbeEndpoints` only: the handler (or its null), or the path of the handler. */
  readonly short?: 'handler' | 'path';
  readonly integers: Readonly<Partial<Record<ProbeInteger, number | null>>>;
}

/** The problem with an HTTP path of a policy or annotation, as the end of a sentence; undefined for a valid path. */
export function endpointPathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty; "/" is the root';
  if (!path.startsWith('/')) return `must start with "/", not ${quoted(path)}`;
  const tooLong = boundProblem(BOUNDS.path, textLength(path));
  if (tooLong !== undefined) return `${tooLong}: ${quoted(path)}`;
  if (/[\u0000-\u0020\u007f]/.test(path)) return `must have no spaces or control characters: ${quoted(path)}`;
  return undefined;
}

/** A host name or an IP address. With any other host the kubelet cannot parse the URL, and drops the probe's result. */
export const HOST_PATTERN = '^([A-Za-z0-9._-]{0,253}|\\[?[0-9A-Fa-f:.]{2,45}\\]?)$';

const HOST = new RegExp(HOST_PATTERN);

export function isHost(host: string): boolean {
  return HOST.test(host);
}
