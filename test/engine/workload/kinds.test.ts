import { describe, expect, it } from 'vitest';
import { KNOWN_KINDS, workloadKindOfManifest } from '../../../src/engine/workload/kinds.ts';
import { checkTexts } from '../../support/check-texts.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const PROBE = { httpGet: { path: '/live', port: 'htp' } };
const TEMPLATE = { spec: { containers: [{ name: 'app', image: 'example.test/web:1', livenessProbe: PROBE }] } };

function workload(apiVersion: string, kind: string): JsonObject {
  const spec = kind === 'CronJob' ? { jobTemplate: { spec: { template: TEMPLATE } } } : { template: TEMPLATE };
  return { apiVersion, kind, metadata: { name: 'web', namespace: 'apps' }, spec };
}

const REMOVED = [
  ['extensions/v1beta1', 'Deployment', 'apps', '1.16', 'apps/v1'],
  ['extensions/v1beta1', 'DaemonSet', 'apps', '1.16', 'apps/v1'],
  ['extensions/v1beta1', 'ReplicaSet', 'apps', '1.16', 'apps/v1'],
  ['apps/v1beta1', 'Deployment', 'apps', '1.16', 'apps/v1'],
  ['apps/v1beta1', 'StatefulSet', 'apps', '1.16', 'apps/v1'],
  ['apps/v1beta2', 'DaemonSet', 'apps', '1.16', 'apps/v1'],
  ['batch/v1beta1', 'CronJob', 'batch', '1.25', 'batch/v1'],
  ['batch/v2alpha1', 'CronJob', 'batch', '1.21', 'batch/v1'],
] as const;

describe('a workload in a removed API version', () => {
  it.each(REMOVED)('%s %s is judged as a kind of %s, with one warning', (apiVersion, kind, group, release, today) => {
    const object = workload(apiVersion, kind);
    expect(workloadKindOfManifest(object, KNOWN_KINDS)).toMatchObject({ group, kind });
    const { violations, warnings } = checkTexts([{ file: 'web.json', text: JSON.stringify(object) }], []);
    expect(violations.map(({ check }) => check)).toContain('named-port');
    expect(warnings.map(({ message }) => message)).toEqual([
      `warning: ${kind} apps/web: ${apiVersion} was removed in Kubernetes ${release}; write apiVersion: ${today}`,
    ]);
  });

  it.each([
    ['apps/v1', 'Deployment'],
    ['batch/v1', 'CronJob'],
  ])('is not %s %s', (apiVersion, kind) => {
    const { warnings } = checkTexts([{ file: 'w.json', text: JSON.stringify(workload(apiVersion, kind)) }], []);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['extensions/v1beta1', 'Ingress'],
    ['extensions/v1', 'Deployment'],
  ])('leaves %s %s unknown', (apiVersion, kind) =>
    expect(workloadKindOfManifest(workload(apiVersion, kind), KNOWN_KINDS)).toBeUndefined(),
  );
});
