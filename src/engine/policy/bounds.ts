/** The maximum size of a list, map or text of a policy. */
export interface Bound {
  readonly maximum: number;
  /** The unit of the count: `characters` of a text, else the elements of a list or map. */
  readonly unit: string;
  /** Where in a spec, as docs/limits.md names it. */
  readonly at: string;
}

/**
 * The bound of every list, map and text of a spec. The CRDs and the parser enforce the same bounds, so an object and a
 * file with the same policy mean the same. The API server also needs bounds to estimate the cost of a CRD's CEL rules.
 * Label keys and values, port names and host names have Kubernetes' own limits. A check's parameters have their bounds
 * in the check.
 */
export const BOUNDS = {
  containers: { maximum: 64, unit: 'names', at: 'containers' },
  containerName: { maximum: 63, unit: 'characters', at: 'containers[]' },
  matchLabels: { maximum: 64, unit: 'labels', at: '*Selector.matchLabels' },
  matchExpressions: { maximum: 64, unit: 'requirements', at: '*Selector.matchExpressions' },
  expressionValues: { maximum: 64, unit: 'values', at: '*Selector.matchExpressions[].values' },
  path: { maximum: 4096, unit: 'characters', at: 'kubernetesProbeEndpoints.*, probes.*.httpGet.path' },
  headers: { maximum: 32, unit: 'headers', at: 'probes.*.httpGet.httpHeaders' },
  headerName: { maximum: 256, unit: 'characters', at: 'probes.*.httpGet.httpHeaders[].name' },
  headerValue: { maximum: 4096, unit: 'characters', at: 'probes.*.httpGet.httpHeaders[].value' },
  host: { maximum: 253, unit: 'characters', at: 'probes.*.httpGet.host, probes.*.tcpSocket.host' },
  service: { maximum: 253, unit: 'characters', at: 'probes.*.grpc.service' },
  command: { maximum: 64, unit: 'words', at: 'probes.*.exec.command' },
  commandWord: { maximum: 32_768, unit: 'characters', at: 'probes.*.exec.command[]' },
} as const satisfies Readonly<Record<string, Bound>>;

/** The maximum size of a spec as JSON, in bytes. A schema cannot express this bound, so only the parser enforces it. */
export const MAX_SPEC_BYTES = 64 * 1024;

/** The problem with a count that is over a bound; undefined when the count is within the bound. */
export function boundProblem({ maximum, unit }: Bound, count: number): string | undefined {
  return count > maximum ? `must have at most ${maximum} ${unit}, not ${count}` : undefined;
}

/** The problem with a spec of this many bytes as JSON; undefined when the spec is within the bound. */
export function specSizeProblem(bytes: number): string | undefined {
  return bytes > MAX_SPEC_BYTES ? `must have at most ${MAX_SPEC_BYTES} bytes as JSON, not ${bytes}` : undefined;
}

/** The length of a text as JSON schemas count it: in code points. */
export function textLength(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
