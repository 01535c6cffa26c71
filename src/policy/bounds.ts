/** The most that a list, map or text of a policy may hold. */
export interface Bound {
  readonly maximum: number;
  /** What is counted: `characters` of a text, else the elements of a list or map. */
  readonly unit: string;
  /** Where in a spec, as docs/limits.md names it. */
  readonly at: string;
}

/**
 * Every list, map and text of a spec has a bound. The CRDs, the parser and so also files enforce the same ones: a policy means the same
 * wherever it lives. An API server also estimates the cost of a CRD's CEL rules from them before it takes the CRD. Label keys and
 * values, port names and host names have Kubernetes' own limits.
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
  programs: { maximum: 256, unit: 'names', at: 'checks.exec-forbidden.names' },
  program: { maximum: 253, unit: 'characters', at: 'checks.exec-forbidden.names[]' },
  dependencyPaths: {
    maximum: 256,
    unit: 'paths',
    at: 'checks.dependency-liveness.paths, checks.dependency-liveness.additionalPaths',
  },
  dependencyPath: {
    maximum: 4096,
    unit: 'characters',
    at: 'checks.dependency-liveness.paths[], checks.dependency-liveness.additionalPaths[]',
  },
} as const satisfies Readonly<Record<string, Bound>>;

/** The most that a spec may take as JSON, in bytes. A schema cannot say it: the parser alone enforces it. */
export const MAX_SPEC_BYTES = 64 * 1024;

/** What is wrong with something that has so many of what a bound counts; undefined when nothing is. */
export function boundProblem({ maximum, unit }: Bound, count: number): string | undefined {
  return count > maximum ? `must have at most ${maximum} ${unit}, not ${count}` : undefined;
}

/** What is wrong with a spec of so many bytes as JSON; undefined when nothing is. */
export function specSizeProblem(bytes: number): string | undefined {
  return bytes > MAX_SPEC_BYTES ? `must have at most ${MAX_SPEC_BYTES} bytes as JSON, not ${bytes}` : undefined;
}

/** The length of a text as JSON schemas count it: in code points. */
export function textLength(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** The length of a text in UTF-8, in bytes. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // Half of a pair stands for two of the pair's four bytes.
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return bytes;
}
