import { describe, expect, it } from 'vitest';
import { readProbeEvent } from '../../../src/observer/failing/probe-events.ts';
import { diagnose, type Failure } from '../../../src/observer/failing/diagnosis.ts';
import { podHealth } from '../../../src/observer/failing/pod-health.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { podAsListed } from '../../kubelet/watch-events.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { StartTruth } from '../../kubelet/truth.ts';

const createdAt = Date.parse('2026-11-20T10:00:00Z');

interface Case {
  readonly container: JsonObject;
  readonly metadata?: JsonObject;
  readonly starts: readonly StartTruth[];
  /** How long after the creation the observer tells. */
  readonly seconds?: number;
  /** The events that the kubelet drops, by their causes. */
  readonly lost?: 'all' | readonly string[];
}

function diagnosed({ container, metadata, starts, seconds = 120, lost = [] }: Case): readonly Failure[] {
  const pod = podOf([{ name: 'app', ...container }], {}, metadata);
  const truth = { pod, createdAt, until: seconds, containers: { app: { starts } } };
  const history = simulatePod(truth, seededRandom(5));
  const now = createdAt + seconds * 1000;
  const health = podHealth(podAsListed(history, now) ?? {});
  const hints = history.events
    .flatMap(({ event }) => readProbeEvent(event) ?? [])
    .filter(({ cause }) => lost !== 'all' && !lost.includes(cause));
  return health === undefined ? [] : diagnose(health, hints, now);
}

describe('a simulated Pod', () =>
  describeCases('test/fixtures/failing/diagnosis.yaml', ['told'], (given) => ({
    told: diagnosed(given as unknown as Case).map(({ probe, cause }) => `${probe} ${cause}`),
  })));

it.each([
  [503, 'http-5xx', 503],
  [404, 'http-404', undefined],
])('a failure with the status %i is %s, and has the status %s beside its name', (status, cause, told) => {
  const starts = [{ faults: [{ from: 0, until: Infinity, answer: { kind: 'status', status } as const }] }];
  const [failure] = diagnosed({ container: { readinessProbe: { httpGet: { path: '/', port: 80 } } }, starts });
  expect([failure?.cause, failure?.facts?.status]).toEqual([cause, told]);
});
