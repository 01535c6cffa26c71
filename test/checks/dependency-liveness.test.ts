import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../src/json/json-value.ts';

const ID = 'dependency-liveness';
const asking = (path: string): JsonObject => podWith({ livenessProbe: httpProbe({}, path) });

describe('dependency-liveness', () => {
  it('says what an outage does and which path answers for the process alone', () => {
    expect(onlyFinding(ID, asking('/actuator/health'))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.httpGet.path',
      message:
        'container "app" is restarted, in every replica at once, when a dependency that "/actuator/health" answers for is down; ' +
        'write path: /actuator/health/liveness',
    });
  });

  it.each([
    ['/manage/health', 'write path: /manage/health/liveness'],
    ['/actuator/health/readiness', 'write path: /actuator/health/liveness'],
    ['/readyz', 'write path: /livez'],
    ['/ready', 'write a path that answers for the process alone'],
    ['/-/ready', 'write path: /-/healthy'],
    ['/health/ready', 'write path: /health/live'],
    ['/healthcheck/ready', 'write path: /healthcheck/live'],
  ])('finds %s', (path, advice) => {
    expect(onlyFinding(ID, asking(path)).message).toContain(advice);
  });

  it.each(['/actuator/health/liveness', '/healthcheck/live', '/livez', '/health', '/readyz/', '/ready/now'])(
    'accepts %s',
    (path) => {
      expect(findings(ID, asking(path))).toEqual([]);
    },
  );

  it('is about liveness and httpGet only', () => {
    expect(
      findings(ID, podWith({ readinessProbe: httpProbe({}, '/ready'), startupProbe: httpProbe({}, '/ready') })),
    ).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: { exec: { command: ['/ready'] } } }))).toEqual([]);
  });

  it('replaces the paths with paths, and adds additionalPaths', () => {
    expect(findings(ID, asking('/ready'), { paths: ['/deep'] })).toEqual([]);
    expect(findings(ID, asking('/deep'), { paths: ['/deep'] })).toHaveLength(1);
    expect(findings(ID, asking('/deep'), { additionalPaths: ['/deep'] })).toHaveLength(1);
    expect(findings(ID, asking('/ready'), { additionalPaths: ['/deep'] })).toHaveLength(1);
  });
});
