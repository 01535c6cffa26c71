import { describe, expect, it } from 'vitest';
import {
  drainingAdvice,
  drainingFailures,
  drainRace,
  failuresBeyond,
  shortestPeriod,
} from '../../../../src/engine/checks/lib/drain-race.ts';
import { timedProbe, type Container, type TimedProbe } from '../../../../src/engine/workload/pod.ts';
import { httpProbe, podWith, workloadOf } from '../workload.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';

function containerWith(livenessProbe: JsonObject | undefined, readinessProbe?: JsonObject): Container {
  const [container] = workloadOf(podWith({ livenessProbe, readinessProbe })).pod.containers;
  if (container === undefined) throw new Error('a Pod has a container');
  return container;
}

function livenessOf(livenessProbe: JsonObject, readinessProbe?: JsonObject): TimedProbe {
  const probe = timedProbe(containerWith(livenessProbe, readinessProbe), 'livenessProbe');
  if (probe === undefined) throw new Error('the probe has numbers');
  return probe;
}

const command = (integers: JsonObject, ...words: readonly string[]): JsonObject => ({
  exec: { command: words },
  ...integers,
});

describe('a race between liveness and readiness', () => {
  /** Readiness gives up after 10 + 2 x 10 + 1 = 31 s at the latest. */
  const readiness = httpProbe({ periodSeconds: 10, failureThreshold: 3 });
  const raceAt = (failureThreshold: number, periodSeconds: number, path?: string): unknown => {
    const race = drainRace(containerWith(httpProbe({ periodSeconds, failureThreshold }, path), readiness));
    return race && [race.killedAfter, race.drainedAfter, race.sameEndpoint];
  };

  it('is where liveness may give up before readiness, or at the same time', () => {
    expect(raceAt(3, 10)).toEqual([20, 31, true]);
    expect(raceAt(2, 31)).toEqual([31, 31, true]);
    expect(raceAt(3, 10, '/other')).toEqual([20, 31, false]);
    expect(raceAt(2, 32)).toBeUndefined();
  });

  it('is not known with one probe, or with one that cannot be compared', () => {
    expect(drainRace(containerWith(httpProbe()))).toBeUndefined();
    expect(drainRace(containerWith(undefined, readiness))).toBeUndefined();
    const long = httpProbe({}, `/${'x'.repeat(5000)}`);
    expect(drainRace(containerWith(long, readiness))).toBeUndefined();
    expect(drainRace(containerWith(httpProbe(), long))).toBeUndefined();
  });

  it('ends with as many failures of liveness as readiness takes, if these are advice', () => {
    const failures = (own: JsonObject, ofReadiness: JsonObject): number | undefined =>
      drainingFailures(livenessOf(httpProbe(own), httpProbe(ofReadiness)));
    expect(failures({}, { periodSeconds: 10, failureThreshold: 3 })).toBe(5);
    expect(failures({}, { periodSeconds: 10, failureThreshold: 6 })).toBeUndefined();
    expect(failures({}, { periodSeconds: 29, failureThreshold: 2, timeoutSeconds: 1 })).toBe(7);
    expect(failures({ periodSeconds: 3 }, { periodSeconds: 10, failureThreshold: 3 })).toBeUndefined();
    expect(failures({ periodSeconds: 4 }, { periodSeconds: 10, failureThreshold: 3 })).toBe(9);
    const slow = { periodSeconds: 29, failureThreshold: 2, timeoutSeconds: 1 };
    expect(failures({ periodSeconds: 20, failureThreshold: 1 }, slow)).toBe(4);
    expect(failures({ periodSeconds: 25, failureThreshold: 1 }, slow)).toBeUndefined();
    expect(drainingFailures(livenessOf(httpProbe()))).toBeUndefined();
  });
});

describe('advice for liveness numbers', () => {
  const advice = (own: JsonObject, drainedAfter: number, leastStart = 0, ofReadiness?: JsonObject): unknown =>
    drainingAdvice(livenessOf(httpProbe(own), ofReadiness ?? httpProbe()), drainedAfter, leastStart).remedy;

  it('gives up later than readiness, and guarantees the start that other advice does', () => {
    expect(advice({}, 31)).toBe('write failureThreshold: 5');
    expect(advice({}, 31, 60)).toBe('write failureThreshold: 7');
  });

  it('is for readiness first where that takes more than 60 s', () => {
    expect(advice({}, 60)).toBe('write failureThreshold: 8');
    expect(advice({}, 61)).toBe('first let readiness stop the traffic within 60 s');
  });

  it('is for readiness where liveness has more than 10 failures', () => {
    expect(advice({ periodSeconds: 1, failureThreshold: 10 }, 31)).toBe('write periodSeconds: 5');
    const shorten = 'shorten periodSeconds or timeoutSeconds of the readinessProbe';
    expect(advice({ periodSeconds: 1, failureThreshold: 11 }, 31)).toBe(shorten);
  });

  it('shortens no period of a command that may act', () => {
    const acts = command({}, 'sh', '-c', 'rm -f /tmp/x');
    const own = { periodSeconds: 1, failureThreshold: 11 };
    expect(advice(own, 31, 0, acts)).toBe('shorten timeoutSeconds of the readinessProbe');
  });
});

describe('the shortest period that advice may give', () => {
  it.each<[string, number, JsonObject]>([
    ['is the timeout', 7, httpProbe({ periodSeconds: 20, timeoutSeconds: 7 })],
    ['is 1 s for HTTP', 1, httpProbe({ periodSeconds: 20 })],
    ['is the own one of a command that may act', 20, command({ periodSeconds: 20 }, 'sh', '-c', 'rm -f /tmp/x')],
  ])('%s: %d', (_, seconds, probe) => expect(shortestPeriod(livenessOf(probe))).toBe(seconds));
});

it('as many failures of a period give up after readiness and guarantee a start', () => {
  const failures = failuresBeyond(livenessOf(httpProbe({ initialDelaySeconds: 11 })), 30, 60);
  // From the drain: (F-1)*P > 30. From the start: 10 + (F-1)*P >= 60.
  expect([5, 10, 40].map(failures)).toEqual([11, 6, 3]);
  expect([10, 15].map(failuresBeyond(livenessOf(httpProbe()), 30, 0))).toEqual([5, 4]);
});
