import { describe, expect, it } from 'vitest';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import {
  containerTimings,
  effectiveTimings,
  muteProbes,
  unknownTimes,
} from '../../../src/explain/timeline/container-timings.ts';
import { httpProbe } from '../../engine/checks/workload.ts';
import { pod } from '../../support/worlds.ts';
import type { Container } from '../../../src/engine/workload/pod.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ports = [
  { name: 'dns', containerPort: 53, protocol: 'UDP' },
  { name: 'http', containerPort: 8080 },
];

function nameIn(livenessProbe: JsonObject): string | undefined {
  const [container] = readPod(pod([{ name: 'app', ports, livenessProbe }]), POD_KIND).containers;
  return container && muteProbes(container).get('livenessProbe');
}

describe('the name of a port that no container declares', () =>
  it.each([
    [{ httpGet: { port: 'htpp' } }, 'htpp'],
    [{ tcpSocket: { port: 'htpp' } }, 'htpp'],
    [{ httpGet: { port: 'http' } }, undefined],
    [{ httpGet: { port: 'dns' } }, undefined],
    [{ httpGet: { port: 81 } }, undefined],
    [{ grpc: { port: 'x' } }, undefined],
    [{}, undefined],
  ])('in %j is %s', (probe, name) => expect(nameIn(probe)).toBe(name)));

/** The only container of a Pod with a grace period of 45 s. */
function containerOf(fields: JsonObject): Container {
  const spec = { terminationGracePeriodSeconds: 45 };
  const [container] = readPod(pod([{ name: 'app', ports, ...fields }], { spec }), POD_KIND).containers;
  if (container === undefined) throw new Error('no container');
  return container;
}

describe('the timings of a container', () => {
  it('have the numbers of each probe, and the grace period that counts', () => {
    const fields = {
      livenessProbe: httpProbe({ periodSeconds: 5, terminationGracePeriodSeconds: 7 }),
      startupProbe: httpProbe(),
      readinessProbe: httpProbe(),
    };
    const { livenessProbe, startupProbe, readinessProbe } = containerTimings(containerOf(fields));
    expect(livenessProbe).toMatchObject({ periodSeconds: 5, kill: { graceSeconds: 7, hasPreStop: false } });
    expect(startupProbe).toMatchObject({ periodSeconds: 10, kill: { graceSeconds: 45, hasPreStop: false } });
    expect(readinessProbe?.kill.hasPreStop).toBe(false);
    const hook = { ...fields, lifecycle: { preStop: { exec: { command: ['x'] } } } };
    const stopped = containerTimings(containerOf(hook));
    expect([stopped.livenessProbe?.kill.hasPreStop, stopped.readinessProbe?.kill.hasPreStop]).toEqual([true, true]);
  });

  it('are none of a probe that is no object', () =>
    expect(Object.keys(containerTimings(containerOf({ livenessProbe: 'x', readinessProbe: httpProbe() })))).toEqual([
      'readinessProbe',
    ]));

  it('have an effect only where the probes work, and none behind a startup probe that does not', () => {
    const timings = containerTimings(containerOf({ livenessProbe: httpProbe(), readinessProbe: httpProbe() }));
    expect(effectiveTimings(timings, [])).toEqual(timings);
    expect(Object.keys(effectiveTimings(timings, ['livenessProbe']))).toEqual(['readinessProbe']);
    expect(effectiveTimings(timings, ['livenessProbe', 'startupProbe'])).toEqual({});
  });
});

describe('what nobody can tell', () => {
  const all = { livenessProbe: httpProbe(), startupProbe: httpProbe(), readinessProbe: httpProbe() };
  const unknown = (fields: JsonObject, ...broken: Parameters<typeof unknownTimes>[1]): Record<string, string> =>
    Object.fromEntries(unknownTimes(containerTimings(containerOf(fields)), broken));
  const fault = (probe: keyof typeof all, check = 'a', hidesFailures = false) => ({ probe, check, hidesFailures });

  it('depends on the probe that decides', () => {
    const startup = 'its startupProbe cannot work (a)';
    expect(unknown(all, fault('startupProbe'))).toEqual({ starts: startup, hangs: startup, traffic: startup });
    expect(unknown(all, fault('livenessProbe'))).toEqual({ hangs: 'its livenessProbe cannot work (a)' });
    expect(unknown(all, fault('readinessProbe'))).toEqual({ traffic: 'its readinessProbe cannot work (a)' });
    expect(unknown(all)).toEqual({});
    expect(unknown(all, fault('readinessProbe'), fault('startupProbe'))['traffic']).toBe(startup);
  });

  it('is the start of a container without startup probe, by its liveness probe', () => {
    const liveness = 'its livenessProbe cannot work (a)';
    expect(unknown({ livenessProbe: httpProbe() }, fault('livenessProbe'))).toEqual({
      starts: liveness,
      hangs: liveness,
    });
    expect(unknown({ startupProbe: httpProbe() }, fault('startupProbe'))).not.toHaveProperty('hangs');
  });

  it('names each check once, and what hides failures only where all of them do', () => {
    const why = (...broken: Parameters<typeof unknownTimes>[1]): string | undefined => unknown(all, ...broken)['hangs'];
    expect(why(fault('livenessProbe', 'a'), fault('livenessProbe', 'b'), fault('livenessProbe', 'a'))).toBe(
      'its livenessProbe cannot work (a, b)',
    );
    expect(why(fault('livenessProbe', 'a', true), fault('livenessProbe', 'b', true))).toBe(
      'its livenessProbe hides failures (a, b)',
    );
    expect(why(fault('livenessProbe', 'a', true), fault('livenessProbe', 'b'))).toBe(
      'its livenessProbe cannot work (a, b)',
    );
  });
});
