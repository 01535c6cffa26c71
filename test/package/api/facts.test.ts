import { describe, expect, it } from 'vitest';
import { fix, judge, plan, type ListedViolation } from '../../../src/package/api/index.ts';
import { startupProfile } from '../../support/arbitrary-facts.ts';
import { exceptionDocument, EXCEPTION_END } from '../../support/exceptions.ts';
import { NOW } from '../../support/now.ts';
import { clusterPolicyDocument } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const now = new Date(NOW);

function deployment(container: JsonObject): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'apps' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'app', image: 'i', ports: [{ name: 'http', containerPort: 80 }], ...container }] },
      },
    },
  };
}

const misnamed = deployment({ readinessProbe: { httpGet: { path: '/', port: 'htpp' } } });
const alive = deployment({ livenessProbe: { httpGet: { path: '/', port: 'http' } } });
const exception = exceptionDocument();
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'apps' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
};
const slow = startupProfile('Deployment', 'web', [300, 300, 300, 300, 300, 300], 0);
const learning = clusterPolicyDocument({ containers: ['*'], slowStart: { learned: {} } });

const actionOf = (check: string, violations: readonly Pick<ListedViolation, 'check' | 'action'>[]): unknown =>
  violations.find((violation) => violation.check === check)?.action;

describe('exceptions', () => {
  it('allow violations until the instant of their end, in judge', () => {
    const at = (instant: Date): unknown =>
      actionOf('named-port', judge(misnamed, { policies: [exception], now: instant }).violations);
    expect(at(now)).toBe('Excepted');
    expect(at(new Date(EXCEPTION_END))).toBe('Deny');
    const { violations } = judge([misnamed, exception], { now });
    expect(violations.find(({ check }) => check === 'named-port')?.exception).toEqual({
      name: 'legacy',
      owner: 'team-a',
      reason: 'The vendor image has one port.',
      expires: EXCEPTION_END,
    });
  });

  it('are applied and removed by plan', () => {
    const violationsOf = (options: Parameters<typeof plan>[1]): unknown =>
      plan(misnamed, { now, ...options }).workloads.map(({ violations }) =>
        violations.map(({ check, before, after }) => ({ check, before, after })),
      );
    expect(violationsOf({ apply: [exception] })).toEqual([
      [{ check: 'named-port', before: 'Deny', after: 'Excepted' }],
    ]);
    expect(violationsOf({ policies: [exception], remove: ['ProbeException/apps/legacy'] })).toEqual([
      [{ check: 'named-port', before: 'Excepted', after: 'Deny' }],
    ]);
  });

  it('do not change what fix writes', () =>
    expect(fix(misnamed, { policies: [exception, learning], now })).toEqual(
      fix(misnamed, { policies: [learning], now }),
    ));
});

describe('Services', () =>
  it('are read by judge and plan', () => {
    expect(actionOf('service-readiness', judge(alive, { now }).violations)).toBeUndefined();
    expect(actionOf('service-readiness', judge(alive, { policies: [service], now }).violations)).toBe('Warn');
    const [planned] = plan(alive, { apply: [service], now }).workloads;
    expect(planned?.violations).toMatchObject([{ check: 'service-readiness', change: 'new', after: 'Warn' }]);
  }));

describe('StartupProfiles', () =>
  it('are read by judge, plan and fix', () => {
    expect(actionOf('observed-startup', judge(alive, { policies: [slow], now }).violations)).toBe('Warn');
    expect(fix(alive, { policies: [learning], now }).probes).toBe(0);
    const { objects } = fix(alive, { policies: [learning, slow], now });
    expect(JSON.stringify(objects)).toContain('startupProbe');
    const [planned] = plan(alive, { policies: [learning], apply: [slow], now }).workloads;
    expect(planned?.probes).toMatchObject([{ container: 'app', probe: 'startupProbe', change: 'added' }]);
  }));

describe('a namespaceSelector without the labels of the namespace', () => {
  const selecting = clusterPolicyDocument({
    namespaceSelector: { matchLabels: { team: 'a' } },
    kubernetesProbeEndpoints: { livenessProbe: '/live' },
  });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps', labels: { team: 'a' } } };
  const note = expect.stringMatching(
    /^(?:policies|apply)\[0\]: ClusterProbePolicy\/\S+: no input has the labels of the namespace apps, so the namespaceSelector does not select it;/,
  ) as string;
  const web = deployment({});

  it('is told by judge, fix and plan', () => {
    expect(judge(web, { policies: [selecting], now }).warnings).toContainEqual(note);
    expect(fix(web, { policies: [selecting], now }).remarks).toContainEqual(note);
    expect(plan(web, { apply: [selecting], now }).warnings).toEqual([note]);
  });

  it('is no text where the Namespace is given', () => {
    const policies = [selecting, namespace];
    expect(judge(web, { policies, now }).warnings).toEqual([]);
    expect(fix(web, { policies, now }).remarks.join()).not.toContain('namespaceSelector');
    expect(plan(web, { apply: [selecting], policies: [namespace], now })).not.toHaveProperty('warnings');
  });
});
