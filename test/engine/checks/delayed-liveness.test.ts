import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { parse } from 'yaml';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'delayed-liveness';
const liveness = (integers: JsonObject): JsonObject => podWith({ livenessProbe: httpProbe(integers) });

/** The startup probe that a message says to write, read back. */
function probeIn(remedy = ''): unknown {
  const yaml = /write (startupProbe: \{.*\}) \(/.exec(remedy)?.[1];
  return (parse(yaml ?? '') as JsonObject)['startupProbe'];
}

describe('delayed-liveness', () => {
  it('prints the startup probe to write, with the same guaranteed budget', () => {
    // 59 + 2*10 = 79 s are guaranteed today; 16*5 = 80 s are the least that a period of 5 s reaches.
    expect(onlyFinding(ID, liveness({ initialDelaySeconds: 60 }))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.initialDelaySeconds',
      message: 'container "app" is not watched for 60 s after every start',
      remedy:
        'remove initialDelaySeconds and write ' +
        'startupProbe: { httpGet: { path: /live, port: http }, periodSeconds: 5, failureThreshold: 17 } (guarantees 80 s to start)',
      edits: [
        { path: ['spec', 'containers', 0, 'livenessProbe', 'initialDelaySeconds'], value: null },
        {
          path: ['spec', 'containers', 0, 'startupProbe'],
          value: { httpGet: { path: '/live', port: 'http' }, periodSeconds: 5, failureThreshold: 17 },
        },
      ],
      copied: {
        probe: 'livenessProbe',
        otherwise: 'first correct the handler of the livenessProbe, then write a startupProbe with the same handler',
      },
    });
  });

  it('finds a delay of 30 s and accepts 29 s', () => {
    expect(findings(ID, liveness({ initialDelaySeconds: 30 }))).toHaveLength(1);
    expect(findings(ID, liveness({ initialDelaySeconds: 29 }))).toEqual([]);
  });

  it('is a note below 60 s, and a warning from 60 s', () => {
    expect(onlyFinding(ID, liveness({ initialDelaySeconds: 59 })).level).toBe('Audit');
    expect(onlyFinding(ID, liveness({ initialDelaySeconds: 60 })).level).toBeUndefined();
    expect(onlyFinding(ID, liveness({ failureThreshold: 12 })).level).toBeUndefined();
  });

  it('is a note beside a readiness probe that asks the same endpoint early', () => {
    const level = (readinessProbe: JsonObject, integers: JsonObject = { initialDelaySeconds: 60 }): unknown =>
      onlyFinding(ID, podWith({ livenessProbe: httpProbe(integers), readinessProbe })).level;
    expect(level(httpProbe())).toBe('Audit');
    expect(level(httpProbe(), { failureThreshold: 12 })).toBe('Audit');
    expect(level(httpProbe({ initialDelaySeconds: 59 }))).toBe('Audit');
    expect(level(httpProbe({ initialDelaySeconds: 60 }))).toBeUndefined();
    expect(level(httpProbe({}, '/ready'))).toBeUndefined();
  });

  it('closes the gate of a restart: the period is at most the time that liveness alone gives a start', () => {
    // (3-1)*1 = 2 s of liveness, so 2 s and not 5 s.
    const { edits } = onlyFinding(ID, liveness({ initialDelaySeconds: 60, periodSeconds: 1 }));
    expect(edits?.at(-1)?.value).toMatchObject({ periodSeconds: 2, failureThreshold: 32 });
  });

  it('gives no numbers where no round ones guarantee the time', () => {
    const { remedy, edits } = onlyFinding(ID, liveness({ initialDelaySeconds: 3600 }));
    expect(remedy).toBe('guard the start with a startupProbe that allows 3600 s');
    expect(edits).toBeUndefined();
  });

  it('finds a tolerance of 120 s with more than 10 failures, and accepts either below', () => {
    expect(onlyFinding(ID, liveness({ failureThreshold: 12 })).path).toMatch(/failureThreshold$/);
    expect(findings(ID, liveness({ failureThreshold: 11, periodSeconds: 11 }))).toHaveLength(1);
    expect(findings(ID, liveness({ failureThreshold: 10, periodSeconds: 60 }))).toEqual([]);
    expect(findings(ID, liveness({ failureThreshold: 119, periodSeconds: 1 }))).toEqual([]);
    expect(findings(ID, liveness({ failureThreshold: 120, periodSeconds: 1 }))).toHaveLength(1);
  });

  it('says how long the container may hang', () => {
    const { message, remedy } = onlyFinding(ID, liveness({ failureThreshold: 30 }));
    expect(message).toBe(
      'container "app" may hang for 300 s (30 failures, one every 10 s) at any time before it is restarted',
    );
    // 29*10 = 290 s are guaranteed today, and (59-1)*5 = 290 s by the startup probe.
    expect(remedy).toMatch(
      /^write startupProbe: .*periodSeconds: 5, failureThreshold: 59 \} \(guarantees 290 s to start\)$/,
    );
  });

  it('suggests at most 60 failures, and a longer period instead', () => {
    // 899 + 2*10 = 919 s; 59*15 = 885 s is less, so the period is 20 s, and 46*20 = 920 s.
    const { edits } = onlyFinding(ID, liveness({ initialDelaySeconds: 900 }));
    expect(edits?.at(-1)?.value).toMatchObject({ periodSeconds: 20, failureThreshold: 47 });
  });

  it('suggests as many failures as the author allows', () => {
    // (50-1)*3 = 147 s; 31 failures of 5 s would be enough.
    const { edits } = onlyFinding(ID, liveness({ failureThreshold: 50, periodSeconds: 3 }));
    expect(edits?.at(-1)?.value).toMatchObject({ periodSeconds: 5, failureThreshold: 50 });
  });

  it("leaves out a grace period that is longer than the Pod's", () => {
    const { edits } = onlyFinding(ID, liveness({ initialDelaySeconds: 60, terminationGracePeriodSeconds: 31 }));
    expect(edits?.at(-1)?.value).not.toHaveProperty('terminationGracePeriodSeconds');
  });

  it('has nothing to say beside a startup probe', () =>
    expect(
      findings(ID, podWith({ startupProbe: httpProbe(), livenessProbe: httpProbe({ initialDelaySeconds: 60 }) })),
    ).toEqual([]));

  it('obeys seconds and toleranceSeconds', () => {
    expect(findings(ID, liveness({ initialDelaySeconds: 60 }), { seconds: 61 })).toEqual([]);
    expect(findings(ID, liveness({ initialDelaySeconds: 5 }), { seconds: 5 })).toHaveLength(1);
    expect(findings(ID, liveness({ failureThreshold: 12 }), { toleranceSeconds: 121 })).toEqual([]);
  });

  it.each(cases('delayed-liveness', 'copied probes') as [string, JsonObject, JsonObject][])(
    'copies %s',
    (_name, probe, copied) => {
      const { remedy } = onlyFinding(ID, podWith({ livenessProbe: { ...probe, initialDelaySeconds: 31 } }));
      // 30 + 2*10 = 50 s
      expect(probeIn(remedy)).toEqual({ periodSeconds: 5, failureThreshold: 11, ...copied });
    },
  );
});
