import type { JsonObject } from '../../src/base/json/json-value.ts';

/** One write of an Event by the kubelet, at a true time in milliseconds. An update replaces the Event of the same name. */
export interface EventWrite {
  readonly at: number;
  readonly verb: 'create' | 'update';
  readonly event: JsonObject;
}

interface KnownEvent {
  readonly name: string;
  readonly firstTimestamp: string;
  count: number;
}

/** client-go tools/record/events_cache.go: 25 events of one source about one object at once, then one in 300 s. */
const BURST = 25;
const REFILL_MILLISECONDS = 300_000;
/** More than 10 events that differ in their message only, within 600 s, become one "combined" event. */
const SIMILAR = 10;
const SIMILAR_MILLISECONDS = 600_000;

/** Records events about one Pod as the kubelet's recorder does: equal ones are counted, similar ones combined, too many dropped. */
export class EventRecorder {
  readonly writes: EventWrite[] = [];
  /** Events that the spam filter dropped. */
  dropped = 0;
  readonly #pod: JsonObject;
  readonly #node: string;
  readonly #lag: () => number;
  readonly #known = new Map<string, KnownEvent>();
  readonly #similar = new Map<string, { messages: Set<string>; last: number }>();
  #tokens = BURST;
  #filledAt: number | undefined;

  /** @param lag milliseconds until an event is written; events keep their order */
  constructor(podMetadata: JsonObject, node: string, lag: () => number = () => 0) {
    this.#pod = podMetadata;
    this.#node = node;
    this.#lag = lag;
  }

  /** @param nodeNow the node's clock; events are dated by it */
  record(
    now: number,
    nodeNow: number,
    type: 'Normal' | 'Warning',
    reason: string,
    text: string,
    fieldPath?: string,
  ): void {
    const message = this.#combined(now, [type, reason, fieldPath].join('|'), text);
    if (!this.#admit(now)) {
      this.dropped += 1;
      return;
    }
    const key = [type, reason, message.startsWith('(combined') ? '(combined' : message, fieldPath].join('|');
    const timestamp = wholeSecond(nodeNow);
    const known = this.#known.get(key) ?? {
      name: `${String(this.#pod['name'])}.${(0x18a00000 + this.#known.size).toString(16)}`,
      firstTimestamp: timestamp,
      count: 0,
    };
    this.#known.set(key, known);
    known.count += 1;
    const { namespace, name, uid } = this.#pod;
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: known.name, namespace },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, ...(fieldPath && { fieldPath }) },
      reason,
      message,
      type,
      count: known.count,
      firstTimestamp: known.firstTimestamp,
      lastTimestamp: timestamp,
      source: { component: 'kubelet', host: this.#node },
      reportingComponent: 'kubelet',
      reportingInstance: this.#node,
    };
    const at = Math.max(now + this.#lag(), this.writes.at(-1)?.at ?? 0);
    this.writes.push({ at, verb: known.count === 1 ? 'create' : 'update', event });
  }

  #combined(now: number, group: string, message: string): string {
    const known = this.#similar.get(group);
    const similar =
      known !== undefined && now - known.last <= SIMILAR_MILLISECONDS
        ? known
        : { messages: new Set<string>(), last: now };
    similar.messages.add(message);
    similar.last = now;
    this.#similar.set(group, similar);
    return similar.messages.size < SIMILAR ? message : `(combined from similar events): ${message}`;
  }

  #admit(now: number): boolean {
    this.#tokens = Math.min(BURST, this.#tokens + (now - (this.#filledAt ?? now)) / REFILL_MILLISECONDS);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

/** A time as the API writes it: RFC 3339 in whole seconds, cut. */
export function wholeSecond(milliseconds: number): string {
  return `${new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}
