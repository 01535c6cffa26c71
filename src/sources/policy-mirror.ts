import { formatProblem } from '../policy/problems.ts';
import { parseProbePolicy, POLICY_API_VERSION } from '../policy/probe-policy.ts';
import { placeOf } from './policy-reference.ts';
import { isEarlier, isShown, shownStatus } from './policy-status.ts';
import { SharedParts } from './shared-parts.ts';
import type { KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import type { PolicyKind, PolicyParse, ProbePolicy } from '../policy/probe-policy.ts';
import type { PolicyReference } from './policy-reference.ts';
import type { PolicyVerdict, ShownStatus } from './policy-status.ts';
import type { SourceProblem } from './policy-source.ts';

/** A status that does not say what it should. */
export interface StaleStatus {
  readonly shown: ShownStatus;
  readonly verdict: PolicyVerdict;
  /** The object's resourceVersion, which every change makes another. */
  readonly version: string | undefined;
}

/** What a mirror tells. */
export interface PolicyMirrorListener {
  /** Other policies are in force than before. */
  readonly changed: () => void;
  /** The newest version of a policy cannot be used. Told once for each version. */
  readonly failed: (problems: readonly SourceProblem[]) => void;
  /** The status of a policy is not as it should be; undefined when it is, or the policy is gone. Told at every event. */
  readonly status: (policy: PolicyReference, stale: StaleStatus | undefined) => void;
}

/** How the policies of one kind are doing. */
export interface PolicyCounts {
  /** Policies whose newest version is in force. */
  readonly current: number;
  /** Policies whose newest version cannot be used and whose last good one is in force instead. */
  readonly lastGood: number;
  /** Policies of which no version can be used. */
  readonly invalid: number;
}

/** A version of a policy that could be read. */
interface GoodVersion {
  readonly generation: number;
  readonly policy: ProbePolicy;
  /** The spec as JSON text: a tenth of what the objects would take, and needed only should a later version be bad. */
  readonly spec: string;
}

/** What is kept of an object: never the object itself, most of which is others' metadata. */
interface Known {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly good: GoodVersion | undefined;
  readonly problems: readonly string[];
}

const NO_PROBLEMS: readonly string[] = [];

/**
 * The policies of one kind in a cluster, as they are in force. A version that cannot be read leaves the last good one in force and every
 * other policy alone. What that last good version was is known from memory, or after a restart from the object's own status.
 */
export class PolicyMirror {
  readonly #kind: PolicyKind;
  readonly #listener: PolicyMirrorListener;
  readonly #known = new Map<string, Known>();
  readonly #parts = new SharedParts();

  constructor(kind: PolicyKind, listener: PolicyMirrorListener) {
    this.#kind = kind;
    this.#listener = listener;
  }

  /** These are all the objects that there are. */
  replace(objects: readonly KubernetesObject[]): void {
    const present = new Set(objects.map(({ metadata }) => placeOf(this.#reference(metadata))));
    for (const place of this.#known.keys()) if (!present.has(place)) this.#forget(place);
    for (const object of objects) this.apply(object);
  }

  /** An object is new or has changed; one that is being deleted stays in force until it is gone. */
  apply(object: KubernetesObject): void {
    const reference = this.#reference(object.metadata);
    const place = placeOf(reference);
    const before = this.#known.get(place);
    const shown = shownStatus((object as { status?: unknown }).status);
    const known = this.#read(object, before, shown);
    if (known !== before) this.#known.set(known.good?.policy.source ?? place, known);
    if (known.problems.length > 0 && !isSame(known, before))
      this.#listener.failed(known.problems.map((message) => ({ place, message })));
    if (known.good?.policy !== before?.good?.policy) this.#listener.changed();
    const verdict = { generation: known.generation ?? 0, problems: known.problems, good: known.good };
    const version = object.metadata.resourceVersion;
    this.#listener.status(reference, isShown(shown, verdict) ? undefined : { shown, verdict, version });
  }

  remove(object: KubernetesObject): void {
    this.#forget(placeOf(this.#reference(object.metadata)));
  }

  /** The policies in force. */
  policies(): ProbePolicy[] {
    return [...this.#known.values()].flatMap(({ good }) => (good === undefined ? [] : [good.policy]));
  }

  problems(): SourceProblem[] {
    return [...this.#known].flatMap(([place, { problems }]) => problems.map((message) => ({ place, message })));
  }

  counts(): PolicyCounts {
    let [current, lastGood, invalid] = [0, 0, 0];
    for (const { problems, good } of this.#known.values()) {
      if (problems.length === 0) current++;
      else if (good !== undefined) lastGood++;
      else invalid++;
    }
    return { current, lastGood, invalid };
  }

  #forget(place: string): void {
    const known = this.#known.get(place);
    if (known === undefined) return;
    this.#known.delete(place);
    const [, ...names] = place.split('/');
    const [name = '', namespace] = names.reverse();
    this.#listener.status({ kind: this.#kind, namespace, name }, undefined);
    if (known.good !== undefined) this.#listener.changed();
  }

  #read(object: KubernetesObject, before: Known | undefined, shown: ShownStatus): Known {
    const { uid } = object.metadata;
    const generation = integer(object.metadata.generation);
    // An object of the same name that was created anew has a history of its own.
    const earlier = before?.uid === uid ? before : undefined;
    const isSeen = generation !== undefined && generation === earlier?.generation;
    // The generation counts changes of the spec: all else is nothing to us.
    if (isSeen && earlier.problems.length === 0) return earlier;
    const parsed = this.#parse(object, (object as { spec?: unknown }).spec);
    if ('policy' in parsed) {
      const spec = JSON.stringify((object as { spec?: unknown }).spec);
      const good = { generation: generation ?? 0, policy: parsed.policy, spec };
      return { uid, generation, good, problems: NO_PROBLEMS };
    }
    const good = this.#lastGood(object, earlier?.good, shown);
    if (isSeen && good === earlier.good) return earlier;
    return { uid, generation, good, problems: parsed.problems.map(formatProblem) };
  }

  /** From memory or from the status, whichever is newer: a replica that missed a version goes by the leader's word. */
  #lastGood(
    object: KubernetesObject,
    remembered: GoodVersion | undefined,
    { lastGood }: ShownStatus,
  ): GoodVersion | undefined {
    if (lastGood === undefined || !isEarlier(lastGood.generation, integer(object.metadata.generation)))
      return remembered;
    if (remembered !== undefined && remembered.generation >= lastGood.generation) return remembered;
    const parsed = this.#parse(object, lastGood.spec);
    if ('problems' in parsed) return remembered;
    return { generation: lastGood.generation, policy: parsed.policy, spec: JSON.stringify(lastGood.spec) };
  }

  /** Never throws: one object that cannot be read must not keep the others from being read. */
  #parse({ metadata }: KubernetesObject, spec: unknown): PolicyParse {
    try {
      // The items of a list come without these.
      const parsed = parseProbePolicy({ apiVersion: POLICY_API_VERSION, kind: this.#kind, metadata, spec });
      return 'problems' in parsed ? parsed : { policy: this.#parts.share(parsed.policy, spec) };
    } catch (error) {
      return { problems: [{ path: [], message: `cannot be read: ${String(error)}` }] };
    }
  }

  #reference({ name, namespace }: KubernetesObject['metadata']): PolicyReference {
    return { kind: this.#kind, namespace, name };
  }
}

function isSame(known: Known, before: Known | undefined): boolean {
  return (
    known.uid === before?.uid &&
    known.generation === before?.generation &&
    known.problems.join('\n') === before?.problems.join('\n')
  );
}

function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}
