import { describe, expect, it } from 'vitest';
import { brokenProbes } from '../../../src/engine/verdict/broken-probes.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { appContainer, clusterPolicyDocument, pod, policySet } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const get = (port: unknown, more: JsonObject = {}): JsonObject => ({ httpGet: { path: '/', port }, ...more });

/** The broken probes of a Pod with this container, under these settings of checks. */
function broken(container: JsonObject, { checks = {}, spec = {} }: { checks?: JsonObject; spec?: JsonObject } = {}) {
  const model = readPod(pod([{ name: 'first', image: 'a' }, appContainer(container)], { spec }), POD_KIND);
  const policies = policySet(clusterPolicyDocument({ checks }));
  return brokenProbes(model, policies.policyFor('apps', model.labels));
}

const idsOf = (...given: Parameters<typeof broken>): string[] =>
  broken(...given).map(({ probe, check }) => `${probe} ${check}`);

describe('a broken probe', () => {
  it('cannot work, and is told with its container, its check and the reason', () => {
    const [found, ...others] = broken({ livenessProbe: get('web'), readinessProbe: get('http') });
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      container: { list: 'containers', index: 1 },
      probe: 'livenessProbe',
      check: 'named-port',
      hidesFailures: false,
    });
    expect(found?.message).toContain('web');
  });

  it('may also be one that succeeds while the application fails', () => {
    const readinessProbe = { exec: { command: ['true'] } };
    expect(broken({ readinessProbe })).toMatchObject([{ check: 'exec-always-true', hidesFailures: true }]);
  });

  it('is none of a check that a policy switches off, and one of a check that a policy only makes laxer', () => {
    const livenessProbe = get('web');
    expect(idsOf({ livenessProbe }, { checks: { 'named-port': { action: 'Off' } } })).toEqual([]);
    expect(idsOf({ livenessProbe }, { checks: { 'named-port': { action: 'Audit' } } })).toEqual([
      'livenessProbe named-port',
    ]);
  });

  it('is none whose times hold: it kills without a restart, or has a value that the API server rejects', () => {
    expect(idsOf({ livenessProbe: get('http') }, { spec: { restartPolicy: 'Never' } })).toEqual([]);
    expect(idsOf({ livenessProbe: get('http', { periodSeconds: -1 }) })).toEqual([]);
  });
});
