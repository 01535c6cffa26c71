import { describe, expect, it } from 'vitest';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import {
  hasMeshProbe,
  hasProbe,
  isProbeObject,
  isTimed,
  killOf,
  mayAct,
  mayHaveProbes,
  probeOf,
  startGateOf,
  timedProbe,
  writtenProbe,
} from '../../../src/engine/workload/pod.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Container, Probe } from '../../../src/engine/workload/pod.ts';

function containerOf(members: JsonObject): Container {
  const [container] = readPod({ spec: { containers: [{ name: 'app', ...members }] } }, POD_KIND).containers;
  if (container === undefined) throw new Error('no container');
  return container;
}

const http = { httpGet: { path: '/live', port: 8080 } };
const exec = (...command: readonly string[]): JsonObject => ({ exec: { command } });

describe('a probe of a container', () => {
  const container = containerOf({
    livenessProbe: 'text',
    readinessProbe: { ...http, periodSeconds: 'ten' },
    startupProbe: { ...http, ...exec('true') },
  });

  it('is there with any value but null', () => {
    expect(hasProbe(container, 'livenessProbe')).toBe(true);
    expect(hasProbe(container, 'startupProbe')).toBe(true);
    expect(hasProbe(containerOf({ livenessProbe: null, readinessProbe: http }), 'livenessProbe')).toBe(false);
    expect(hasProbe(containerOf({}), 'livenessProbe')).toBe(false);
  });

  it('is written as it must be where its value is an object', () => {
    expect(container.written.map(isProbeObject)).toEqual([false, true, true]);
    expect(writtenProbe(container, 'livenessProbe')).toBeUndefined();
    expect(writtenProbe(container, 'readinessProbe')?.written).toEqual({ ...http, periodSeconds: 'ten' });
    expect(writtenProbe(container, 'startupProbe')?.kind).toBe('startupProbe');
    expect(writtenProbe(containerOf({}), 'startupProbe')).toBeUndefined();
  });

  it('may be judged with one handler, and is timed with numbers that are counts', () => {
    expect(probeOf(container, 'livenessProbe')).toBeUndefined();
    expect(probeOf(container, 'readinessProbe')?.kind).toBe('readinessProbe');
    expect(probeOf(container, 'startupProbe')).toBeUndefined();
    expect(container.probes.map(isTimed)).toEqual([false]);
    expect(timedProbe(container, 'readinessProbe')).toBeUndefined();
    expect(timedProbe(container, 'livenessProbe')).toBeUndefined();
    const both = containerOf({ livenessProbe: http, readinessProbe: { ...http, periodSeconds: 3 } });
    expect(both.probes.map(isTimed)).toEqual([true, true]);
    expect(timedProbe(both, 'readinessProbe')?.timing.periodSeconds).toBe(3);
    expect(timedProbe(both, 'livenessProbe')?.timing.periodSeconds).toBe(10);
  });

  it('may act with a command that is not known to ask only', () => {
    const acts = (livenessProbe: JsonObject): boolean[] => containerOf({ livenessProbe }).probes.map(mayAct);
    expect(acts(exec('rm', '-rf', '/data'))).toEqual([true]);
    expect(acts(exec('cat', '/tmp/healthy'))).toEqual([false]);
    expect(acts(http)).toEqual([false]);
  });

  it('gates the start as a startup probe, even a malformed one, else as a liveness probe', () => {
    expect(startGateOf(container)).toBe('startupProbe');
    expect(startGateOf(containerOf({ startupProbe: 'text' }))).toBe('startupProbe');
    expect(startGateOf(containerOf({ livenessProbe: http }))).toBe('livenessProbe');
    expect(startGateOf(containerOf({}))).toBe('livenessProbe');
  });

  it('is of a mesh where one of the probes is', () => {
    const written = (...areOfMesh: readonly boolean[]): Pick<Container, 'written'> => ({
      written: areOfMesh.map((isOfMesh) => ({ ...(container.written[0] as Probe), isOfMesh })),
    });
    expect([[], [false], [true], [false, true]].map((each) => hasMeshProbe(written(...each)))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

it.each([
  ['application', true],
  ['sidecar', true],
  ['init', false],
  ['mesh', false],
  ['ephemeral', false],
] as const)('a container of the role %s may have probes: %s', (role, expected) =>
  expect(mayHaveProbes({ role })).toBe(expected),
);

describe('a kill by a probe', () => {
  const kill = (own: number | 'absent' | undefined, ofPod: number | undefined, killEndsPod = false): unknown =>
    killOf({ graceSeconds: own, container: { killEndsPod, hasPreStop: true, pod: { graceSeconds: ofPod } } });
  const hasPreStop = true;

  it("has the probe's own grace period, else the Pod's", () => {
    expect(kill(90, 30)).toEqual({ graceSeconds: 90, hasPreStop });
    expect(kill('absent', 30)).toEqual({ graceSeconds: 30, hasPreStop });
    expect(kill(0, undefined)).toEqual({ graceSeconds: 0, hasPreStop });
  });

  it("has the Pod's grace period where it ends the Pod", () =>
    expect(kill(90, 30, true)).toEqual({ graceSeconds: 30, hasPreStop }));

  it('is unknown where the grace period that counts is malformed', () => {
    expect(kill(undefined, 30)).toBeUndefined();
    expect(kill('absent', undefined)).toBeUndefined();
    expect(kill(90, undefined, true)).toBeUndefined();
    expect(kill(undefined, 30, true)).toEqual({ graceSeconds: 30, hasPreStop });
  });
});
