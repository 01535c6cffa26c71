import { NamespaceShares } from '../namespace-shares.ts';
import { textAt } from '../../base/json/field-path.ts';
import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { ownCopy } from '../../base/text/utf8.ts';
import { spokenWords } from './pod-waits.ts';
import { containerOfEvent, eventTimes, PROBE_WARNINGS } from './probe-events.ts';

/** A Warning event of the kubelet or of a controller that is not about a probe. */
export interface Warning {
  readonly namespace: string;
  readonly kind: string;
  /** Of the object that the event is about. */
  readonly name: string;
  /** Undefined for an event about the whole object. */
  readonly container: string | undefined;
  readonly reason: string;
  readonly words: string;
  /** When it was seen last, in milliseconds since the epoch; 0 = unknown. */
  readonly at: number;
}

const MOST_NAME = 253;
const REASON = /^[A-Za-z]{1,63}$/;
/** The status tells these in the same words, and for as long as they are true. */
const IN_STATUS: readonly unknown[] = ['BackOff', 'FailedScheduling'];

/** Reads a v1 Event of type Warning; undefined when the event is about a probe, or about no object of a namespace. */
export function readWarning(event: JsonObject): Warning | undefined {
  const [reason, words] = [stringMember(event, 'reason') ?? '', spokenWords(stringMember(event, 'message'))];
  const [kind, name] = [textAt(event, 'involvedObject', 'kind'), textAt(event, 'involvedObject', 'name')];
  const namespace = textAt(event, 'metadata', 'namespace');
  if (namespace === undefined || kind === undefined || name === undefined || words === undefined) return undefined;
  if (stringMember(event, 'type') !== 'Warning' || !REASON.test(reason) || !REASON.test(kind)) return undefined;
  if (name.length > MOST_NAME || PROBE_WARNINGS.includes(reason) || IN_STATUS.includes(reason)) return undefined;
  return {
    namespace,
    kind: ownCopy(kind),
    name: ownCopy(name),
    container: containerOfEvent(event),
    reason: ownCopy(reason),
    words,
    at: eventTimes(event).at(-1) ?? 0,
  };
}

/** At most so many objects have warnings, and each has its last ones: some 3 KiB each. */
const MOST_OBJECTS = 10_000;
const MOST_OF_OBJECT = 6;
/** The API server keeps events for an hour. */
const KEPT_MILLISECONDS = 3_600_000;

/** The warnings of the last hour. An event counts for objects of its own namespace only: tenants write events. */
export class Warnings {
  readonly #objects = new NamespaceShares<readonly (Warning & { readonly receivedAt: number })[]>(MOST_OBJECTS);
  /** By the workload that may have made their object. Built for the first question after a change. */
  #byMaker: ReadonlyMap<string, readonly Warning[]> | undefined;

  add(warning: Warning, receivedAt: number): void {
    this.#byMaker = undefined;
    const key = `${warning.kind}/${warning.name}`;
    const others = (this.#objects.get(warning.namespace, key) ?? []).filter(
      ({ reason, container }) => reason !== warning.reason || container !== warning.container,
    );
    this.#objects.delete(warning.namespace, key);
    this.#objects.set(warning.namespace, key, [...others, { ...warning, receivedAt }].slice(-MOST_OF_OBJECT));
  }

  /** The warnings about an object, the latest first. */
  of(namespace: string, kind: string, name: string): readonly Warning[] {
    return (this.#objects.get(namespace, `${kind}/${name}`) ?? []).toSorted((one, other) => other.at - one.at);
  }

  /** The warnings about objects of a kind that a workload has made, and about itself, the latest first. */
  ofMade(namespace: string, kind: string, name: string, made: string | undefined): readonly Warning[] {
    const own = this.of(namespace, kind, name);
    if (made === undefined) return own;
    this.#byMaker ??= Map.groupBy([...this.#objects.values()].flat(), makerOf);
    const ofMade = this.#byMaker.get(makerOf({ namespace, kind: made, name: `${name}-` })) ?? [];
    return [...own, ...ofMade].toSorted((one, other) => other.at - one.at);
  }

  forgetOld(now: number): void {
    this.#byMaker = undefined;
    for (const [namespace, key, warnings] of this.#objects.entries()) {
      const kept = warnings.filter(({ receivedAt }) => now - receivedAt <= KEPT_MILLISECONDS);
      if (kept.length === 0) this.#objects.delete(namespace, key);
      else if (kept.length < warnings.length) this.#objects.set(namespace, key, kept);
    }
  }
}

/** The name of a ReplicaSet or a Job is that of its maker, and one word more. */
function makerOf({ namespace, kind, name }: Pick<Warning, 'namespace' | 'kind' | 'name'>): string {
  return `${namespace}/${kind}/${name.slice(0, Math.max(0, name.lastIndexOf('-')))}`;
}
