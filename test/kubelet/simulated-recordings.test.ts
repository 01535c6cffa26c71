import { describe, expect, it } from 'vitest';
import { objectMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { seededRandom } from './pods.ts';
import { byPod, podName, recording, type Batch, type PodEvent, type RecordedCase } from './recordings.ts';
import { recordedTruth } from './recorded-truth.ts';
import { simulatePod } from './simulated-pod.ts';
import type { PodHistory } from './status-history.ts';
import type { PodTruth } from './truth.ts';

const BATCHES = ['b1', 'g1', 'm3', 'same'] as const;
const SEEDS = [1, 2, 3];

/** What the simulation does not do. */
const NOT_SIMULATED = [
  // The scheduler binds simulated Pods; the recorded ones were created with a node.
  'fields: phase qosClass',
  'conditions: ',
  // A probe that is answered when the container ends.
  'Readiness probe failed: Get "http://<address>/r": http: server closed idle connection',
  // Protocols and redirects that no answer of the simulation has.
  'Readiness probe failed: Get "/r": stopped after 10 redirects',
  'Liveness probe failed: error: health rpc probe failed: rpc error: code = NotFound desc = unknown service',
  'Liveness probe failed: HTTP probe failed with statuscode: 400',
  'Liveness probe failed: Get "https://<address>/l": remote error: tls: certificate required',
  'malformed HTTP response "SSH-2.0-OpenSSH_9.7"',
  'malformed HTTP response "\\x00\\x00\\x06\\x04\\x00\\x00\\x00\\x00\\x00\\x00\\x05\\x00\\x00@\\x00"',
];
/** What the scheduler writes. */
const OF_THE_SCHEDULER = ['fields: conditions phase qosClass', 'conditions: PodScheduled'];

/** The recorded statuses and events of a Pod before it was deleted. */
function recordedOf(
  batch: Batch,
  name: string,
): { writes: readonly PodEvent[]; events: readonly JsonObject[]; end: number } {
  const { pods, events } = recordings(batch);
  const own = pods.get(name) ?? [];
  const deleted = own.find(({ del }) => del !== undefined)?.t ?? Infinity;
  return {
    writes: own.filter(({ t }) => t < deleted),
    end: Math.min(deleted, own.at(-1)?.t ?? NaN),
    events: (events.get(name) ?? []).filter(({ t }) => t < deleted).map(({ o }) => o),
  };
}

const cache = new Map<Batch, ReturnType<typeof read>>();
function read(batch: Batch) {
  const { cases, pods, events, restart } = recording(batch);
  return { cases, pods: byPod(pods), events: byPod(events), restart };
}
function recordings(batch: Batch): ReturnType<typeof read> {
  const known = cache.get(batch) ?? read(batch);
  cache.set(batch, known);
  return known;
}

function nameOf({ pod }: RecordedCase): string {
  return String((pod['metadata'] as JsonObject)['name']);
}

function simulated(batch: Batch, one: RecordedCase, seed: number, truth: Partial<PodTruth> = {}): PodHistory {
  const { writes, end } = recordedOf(batch, nameOf(one));
  const first = writes[0]?.t ?? NaN;
  return simulatePod({ ...recordedTruth(one, Math.round(first * 1000), end - first), ...truth }, seededRandom(seed));
}

/** What each container said of `started`, by restart count, without repetitions. */
function startedSequences(statuses: readonly JsonObject[]): Map<number, boolean[]> {
  const sequences = new Map<number, boolean[]>();
  for (const status of statuses)
    for (const one of (status['containerStatuses'] ?? []) as readonly JsonObject[]) {
      if (!('running' in (one['state'] as JsonObject))) continue;
      const known = sequences.get(Number(one['restartCount'])) ?? [];
      if (known.at(-1) !== one['started']) known.push(one['started'] === true);
      sequences.set(Number(one['restartCount']), known);
    }
  return sequences;
}

describe('the simulated kubelet, beside the recorded one', () => {
  const real = new Set<string>();
  const ours = new Set<string>();
  for (const batch of BATCHES)
    for (const one of recordings(batch).cases) {
      const { writes, events } = recordedOf(batch, nameOf(one));
      for (const event of events) if (event['reason'] !== 'MissingClusterDNS') real.add(maskedEvent(event));
      for (const { status = {} } of writes) for (const shape of statusShape(status)) real.add(shape);
      for (const seed of SEEDS) {
        // One run ends connections while the application stops, as some real kills do.
        const cut = { 1: 'refused', 2: 'closed', 3: 'reset' } as const;
        const truth = recordedTruth(one, 0, 0);
        const containers = Object.fromEntries(
          Object.entries(truth.containers ?? {}).map(([name, { starts }]) => [
            name,
            {
              starts: starts.map((start) =>
                start.whileStopping?.kind === 'ok' && seed > 1
                  ? { ...start, whileStopping: { kind: cut[seed as 2 | 3] } }
                  : start,
              ),
            },
          ]),
        );
        const history = simulated(batch, one, seed, { containers });
        for (const { event } of history.events) ours.add(maskedEvent(event));
        for (const { status } of history.writes) for (const shape of statusShape(status)) ours.add(shape);
      }
    }

  it('writes no event and no status that the real one did not write for these Pods', () => {
    const inKill = /Get "http:\/\/<address>\/l": (?:EOF|read tcp)/;
    expect([...ours].filter((one) => !real.has(one) && !OF_THE_SCHEDULER.includes(one) && !inKill.test(one))).toEqual(
      [],
    );
  });

  it('writes each event and each status that the real one wrote, but for the listed ones', () => {
    const missing = [...real].filter((one) => !ours.has(one));
    expect(missing.filter((one) => !NOT_SIMULATED.some((known) => one.endsWith(known)))).toEqual([]);
    // The list has nothing that the simulation can do, and the comparison is about many texts and shapes.
    expect(NOT_SIMULATED.filter((known) => !missing.some((one) => one.endsWith(known)))).toEqual([]);
    expect([...real].filter((one) => ours.has(one)).length).toBeGreaterThanOrEqual(70);
  });

  it.each([
    ['g1', 'g1-livekill', {}, [true, false]],
    ['g1', 'g2-crash', {}, [false, true]],
    ['g2gate', 'g1-livekill', { inheritsStarted: false }, [false, true]],
  ] as const)('says the same of `started` after a restart: %s, %s', (batch, tag, truth, begin) => {
    const cases = recordings(batch).cases.filter((one) => one.tag === tag);
    expect(cases.length).toBeGreaterThanOrEqual(6);
    for (const one of cases) {
      const { writes } = recordedOf(batch, nameOf(one));
      const sequence = startedSequences(writes.map(({ status = {} }) => status)).get(1) ?? [];
      expect(sequence.slice(0, 2)).toEqual(begin.slice(0, sequence.length));
      for (const seed of SEEDS) {
        const history = simulated(batch, one, seed, truth);
        const own = startedSequences(history.writes.map(({ status }) => status)).get(1) ?? [];
        expect(own.slice(0, 2)).toEqual(begin.slice(0, own.length));
        expect(own.length).toBeGreaterThan(0);
      }
    }
  });

  it('opens the gates of starting containers when the kubelet restarts, and kills those that fail', () => {
    const { cases, restart } = recordings('kr1');
    const starting = cases.filter(({ tag }) => /^(?:starting|never)-/.test(tag));
    expect(starting).toHaveLength(24);
    for (const one of starting) {
      const { writes } = recordedOf('kr1', nameOf(one));
      const stop = (restart?.stop ?? NaN) - (writes[0]?.t ?? NaN);
      const history = simulated('kr1', one, 1, { kubeletRestarts: [{ at: stop, keepsReady: true }] });
      const said = (statuses: readonly JsonObject[]): unknown => {
        const sequences = startedSequences(statuses);
        return [sequences.get(0), sequences.get(1)?.slice(0, 2)];
      };
      const expected = [[false, true], one.tag === 'starting-live' ? [true, false] : undefined];
      expect(said(writes.map(({ status = {} }) => status))).toEqual(expected);
      expect(said(history.writes.map(({ status }) => status))).toEqual(expected);
    }
  });

  it('gives the recorded grace period to a kill of a container with restartPolicy Never', () => {
    const { cases } = recordings('m3');
    const truths = byPod(recording('m3').truth);
    for (const tag of ['never-grace-l', 'never-grace-s', 'never-grace-two', 'onfail-grace-l']) {
      const own = cases.filter((one) => one.tag === tag);
      expect(own).toHaveLength(3);
      for (const one of own) {
        const seen = (truths.get(nameOf(one)) ?? []).filter(({ ctr }) => ctr === 'app');
        const at = (ev: string): number => seen.find((entry) => entry.ev === ev)?.t ?? NaN;
        const { starts, events } = simulated('m3', one, 1);
        const killing = events.find(({ event }) => event['reason'] === 'Killing')?.at ?? NaN;
        const ended = starts.find(({ container }) => container === 'app')?.endedAt ?? NaN;
        expect(Math.abs((ended - killing) / 1000 - (at('exit') - at('sigterm')))).toBeLessThan(0.2);
      }
    }
    expect([...new Set(recording('m3').pods.map(podName))].length).toBeGreaterThan(30);
  });
});

/** Type, reason and text of an Event, without names, addresses, ids and times. */
function maskedEvent(event: JsonObject): string {
  const { name, namespace, uid } = objectMember(event, 'involvedObject') ?? {};
  return [event['type'], event['reason'], maskedText(String(event['message']), { name, namespace, uid })].join(' | ');
}

function maskedText(text: string, { name, namespace, uid }: JsonObject): string {
  return (
    text
      .replaceAll(String(name), '<pod>')
      .replaceAll(`_${String(namespace)}(`, '_<namespace>(')
      .replaceAll(String(uid), '<uid>')
      .replace(/^\(combined from similar events\): /, '')
      .replace(/[0-9a-f]{64}/g, '<id>')
      .replace(/(?:127\.\d+|10\.244)\.\d+\.\d+(?::\d+)?/g, '<address>')
      .replace(/\b(?:\d+m)?\d+s\b/g, '<time>')
      // containerd has one word more than the recorded runtime.
      .replace(/: unknown$/, '')
  );
}

/** What a status has: its fields, the conditions in their order, and what each container says. No names, times or ids. */
function statusShape(status: JsonObject): string[] {
  const conditions = (status['conditions'] ?? []) as readonly JsonObject[];
  const containers = ['initContainerStatuses', 'containerStatuses'].flatMap(
    (list) => (status[list] ?? []) as readonly JsonObject[],
  );
  return [
    `fields: ${Object.keys(status).sort().join(' ')}`,
    `conditions: ${conditions.map(({ type }) => String(type)).join(' ')}`,
    ...conditions.map((one) => `condition ${Object.keys(one).sort().join(' ')}: ${valuesOf(one)}`),
    ...containers.map((one) => `container ${containerShape(one)}`),
  ];
}

function valuesOf({ type, status, reason }: JsonObject): string {
  return [type, status, reason ?? ''].map(String).join(' ').trim();
}

function containerShape(one: JsonObject): string {
  const said = `started=${String(one['started'])} ready=${String(one['ready'])}`;
  return `${Object.keys(one).sort().join(' ')}: ${stateShape(one, 'state')}; ${stateShape(one, 'lastState')}; ${said}`;
}

function stateShape(one: JsonObject, field: string): string {
  const [entry] = Object.entries((one[field] ?? {}) as Readonly<Record<string, JsonObject>>);
  if (entry === undefined) return 'nothing';
  const [kind, content] = entry;
  return `${kind}(${Object.keys(content).sort().join(' ')}${'reason' in content ? ` = ${String(content['reason'])}` : ''})`;
}
