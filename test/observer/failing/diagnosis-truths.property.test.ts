import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDefinite, type FailureCause } from '../../../src/observer/failing/causes.ts';
import { diagnose } from '../../../src/observer/failing/diagnosis.ts';
import { podHealth } from '../../../src/observer/failing/pod-health.ts';
import { readProbeEvent } from '../../../src/observer/failing/probe-events.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { podAsListed } from '../../kubelet/watch-events.ts';
import { runs } from '../../support/runs.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Answer, StartTruth } from '../../kubelet/truth.ts';

const createdAt = Date.parse('2026-11-20T10:00:00Z');
const http = { httpGet: { path: '/healthz', port: 8080 } };
const https = { httpGet: { path: '/healthz', port: 8443, scheme: 'HTTPS' } };
const grpc = { grpc: { port: 50051 } };
const tcp = { tcpSocket: { port: 5432 } };
const command = { exec: { command: ['curl', '-f', 'localhost'] } };
const status = (code: number): Answer => ({ kind: 'status', status: code });

/** What a probe gets, and the true cause. `isVoid`: the kubelet throws the result away, so that nothing is killed. */
const TROUBLES: readonly { probe: JsonObject; answer: Answer; cause: FailureCause; isVoid?: true }[] = [
  { probe: http, answer: status(400), cause: 'http-400' },
  { probe: http, answer: status(401), cause: 'http-401' },
  { probe: http, answer: status(403), cause: 'http-403' },
  { probe: http, answer: status(404), cause: 'http-404' },
  { probe: http, answer: status(410), cause: 'http-4xx' },
  { probe: http, answer: status(503), cause: 'http-5xx' },
  { probe: http, answer: { kind: 'refused' }, cause: 'connection-refused' },
  { probe: tcp, answer: { kind: 'refused' }, cause: 'connection-refused' },
  { probe: grpc, answer: { kind: 'refused' }, cause: 'connection-refused' },
  { probe: http, answer: { kind: 'hang' }, cause: 'timeout' },
  { probe: tcp, answer: { kind: 'hang' }, cause: 'connection-timeout' },
  { probe: grpc, answer: { kind: 'hang' }, cause: 'timeout' },
  { probe: command, answer: { kind: 'hang' }, cause: 'timeout' },
  { probe: https, answer: { kind: 'http-to-https' }, cause: 'tls-mismatch' },
  { probe: http, answer: { kind: 'https-to-http' }, cause: 'tls-mismatch' },
  { probe: command, answer: { kind: 'command-missing' }, cause: 'executable-not-found', isVoid: true },
  { probe: command, answer: { kind: 'exit', code: 22, output: 'curl: (22) 503' }, cause: 'command-failed' },
  {
    probe: command,
    answer: { kind: 'exit', code: 1, output: "cat: can't open '/r': No such file or directory\n" },
    cause: 'command-failed',
  },
  {
    probe: command,
    answer: { kind: 'exit', code: 127, output: 'sh: 1: curl: not found\n' },
    cause: 'executable-not-found',
  },
  { probe: grpc, answer: { kind: 'not-serving' }, cause: 'grpc-unhealthy' },
  { probe: grpc, answer: status(501), cause: 'grpc-unimplemented' },
];

/** The texts of kubelets: 1.36, before 1.33, Go before 1.14, Go before 1.9, and a combined event. */
const KUBELETS: readonly ((message: string) => string)[] = [
  (message) => message,
  (message) => message.replace(' probe errored and resulted in unknown state: ', ' probe errored: '),
  (message) =>
    message
      .replace(/Get "([^"]+)"/, 'Get $1')
      .replace('context deadline exceeded (Client.Timeout', 'net/http: request canceled (Client.Timeout')
      .replace(' probe errored and resulted in unknown state: ', ' probe errored: '),
  (message) => message.replace('connect: connection refused', 'getsockopt: connection refused'),
  (message) => (message.startsWith('Container ') ? message : `(combined from similar events): ${message}`),
];

const story = fc.record({
  trouble: fc.option(fc.constantFrom(...TROUBLES)),
  kind: fc.constantFrom('readinessProbe', 'startupProbe'),
});
const scene = fc.record({
  stories: fc.array(story, { minLength: 1, maxLength: 3 }),
  kubelet: fc.constantFrom(...KUBELETS),
  seconds: fc.integer({ min: 130, max: 260 }),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  /** The share of events that are lost, beside one for each container. */
  lost: fc.double({ min: 0, max: 1, noNaN: true }),
});
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never;

const nameOf = (index: number): string => `app${index}`;

/** What is told of the scene. The containers recover after `starts` bad starts, or after 60 s without a start. */
function told({ stories, kubelet, seconds, seed, lost }: Scene, recovers: boolean): string[] {
  const containers = stories.map(({ trouble, kind }, index) => ({
    name: nameOf(index),
    [kind]: trouble?.probe ?? http,
  }));
  const truths = stories.map(({ trouble, kind }, index): [string, { starts: StartTruth[] }] => {
    if (trouble === null) return [nameOf(index), { starts: [{}] }];
    const { answer } = trouble;
    const ends = kind === 'readinessProbe' || trouble.isVoid === true;
    const bad: StartTruth =
      recovers && ends
        ? { faults: [{ from: 0, until: 60, answer }] }
        : { answersFrom: Infinity, readyFrom: Infinity, before: answer };
    return [nameOf(index), { starts: recovers ? [bad, {}] : [bad] }];
  });
  const random = seededRandom(seed);
  const pod = podOf(containers);
  const history = simulatePod({ pod, createdAt, until: seconds, containers: Object.fromEntries(truths) }, random);
  const now = createdAt + seconds * 1000;
  const kept = new Set<unknown>();
  const hints = history.events.toReversed().flatMap(({ event }) => {
    const message = typeof event['message'] === 'string' ? kubelet(event['message']) : '';
    const hint = readProbeEvent({ ...event, message });
    if (hint === undefined) return [];
    const isFirst = hint.cause !== 'killed' && !kept.has(hint.container);
    if (!isFirst && random() < lost) return [];
    if (hint.cause !== 'killed') kept.add(hint.container);
    return [hint];
  });
  const health = podHealth(podAsListed(history, now) ?? {});
  if (health === undefined) return [];
  return diagnose(health, hints, now)
    .map(({ container, probe, cause }) => `${container} ${probe} ${cause}`)
    .sort();
}

describe('random Pods with random troubles, under kubelets of several versions that lose events', () => {
  it('are each told by their true cause, and by no other', () => {
    fc.assert(
      fc.property(scene, (each) => {
        const expected = each.stories.flatMap(({ trouble, kind }, index) => {
          if (trouble === null) return [];
          const { cause, isVoid } = trouble;
          const isKilled = kind === 'startupProbe' && isVoid !== true && !isDefinite(cause);
          const causes = isKilled ? [cause, 'killed-while-starting'] : [cause];
          return causes.map((one) => `${nameOf(index)} ${kind} ${one}`);
        });
        expect(told(each, false)).toStrictEqual(expected.sort());
      }),
      { numRuns: runs(400) },
    );
  });

  it('lose the finding when they recover', () => {
    fc.assert(
      fc.property(scene, (each) => {
        expect(told(each, true)).toStrictEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });
});
