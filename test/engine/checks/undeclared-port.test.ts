import { describe, expect, it } from 'vitest';
import { runChecks } from '../../../src/engine/checks/run-checks.ts';
import { appContainer, clusterPolicyDocument, pod, policyDocument, policySet } from '../../support/worlds.ts';
import { podWith, workloadOf } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'undeclared-port';
const http = (port: unknown): JsonObject => ({ livenessProbe: { httpGet: { port } } });

describe('undeclared-port', () => {
  it('never keeps another finding from copying the handler', () => {
    const policy = policySet().policyFor('apps', new Map());
    const livenessProbe = { httpGet: { path: '/live', port: 8081 }, initialDelaySeconds: 60 };
    const found = runChecks(workloadOf(podWith({ livenessProbe })), policy.checkPolicy);
    expect(found.map(({ check }) => check)).toEqual(['delayed-liveness', ID]);
    expect(found[0]?.remedy).toContain('write startupProbe: { httpGet: { path: /live, port: 8081 }');
    expect(found[0]?.edits).toHaveLength(2);
  });

  it('gives each finding its action, unless a policy sets one or a floor is stricter', () => {
    const container = appContainer({
      livenessProbe: { httpGet: { port: 8081 } },
      startupProbe: { httpGet: { port: 1 } },
    });
    const actions = (...policies: JsonObject[]): unknown[] => {
      const policy = policySet(...policies).policyFor('apps', new Map());
      return runChecks(workloadOf(pod([container])), policy.checkPolicy)
        .filter(({ check }) => check === ID)
        .map(({ action }) => action);
    };
    const own = (setting: JsonObject): JsonObject => policyDocument({ checks: { [ID]: setting } });
    const cluster = (setting: JsonObject): JsonObject => clusterPolicyDocument({ checks: { [ID]: setting } });
    expect(actions()).toEqual(['Warn', 'Audit']);
    expect(actions(own({ action: 'Audit' }))).toEqual(['Audit', 'Audit']);
    expect(actions(own({ action: 'Deny' }))).toEqual(['Deny', 'Deny']);
    expect(actions(own({ action: 'Off' }))).toEqual([]);
    expect(actions(cluster({ floor: 'Audit' }))).toEqual(['Warn', 'Audit']);
    expect(actions(cluster({ floor: 'Warn' }))).toEqual(['Warn', 'Warn']);
    expect(actions(cluster({ floor: 'Deny' }), own({ action: 'Off' }))).toEqual(['Deny', 'Deny']);
  });

  it('carries no level in a violation', () => {
    const policy = policySet().policyFor('apps', new Map());
    const found = runChecks(workloadOf(podWith(http(1))), policy.checkPolicy).filter(({ check }) => check === ID);
    expect(found.map((violation) => 'level' in violation)).toEqual([false]);
  });
});
