import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, paths, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'grace-period';
const granting = (seconds: unknown): JsonObject => httpProbe({ terminationGracePeriodSeconds: seconds });

describe('grace-period', () => {
  it("says that the probe's value wins, and what to write", () =>
    expect(onlyFinding(ID, podWith({ livenessProbe: granting(120) }))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.terminationGracePeriodSeconds',
      message:
        'container "app" gets 120 s to end after its livenessProbe gave up, more than the Pod\'s 30 s, and the probe\'s value wins',
      remedy: 'remove terminationGracePeriodSeconds, or write 30 or less',
      edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'terminationGracePeriodSeconds'], value: null }],
    }));

  it("finds a second more than the Pod's, and accepts as much", () => {
    expect(findings(ID, podWith({ startupProbe: granting(31) }))).toHaveLength(1);
    expect(findings(ID, podWith({ startupProbe: granting(30) }))).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: granting(60) }, { terminationGracePeriodSeconds: 60 }))).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: granting(61) }, { terminationGracePeriodSeconds: 60 }))).toHaveLength(
      1,
    );
  });

  it('finds nothing where the kill ends the Pod, because the value of the probe is not used', () => {
    expect(findings(ID, podWith({ livenessProbe: granting(120) }, { restartPolicy: 'Never' }))).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: granting(120) }, { restartPolicy: 'OnFailure' }))).toHaveLength(1);
  });

  it('leaves the readiness probe, which may have none, to valid-probe', () =>
    expect(paths(ID, podWith({ readinessProbe: granting(120) }))).toEqual([]));

  it.each([null, 0, -1, '120'])('finds nothing in %j', (seconds) =>
    expect(findings(ID, podWith({ livenessProbe: granting(seconds) }))).toEqual([]),
  );
});
