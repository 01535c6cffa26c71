import { beginning } from '../../base/text/cut.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { endpointPathProblem } from './probe-default.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { INT32_MAX } from '../probe/go-values.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import type { ProbeKind } from '../probe/probe.ts';
import type { PolicyLayer } from './probe-policy.ts';
import type { ProbeDefault } from './probe-default.ts';

/** Prefix of every annotation that Probewright reads or writes. */
export const ANNOTATION_PREFIX = 'probewright.dev/';
/** The annotation on patched Pods, as JSON: container -> probe -> source of the probe. */
export const INJECTED_ANNOTATION = `${ANNOTATION_PREFIX}injected`;
/** Names the containers that stand in for the main container. */
export const CONTAINERS_ANNOTATION = `${ANNOTATION_PREFIX}containers`;
/** Names the probes that a workload does not want. */
export const SKIP_ANNOTATION = `${ANNOTATION_PREFIX}skip`;
/** The source of a probe that a workload's annotation asks for. */
export const ANNOTATION_SOURCE = 'annotation';

/** Gives the seconds that the container is guaranteed to start. */
export const STARTUP_SECONDS_ANNOTATION = `${ANNOTATION_PREFIX}startup-seconds`;

const ENDPOINTS: Readonly<Record<string, ProbeKind>> = {
  'startup-endpoint': 'startupProbe',
  'liveness-endpoint': 'livenessProbe',
  'readiness-endpoint': 'readinessProbe',
};
const SKIPS: Readonly<Record<string, ProbeKind>> = {
  startup: 'startupProbe',
  liveness: 'livenessProbe',
  readiness: 'readinessProbe',
};
const KNOWN = [...Object.keys(ENDPOINTS), 'startup-seconds', 'containers', 'skip', 'injected'];

/** The annotation that gives the HTTP path of a probe. */
export function endpointAnnotation(kind: ProbeKind): string {
  const name = Object.keys(ENDPOINTS).find((endpoint) => ENDPOINTS[endpoint] === kind) ?? '';
  return `${ANNOTATION_PREFIX}${name}`;
}

/** The content of a workload's annotations. */
export interface WorkloadAnnotations {
  /**
   * The endpoints and startup seconds; undefined when there are none. Applies to the main container, or to
   * `containers`.
   */
  readonly layer?: PolicyLayer;
  /** The containers that the workload names in place of the main container. */
  readonly containers?: ReadonlySet<string>;
  /** Probes that the workload does not want in any of its containers. */
  readonly skip: ReadonlySet<ProbeKind>;
  /** One sentence for each malformed annotation. A malformed annotation is ignored. */
  readonly warnings: readonly string[];
}

const NONE: WorkloadAnnotations = { skip: new Set(), warnings: [] };

/**
 * The API server's limit, in bytes, on all of an object's annotations together (apimachinery
 * api/validation/objectmeta.go).
 */
export const TOTAL_ANNOTATION_BYTES = 256 * 1024;
const TOO_LONG = `annotations ${ANNOTATION_PREFIX}* are ignored: they are longer than the ${TOTAL_ANNOTATION_BYTES / 1024} KiB that an object may have`;

/**
 * Reads the `probewright.dev/` annotations of a Pod or Pod template. A malformed annotation is reported and has no
 * effect. Webhooks see annotations before the API server validates their size. When they are larger than the API server
 * allows, no annotation has an effect.
 */
export function readAnnotations(annotations: ReadonlyMap<string, string>): WorkloadAnnotations {
  const own: (readonly [name: string, value: string])[] = [];
  let length = 0;
  for (const [key, value] of annotations) {
    if (!key.startsWith(ANNOTATION_PREFIX) || key === INJECTED_ANNOTATION) continue;
    own.push([key.slice(ANNOTATION_PREFIX.length), value]);
    length += key.length + value.length;
  }
  if (own.length === 0) return NONE;
  if (length > TOTAL_ANNOTATION_BYTES) return { ...NONE, warnings: [TOO_LONG] };
  const reader = new AnnotationReader();
  for (const [name, value] of own) reader.add(name, value);
  return reader.result();
}

/** At most this many unknown names are reported: each is compared with every known name. */
const MAX_WARNINGS = 20;
/** The API server takes 63 characters after the prefix. */
const MAX_SHOWN_NAME = 63;

class AnnotationReader {
  readonly #probes: Partial<Record<ProbeKind, ProbeDefault>> = {};
  readonly #warnings: string[] = [];
  readonly #skip = new Set<ProbeKind>();
  #startupSeconds: number | undefined;
  #containers: ReadonlySet<string> | undefined;

  add(name: string, value: string): void {
    const endpoint = Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name] : undefined;
    if (endpoint !== undefined) this.#addEndpoint(name, endpoint, value);
    else if (name === 'startup-seconds') this.#addStartupSeconds(value);
    else if (name === 'containers') this.#addContainers(value);
    else if (name === 'skip') this.#addSkip(value);
    else if (this.#warnings.length < MAX_WARNINGS)
      this.#warn(
        name,
        `unknown annotation${didYouMean(beginning(name, MAX_SHOWN_NAME), KNOWN) || `; known are ${KNOWN.join(', ')}`}`,
      );
  }

  result(): WorkloadAnnotations {
    const saysSomething = this.#startupSeconds !== undefined || Object.keys(this.#probes).length > 0;
    const layer: PolicyLayer = {
      source: ANNOTATION_SOURCE,
      containers: 'main',
      probes: this.#probes,
      slowStart: this.#startupSeconds === undefined ? {} : { startupSeconds: this.#startupSeconds },
      checks: new Map(),
    };
    return {
      ...(saysSomething && { layer }),
      ...(this.#containers && { containers: this.#containers }),
      skip: this.#skip,
      warnings: this.#warnings,
    };
  }

  #addEndpoint(name: string, kind: ProbeKind, path: string): void {
    const problem = endpointPathProblem(path);
    if (problem !== undefined) this.#warn(name, problem);
    else this.#probes[kind] = { handler: { kind: 'httpGet', fields: { path } }, integers: {} };
  }

  #addStartupSeconds(value: string): void {
    const seconds = /^\d{1,10}$/.test(value.trim()) ? Number(value) : 0;
    if (seconds < 1 || seconds > INT32_MAX)
      this.#warn('startup-seconds', `must be a whole number of seconds, not ${quoted(value)}`);
    else this.#startupSeconds = seconds;
  }

  #addContainers(value: string): void {
    const names = value.split(',').map((name) => name.trim());
    if (names.some((name) => name === ''))
      this.#warn('containers', `must be a comma list of container names, not ${quoted(value)}`);
    else this.#containers = new Set(names);
  }

  #addSkip(value: string): void {
    const words = value.split(',').map((word) => word.trim());
    const kinds = words.map((word) => (Object.hasOwn(SKIPS, word) ? SKIPS[word] : undefined));
    if (words.length === 1 && words[0] === 'all') for (const kind of PROBE_KINDS) this.#skip.add(kind);
    else if (kinds.every((kind) => kind !== undefined)) for (const kind of kinds) this.#skip.add(kind);
    else this.#warn('skip', `must be "all" or a comma list of startup, liveness and readiness, not ${quoted(value)}`);
  }

  #warn(name: string, problem: string): void {
    this.#warnings.push(`annotation ${ANNOTATION_PREFIX}${beginning(name, MAX_SHOWN_NAME)} is ignored: ${problem}`);
  }
}
