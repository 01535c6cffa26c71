import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { withEdits } from '../../../src/base/json/field-path.ts';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'restart-gate';

/** A probe by its letters: D, P, T, F; zero and missing ones are the API server's defaults. */
const probe = ([D, P, T, F]: readonly (number | undefined)[], more: JsonObject = {}): JsonObject =>
  httpProbe({ initialDelaySeconds: D, periodSeconds: P, timeoutSeconds: T, failureThreshold: F, ...more });

const podOf = (startup: readonly (number | undefined)[], liveness: readonly (number | undefined)[]): JsonObject =>
  podWith({ startupProbe: probe(startup), livenessProbe: probe(liveness) });

describe('restart-gate', () => {
  it('says when the container may be killed again, and what to write', () =>
    expect(onlyFinding(ID, podOf([0, 10, 1, 5], [0, 1, 1, 2]))).toEqual({
      probe: 'startupProbe',
      path: 'spec.containers[0].startupProbe.periodSeconds',
      message:
        'container "app": after a liveness kill, Kubernetes 1.35 to 1.37 may kill it 1 s after the restart ' +
        '(kubernetes/kubernetes#141155)',
      remedy: 'write periodSeconds: 1 and failureThreshold: 41 in the startupProbe',
      edits: [
        { path: ['spec', 'containers', 0, 'startupProbe', 'periodSeconds'], value: 1 },
        { path: ['spec', 'containers', 0, 'startupProbe', 'failureThreshold'], value: 41 },
      ],
    }));

  // The patience of liveness is max(0, D-1) + (F-1)*P. The figures are those of the recorded batch g1.
  it.each(cases('restart-gate', 'patience') as [string, readonly number[], readonly number[], number?][])(
    '%s',
    (_name, startup, liveness, seconds) => {
      const [found] = findings(ID, podOf(startup, liveness));
      expect(found?.message.match(/kill it (\d+) s after the restart/)?.[1]).toBe(seconds?.toString());
    },
  );

  it('needs both probes, with numbers that can be read', () => {
    const both = { startupProbe: probe([0, 10, 1, 5]), livenessProbe: probe([0, 1, 1, 2]) };
    expect(findings(ID, podWith(both))).toHaveLength(1);
    expect(findings(ID, podWith({ startupProbe: both.startupProbe }))).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: both.livenessProbe }))).toEqual([]);
    expect(findings(ID, podWith({ ...both, livenessProbe: httpProbe({ failureThreshold: '2' }) }))).toEqual([]);
  });

  it('has at most 200 characters, with the longest name and number that the API server accepts', () => {
    const most = 2 ** 31 - 1;
    const container = { startupProbe: probe([0, most, 1, 3]), livenessProbe: probe([0, most - 1, 1, 2]) };
    const { message } = onlyFinding(ID, podWith({ ...container, name: 'a'.repeat(63) }));
    expect(message).toContain(`kill it ${most - 1} s after`);
    expect(message.length).toBeLessThanOrEqual(200);
  });

  it('skips a probe that never has a result, because its port name is undeclared', () => {
    const mute = { httpGet: { path: '/', port: 'nope' }, periodSeconds: 1, failureThreshold: 2 };
    expect(findings(ID, podWith({ startupProbe: probe([0, 10, 1, 5]), livenessProbe: mute }))).toEqual([]);
    expect(findings(ID, podWith({ startupProbe: mute, livenessProbe: probe([0, 1, 1, 1]) }))).toEqual([]);
  });

  it('skips a container that nothing restarts', () => {
    const both = { startupProbe: probe([0, 10, 1, 5]), livenessProbe: probe([0, 1, 1, 2]) };
    expect(findings(ID, podWith(both, { restartPolicy: 'OnFailure' }))).toHaveLength(1);
    expect(findings(ID, podWith(both, { restartPolicy: 'Never' }))).toEqual([]);
    expect(findings(ID, podWith({ ...both, restartPolicy: 'Never' }))).toEqual([]);
  });

  describe('advice', () => {
    it.each(cases('restart-gate', 'advice') as [string, number[], number[], string][])(
      '%s',
      (_name, startup, liveness, remedy) => {
        const manifest = podOf(startup, liveness);
        const found = onlyFinding(ID, manifest);
        expect(found.remedy).toBe(`write ${remedy}`);
        expect(findings(ID, withEdits(manifest, found.edits ?? []))).toEqual([]);
      },
    );

    it('is only text where liveness would need more than 10 failures, or more than 120 s', () => {
      const remedy = expect.stringMatching(/^shorten periodSeconds of the startupProbe, or let/) as string;
      const tooMany = onlyFinding(ID, podOf([0, 60, 1, 60], [0, 1, 1, 2]));
      expect(tooMany).toMatchObject({ remedy });
      expect(tooMany).not.toHaveProperty('edits');
      const tooLate = onlyFinding(ID, podOf([0, 60, 1, 60], [0, 40, 10, 2]));
      expect(tooLate).toMatchObject({ remedy });
      expect(tooLate).not.toHaveProperty('edits');
    });

    it('leaves a period of 5 s to a command', () => {
      const exec = { exec: { command: ['/bin/healthy'] }, timeoutSeconds: 5, failureThreshold: 5 };
      const { remedy } = onlyFinding(ID, podWith({ startupProbe: exec, livenessProbe: probe([0, 2, 1, 2]) }));
      expect(remedy).toBe('write failureThreshold: 6 in the livenessProbe');
    });
  });
});
