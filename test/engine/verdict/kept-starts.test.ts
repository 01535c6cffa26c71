import { describe, expect, it } from 'vitest';
import { keepsStarts, mayAskForTime } from '../../../src/engine/verdict/kept-starts.ts';
import { KNOWN_KINDS, workloadKindOfManifest } from '../../../src/engine/workload/kinds.ts';
import { httpProbe, podWith } from '../checks/workload.ts';
import type { FieldEdit } from '../../../src/base/json/field-path.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const edit = (value: unknown, ...field: readonly string[]): FieldEdit => ({
  path: ['spec', 'containers', 0, ...field],
  value,
});

/** Whether the edits of a Pod with these probes keep its starts. */
function keeps(probes: JsonObject, edits: readonly FieldEdit[], mayLast = false, now: JsonObject = probes): boolean {
  const [first, earlier] = [podWith(probes), podWith(now)];
  const kind = workloadKindOfManifest(first, KNOWN_KINDS);
  if (kind === undefined) throw new Error('a Pod has a kind');
  return keepsStarts(first, earlier, edits, kind, (container) => mayLast && container === 'app');
}

describe('edits keep the starts of an object', () => {
  /** Refused at once, a failed start ends after 110 s, and a hanging one after 111 s. */
  const startupProbe = httpProbe({ periodSeconds: 10, failureThreshold: 11 });

  it('when a failed start ends at most a tenth later', () => {
    const failures = (value: number): FieldEdit[] => [edit(value, 'startupProbe', 'failureThreshold')];
    expect([10, 11, 12, 13].map((value) => keeps({ startupProbe }, failures(value)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('when several of them together do, beside what earlier edits did', () => {
    const now = { startupProbe: { ...startupProbe, failureThreshold: 12 } };
    const later = [edit(5, 'startupProbe', 'initialDelaySeconds')];
    expect(keeps({ startupProbe }, later)).toBe(true);
    expect(keeps({ startupProbe }, later, false, now)).toBe(false);
  });

  it('when a check asks for more time for this container', () => {
    const edits = [edit(60, 'startupProbe', 'failureThreshold')];
    expect(keeps({ startupProbe }, edits, false)).toBe(false);
    expect(keeps({ startupProbe }, edits, true)).toBe(true);
  });

  it('when the startup probe takes over from the liveness probe, and ends a start as soon', () => {
    const livenessProbe = httpProbe({ periodSeconds: 10, failureThreshold: 11 });
    const withStartup = (failureThreshold: number): FieldEdit[] => [
      edit({ ...startupProbe, failureThreshold }, 'startupProbe'),
    ];
    expect(keeps({ livenessProbe }, withStartup(11))).toBe(true);
    expect(keeps({ livenessProbe }, withStartup(30))).toBe(false);
  });

  it('when nothing ended a start before, or ends it afterwards', () => {
    expect(keeps({ readinessProbe: httpProbe() }, [edit(startupProbe, 'startupProbe')])).toBe(true);
    const removed: FieldEdit = { path: ['spec', 'containers', 0, 'startupProbe'], value: undefined };
    expect(keeps({ startupProbe }, [removed])).toBe(true);
  });

  it('when Ready comes at most 5 s later, also for a container that may last', () => {
    const readinessProbe = httpProbe({ periodSeconds: 10 });
    const period = (value: number): FieldEdit[] => [edit(value, 'readinessProbe', 'periodSeconds')];
    expect([5, 15, 16].map((value) => keeps({ readinessProbe }, period(value)))).toEqual([true, true, false]);
    expect(keeps({ readinessProbe }, period(16), true)).toBe(false);
  });

  it('when no probe told before that the container is ready', () => {
    expect(keeps({}, [edit(httpProbe({ periodSeconds: 60 }), 'readinessProbe')])).toBe(true);
  });
});

it('more time to start is asked for by checks of starts, and by those that a policy turns on', () => {
  const asked = ['startup-budget', 'observed-startup', 'probe-bounds', 'exec-forbidden'];
  const others = ['slow-detection', 'valid-probe', 'no-such-check'];
  expect(asked.map(mayAskForTime)).toEqual([true, true, true, true]);
  expect(others.map(mayAskForTime)).toEqual([false, false, false]);
});
