import { PROBE_KINDS } from '../probes/probe.ts';
import { isJsonObject, member } from '../probes/json.ts';
import type { ProbeDefault } from '../policy/probe-default.ts';
import type { ProbePolicy } from '../policy/probe-policy.ts';
import type { ProbeKind } from '../probes/probe.ts';

/** Only so much is remembered: when it is full, sharing starts anew. */
const MAX_PARTS = 1000;
const MAX_TEXT_LENGTH = 500;

/**
 * Parts of policies that are written alike, kept once. The policies of a cluster's many namespaces mostly come from a few templates: their
 * checks alone take a third of their memory.
 */
export class SharedParts {
  readonly #parts = new Map<string, unknown>();

  /** The same policy, made of parts that others may have, too. */
  share(policy: ProbePolicy, spec: unknown): ProbePolicy {
    const { workloadSelector, namespaceSelector } = policy;
    const written = (...path: readonly string[]): unknown =>
      path.reduce<unknown>((value, key) => (isJsonObject(value) ? member(value, key) : undefined), spec);
    const probes: Partial<Record<ProbeKind, ProbeDefault>> = {};
    for (const kind of PROBE_KINDS) {
      const probe = policy.probes[kind];
      const text = [written('probes', kind), written('kubernetesProbeEndpoints', kind)];
      if (probe !== undefined) probes[kind] = this.#one(kind, text, probe);
    }
    return {
      ...policy,
      ...(workloadSelector && { workloadSelector: this.#one('labels', written('workloadSelector'), workloadSelector) }),
      ...(namespaceSelector && {
        namespaceSelector: this.#one('labels', written('namespaceSelector'), namespaceSelector),
      }),
      containers: this.#one('containers', written('containers'), policy.containers),
      probes,
      slowStart: this.#one('slowStart', written('slowStart'), policy.slowStart),
      checks: this.#one('checks', written('checks'), policy.checks),
    };
  }

  /** What was read from the same text before, or this. */
  #one<T>(what: string, written: unknown, read: T): T {
    const text = `${what} ${JSON.stringify(written)}`;
    if (text.length > MAX_TEXT_LENGTH) return read;
    const known = this.#parts.get(text);
    if (known !== undefined) return known as T;
    if (this.#parts.size >= MAX_PARTS) this.#parts.clear();
    this.#parts.set(text, read);
    return read;
  }
}
