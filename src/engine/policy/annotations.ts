import { quoted } from '../../base/json/quoted-value.ts';
import { beginning } from '../../base/text/cut.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import { INT32_MAX } from '../probe/go-values.ts';
import { PROBE_KINDS, type ProbeKind } from '../probe/probe.ts';
import type { Labels } from './label-selector.ts';
import { endpointPathProblem, type PolicyLayer, type ProbeDefault } from './probe-policy.ts';

export const ANNOTATION_PREFIX = 'probewright.dev/';
/** The annotation on patched Pods, as JSON: container -> probe -> source of the probe. */
export const INJECTED_ANNOTATION = `${ANNOTATION_PREFIX}injected`;
export const CONTAINERS_ANNOTATION = `${ANNOTATION_PREFIX}containers`;
/** Names the probes that a workload does not want. */
export const SKIP_ANNOTATION = `${ANNOTATION_PREFIX}skip`;
/** The source of a probe that a workload's annotation asks for. */
export const ANNOTATION_SOURCE = 'annotation';

export const STARTUP_SECONDS_ANNOTATION = `${ANNOTATION_PREFIX}startup-seconds`;

export function endpointAnnotation(kind: ProbeKind): string {
  return `${ANNOTATION_PREFIX}${kind.replace(/Probe$/, '-endpoint')}`;
}

export interface WorkloadAnnotations {
  /** The endpoints and startup seconds, for the main container or for `containers`. */
  readonly layer: PolicyLayer;
  readonly containers?: ReadonlySet<string>;
  /** Probes that the workload does not want in any of its containers. */
  readonly skip: ReadonlySet<ProbeKind>;
  /** One sentence for each malformed annotation. A malformed annotation is ignored. */
  readonly warnings: readonly string[];
}

/** The API server's limit on all annotations of an object together (apimachinery api/validation/objectmeta.go). */
export const TOTAL_ANNOTATION_BYTES = 256 * 1024;
const TOO_LONG = `annotations ${ANNOTATION_PREFIX}* are ignored: they are longer than the ${TOTAL_ANNOTATION_BYTES / 1024} KiB that an object may have`;

/**
 * Reads the `probewright.dev/` annotations of a Pod or Pod template. A malformed annotation is reported and has no
 * effect. Webhooks see annotations before the API server limits their size: above its limit, none has an effect.
 */
export function readAnnotations(annotations: ReadonlyMap<string, string>): WorkloadAnnotations {
  const own = [...annotations].filter(([key]) => key.startsWith(ANNOTATION_PREFIX) && key !== INJECTED_ANNOTATION);
  if (own.length === 0) return NONE;
  const length = own.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  const draft = emptyDraft();
  if (length > TOTAL_ANNOTATION_BYTES) draft.warnings.push(TOO_LONG);
  for (const [key, value] of length > TOTAL_ANNOTATION_BYTES ? [] : own) {
    const name = key.slice(ANNOTATION_PREFIX.length);
    const isKnown = Object.hasOwn(READERS, name);
    if (!isKnown && draft.warnings.length >= MAX_WARNINGS) continue;
    const problem = isKnown ? READERS[name]?.(draft, value) : unknownProblem(name);
    if (problem !== undefined)
      draft.warnings.push(`annotation ${ANNOTATION_PREFIX}${beginning(name, MAX_SHOWN_NAME)} is ignored: ${problem}`);
  }
  return draft;
}

type Draft = ReturnType<typeof emptyDraft> & { containers?: ReadonlySet<string> };

function emptyDraft() {
  const probes: Partial<Record<ProbeKind, ProbeDefault>> = {};
  const slowStart: { startupSeconds?: number } = {};
  const layer = { source: ANNOTATION_SOURCE, containers: 'main' as const, probes, slowStart, checks: new Map() };
  return { layer, skip: new Set<ProbeKind>(), warnings: [] as string[] };
}

/** What almost every workload says. */
const NONE: WorkloadAnnotations = emptyDraft();

/** At most this many unknown names are reported: each is compared with every known name. */
const MAX_WARNINGS = 20;
/** The API server takes 63 characters after the prefix. */
const MAX_SHOWN_NAME = 63;

/** Adds what one annotation says. Returns the problem of a malformed one, which has no effect. */
type AnnotationReader = (draft: Draft, value: string) => string | undefined;

const endpointOf =
  (kind: ProbeKind): AnnotationReader =>
  ({ layer }, path) => {
    const problem = endpointPathProblem(path);
    if (problem === undefined) layer.probes[kind] = { handler: { kind: 'httpGet', fields: { path } }, integers: {} };
    return problem;
  };

const wordsOf = (value: string): readonly string[] => value.split(',').map((word) => word.trim());

const READERS: Readonly<Record<string, AnnotationReader>> = {
  'startup-endpoint': endpointOf('startupProbe'),
  'liveness-endpoint': endpointOf('livenessProbe'),
  'readiness-endpoint': endpointOf('readinessProbe'),
  'startup-seconds': ({ layer }, value) => {
    const seconds = /^\d{1,10}$/.test(value.trim()) ? Number(value) : 0;
    if (seconds < 1 || seconds > INT32_MAX) return `must be a whole number of seconds, not ${quoted(value)}`;
    layer.slowStart.startupSeconds = seconds;
    return undefined;
  },
  containers: (draft, value) => {
    const names = wordsOf(value);
    if (names.includes('')) return `must be a comma list of container names, not ${quoted(value)}`;
    draft.containers = new Set(names);
    return undefined;
  },
  skip: ({ skip }, value) => {
    const words = wordsOf(value);
    const kinds =
      words.join() === 'all' ? PROBE_KINDS : words.map((word) => PROBE_KINDS.find((kind) => kind === `${word}Probe`));
    const skipped = kinds.filter((kind) => kind !== undefined);
    if (skipped.length < kinds.length)
      return `must be "all" or a comma list of startup, liveness and readiness, not ${quoted(value)}`;
    for (const kind of skipped) skip.add(kind);
    return undefined;
  },
};

const KNOWN = [...Object.keys(READERS), 'injected'];

function unknownProblem(name: string): string {
  return `unknown annotation${didYouMean(beginning(name, MAX_SHOWN_NAME), KNOWN) || `; known are ${KNOWN.join(', ')}`}`;
}

/** The label of Pods that the chart's mutating webhook skips by its `objectSelector`. */
export const OPT_OUT_LABEL = `${ANNOTATION_PREFIX}webhook`;
export const OPT_OUT_VALUE = 'disabled';

/** True when the Pods never reach the mutating webhook, so that the verdict must not count on probes from it. */
export function hasOptedOut({ labels }: { readonly labels: Labels }): boolean {
  return labels.get(OPT_OUT_LABEL) === OPT_OUT_VALUE;
}
