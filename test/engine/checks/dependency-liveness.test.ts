import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import { cases } from '../../support/cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'dependency-liveness';
const asking = (path: string): JsonObject => podWith({ livenessProbe: httpProbe({}, path) });

describe('dependency-liveness', () => {
  it('says what an outage does and which path answers for the process alone', () =>
    expect(onlyFinding(ID, asking('/actuator/health'))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.httpGet.path',
      message:
        'container "app" asks "/actuator/health" for liveness: the name suggests a readiness or aggregate endpoint, ' +
        'and the outage of a dependency then restarts every replica',
      remedy: 'write path: /actuator/health/liveness',
    }));

  it.each(cases('dependency-liveness', 'finds') as [string, string][])('finds %s', (path, remedy) => {
    const found = onlyFinding(ID, asking(path));
    expect(found.remedy).toBe(remedy);
    expect(found.edits).toBeUndefined();
  });

  it.each(['/actuator/health/liveness', '/healthcheck/live', '/livez', '/health', '/ready/now', '/already', '/?ready'])(
    'accepts %s',
    (path) => expect(findings(ID, asking(path))).toEqual([]),
  );

  it('is about liveness and httpGet only', () => {
    expect(
      findings(ID, podWith({ readinessProbe: httpProbe({}, '/ready'), startupProbe: httpProbe({}, '/ready') })),
    ).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: { exec: { command: ['/ready'] } } }))).toEqual([]);
  });

  it('replaces the paths with paths, and adds additionalPaths', () => {
    expect(findings(ID, asking('/ready'), { paths: ['/deep'] })).toEqual([]);
    expect(findings(ID, asking('/api/ready'), { paths: ['/deep'] })).toEqual([]);
    expect(findings(ID, asking('/api/ready'), { additionalPaths: ['/deep'] })).toHaveLength(1);
    expect(findings(ID, asking('/deep'), { paths: ['/deep'] })).toHaveLength(1);
    expect(findings(ID, asking('/deep'), { additionalPaths: ['/deep'] })).toHaveLength(1);
    expect(findings(ID, asking('/ready'), { additionalPaths: ['/deep'] })).toHaveLength(1);
  });
});
