import { objectMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { wholeSecond } from './event-recorder.ts';
import type { PodHistory } from './status-history.ts';

/** One event of a watch of Pods, at the true time at which the API server stored it. */
export interface PodWatchEvent {
  readonly at: number;
  readonly type: 'ADDED' | 'MODIFIED';
  readonly object: JsonObject;
}

/** The Pod as a watch tells it, from its creation on: once for each write. */
export function watchEventsOf(history: PodHistory): PodWatchEvent[] {
  const { truth, writes } = history;
  const created: PodWatchEvent = { at: truth.createdAt, type: 'ADDED', object: podAt(history, -1) };
  return [
    created,
    ...writes.map(({ at }, index): PodWatchEvent => ({ at, type: 'MODIFIED', object: podAt(history, index) })),
  ];
}

/** The Pod as a list tells it at a true time; undefined before its creation. */
export function podAsListed(history: PodHistory, at: number): JsonObject | undefined {
  if (at < history.truth.createdAt) return undefined;
  return podAt(history, history.writes.filter((write) => write.at <= at).length - 1);
}

/** The Pod after the write with this index; -1 = as created. */
function podAt({ truth, writes }: PodHistory, index: number): JsonObject {
  const done = writes.slice(0, index + 1);
  const isScheduled = done.length > 0;
  const spec = objectMember(truth.pod, 'spec');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    ...truth.pod,
    metadata: {
      ...objectMember(truth.pod, 'metadata'),
      creationTimestamp: wholeSecond(truth.createdAt),
      resourceVersion: String(1000 + index + 1),
    },
    spec: { ...spec, ...(isScheduled && { nodeName: truth.node ?? 'node-1' }) },
    status: done.at(-1)?.status ?? { phase: 'Pending', qosClass: 'BestEffort' },
  };
}
