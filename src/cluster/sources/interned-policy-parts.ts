import { PROBE_KINDS } from '../../engine/probe/probe.ts';
import { isJsonObject, member } from '../../base/json/json-value.ts';
import type { ProbeDefault } from '../../engine/policy/probe-default.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';

/** The most parts that are remembered. When the map is full, it is emptied. */
const MAX_PARTS = 1000;
const MAX_TEXT_LENGTH = 500;
const NO_TEXTS: readonly string[] = [];

/**
 * Keeps equal parts of policies once. The policies of many namespaces mostly come from a few templates, and their
 * checks alone take a third of their memory.
 */
export class InternedPolicyParts {
  readonly #parts = new Map<string, unknown>();

  /** The same policy, made of parts that other policies may share. */
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

  /** The same texts, each of them kept once. */
  shareTexts(texts: readonly string[]): readonly string[] {
    return texts.length === 0 ? NO_TEXTS : texts.map((text) => this.#one('text', text, text));
  }

  /** The part that was read from the same text before, or else this part. */
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
