import { PATH_BOUND } from './probe-policy.ts';
import type { Bound } from './bound.ts';

/**
 * The bound of every list, map and text of a spec, the same in the CRDs and the parser. The API server needs bounds to
 * estimate the cost of CEL rules. Labels, port names and host names have Kubernetes' own limits; a check's parameters
 * have theirs in the check.
 */
export const BOUNDS = {
  containers: { maximum: 64, unit: 'names', at: 'containers' },
  containerName: { maximum: 63, unit: 'characters', at: 'containers[]' },
  images: { maximum: 64, unit: 'patterns', at: 'images' },
  imagePattern: { maximum: 255, unit: 'characters', at: 'images[]' },
  matchLabels: { maximum: 64, unit: 'labels', at: '*Selector.matchLabels' },
  matchExpressions: { maximum: 64, unit: 'requirements', at: '*Selector.matchExpressions' },
  expressionValues: { maximum: 64, unit: 'values', at: '*Selector.matchExpressions[].values' },
  path: PATH_BOUND,
  headers: { maximum: 32, unit: 'headers', at: 'probes.*.httpGet.httpHeaders' },
  headerName: { maximum: 256, unit: 'characters', at: 'probes.*.httpGet.httpHeaders[].name' },
  headerValue: { maximum: 4096, unit: 'characters', at: 'probes.*.httpGet.httpHeaders[].value' },
  host: { maximum: 253, unit: 'characters', at: 'probes.*.httpGet.host, probes.*.tcpSocket.host' },
  service: { maximum: 253, unit: 'characters', at: 'probes.*.grpc.service' },
  command: { maximum: 64, unit: 'words', at: 'probes.*.exec.command' },
  commandWord: { maximum: 32_768, unit: 'characters', at: 'probes.*.exec.command[]' },
} as const satisfies Readonly<Record<string, Bound>>;

/**
 * The bound of every list and text of a ProbeException, the same in the CRD and the parser, in code points. A spec at
 * all bounds has less than 64 KiB as JSON.
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

export const NOT_BLANK_PATTERN = '[^ \\t\\r\\n]';

/** A profile has at most 30 starts of a container, so a policy that asks for more would never learn. */
export const MOST_KEPT_STARTS = 30;

/**
 * The bounds of a StartupProfile, the same in the CRD and the reader; an API server may have an older CRD. `name` is
 * for names of containers, `reference` for the fields of the workload, `text` for identities, nodes and times.
 */
export const PROFILE_BOUNDS = {
  containers: 64,
  name: 63,
  image: 1024,
  samples: MOST_KEPT_STARTS,
  killedIds: 100,
  reference: 253,
  text: 64,
  seconds: 86_400,
} as const;

/** The maximum size of a spec as JSON, in bytes. A schema cannot express this bound, so only the parser enforces it. */
export const MAX_SPEC_BYTES = 64 * 1024;
