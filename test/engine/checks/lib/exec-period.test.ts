import { describe, expect, it } from 'vitest';
import { leastExecPeriodSeconds } from '../../../../src/engine/checks/lib/exec-period.ts';
import { podWith, workloadOf } from '../workload.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';
import type { Probe } from '../../../../src/engine/workload/pod.ts';
import { PATIENT_TIMEOUT_SECONDS } from '../../../../src/engine/time/bounds.ts';

function probeOf(livenessProbe: JsonObject): Probe {
  const [probe] = workloadOf(podWith({ livenessProbe })).pod.containers[0]?.probes ?? [];
  if (probe === undefined) throw new Error('no probe');
  return probe;
}
const exec = (...command: readonly string[]): Probe => probeOf({ exec: { command } });

describe('the shortest period', () => {
  it('is 0 without a command', () => expect(leastExecPeriodSeconds(probeOf({ tcpSocket: { port: 1 } }), 60)).toBe(0));

  it('is that of a small program, and at least 30 s for a heavy client', () => {
    expect(leastExecPeriodSeconds(exec('pg_isready'))).toBe(5);
    expect(leastExecPeriodSeconds(exec('pg_isready'), 3)).toBe(3);
    expect(leastExecPeriodSeconds(exec('java'))).toBe(30);
    expect(leastExecPeriodSeconds(exec('java'), 29)).toBe(30);
    expect(leastExecPeriodSeconds(exec('java'), 31)).toBe(31);
  });

  it('of a small program is as long as its time to answer', () =>
    expect(leastExecPeriodSeconds(exec('pg_isready'))).toBe(PATIENT_TIMEOUT_SECONDS));
});
