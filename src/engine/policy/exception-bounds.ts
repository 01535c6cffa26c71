import type { Bound } from './bounds.ts';

/**
 * The bound of every list and text of a ProbeException. The CRD and the parser enforce the same bounds. Lengths are
 * counted as JSON schemas count them, in code points. A spec at all bounds has less than 64 KiB as JSON, so no further
 * bound is needed that a schema cannot express.
 */
export const EXCEPTION_BOUNDS = {
  checks: { maximum: 64, unit: 'checks', at: 'checks' },
  workloads: { maximum: 64, unit: 'workloads', at: 'workloads' },
  workloadKind: { maximum: 63, unit: 'characters', at: 'workloads[].kind' },
  workloadName: { maximum: 253, unit: 'characters', at: 'workloads[].name' },
  matchLabels: { maximum: 16, unit: 'labels', at: 'workloadSelector.matchLabels' },
  matchExpressions: { maximum: 16, unit: 'requirements', at: 'workloadSelector.matchExpressions' },
  expressionValues: { maximum: 32, unit: 'values', at: 'workloadSelector.matchExpressions[].values' },
  owner: { maximum: 128, unit: 'characters', at: 'owner' },
  reason: { maximum: 512, unit: 'characters', at: 'reason' },
  ticket: { maximum: 128, unit: 'characters', at: 'ticket' },
  expires: { maximum: 64, unit: 'characters', at: 'expires' },
} as const satisfies Readonly<Record<string, Bound>>;

/** The shortest reason, in characters. A reason of one word explains nothing to the next reader. */
export const SHORTEST_REASON = 10;

/** A kind such as `Deployment` or `Rollout`. */
export const WORKLOAD_KIND_PATTERN = '^[A-Z][A-Za-z0-9]*$';

/** A text that is more than white space. */
export const NOT_BLANK_PATTERN = '[^ \\t\\r\\n]';
