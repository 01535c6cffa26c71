import { describe, expect, it } from 'vitest';
import { objectName, type CheckReport } from '../../src/cli/check/report.ts';
import { formatPath } from '../../src/base/json/field-path.ts';
import { checkTexts } from '../support/check-texts.ts';
import { shownMessage } from '../../src/cli/check/text.ts';

const POLICY = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: house }
spec:
  kubernetesProbeEndpoints:
    livenessProbe: /ready
`;

function deployment(name: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: shop }
spec:
  template:
    spec:
      containers:
        - { name: web, image: a, ports: [{ name: http, containerPort: 80 }] }
`;
}

const report = (policy: string, ...workloads: string[]): CheckReport =>
  checkTexts([{ file: 'apps.yaml', text: workloads.join('---\n') }], [{ file: 'house.yaml', text: policy }]);

const shown = ({ violations }: CheckReport): unknown[] =>
  violations.map((violation) => ({
    object: objectName(violation),
    at: `${violation.file}:${violation.line}`,
    level: violation.action,
    field: formatPath(violation.path),
    workloads: violation.workloads,
  }));

describe('what an injected probe does wrong', () => {
  it('is told once at the policy, with the number of workloads, and noted at each workload', () => {
    const found = report(POLICY, deployment('a'), deployment('b'));
    const path = 'spec.template.spec.containers[0].livenessProbe.httpGet.path';
    expect(shown(found)).toEqual([
      {
        object: 'ClusterProbePolicy house',
        at: 'house.yaml:6',
        level: 'Warn',
        field: 'spec.probes.livenessProbe.httpGet.path',
        workloads: 2,
      },
      { object: 'Deployment shop/a', at: 'apps.yaml:8', level: 'Audit', field: path, workloads: undefined },
      { object: 'Deployment shop/b', at: 'apps.yaml:17', level: 'Audit', field: path, workloads: undefined },
    ]);
    const [first] = found.violations;
    expect(first && shownMessage(first)).toBe(`${first?.message}; 2 workloads of the inputs get the probe`);
    expect(found.summary).toMatchObject({ objects: 2, workloads: 2, deny: 0, warn: 1, audit: 2 });
  });

  it('is told about a policy alone', () =>
    expect(shown(report(POLICY))).toMatchObject([{ object: 'ClusterProbePolicy house', level: 'Warn', workloads: 0 }]));

  it('has the same message in every order of the workloads', () => {
    const policy = POLICY.replace('/ready', '/live').replace('spec:', 'spec:\n  containers: ["*"]');
    const readiness = 'readinessProbe: { httpGet: { path: /up, port: http } }';
    const named = (name: string): string => deployment(name).replace('name: web,', `name: ${name}, ${readiness},`);
    const orders = [
      [named('a'), named('b')],
      [named('b'), named('a')],
    ];
    const messages = orders.map((workloads) =>
      report(policy, ...workloads)
        .violations.filter(({ kind }) => kind === 'ClusterProbePolicy')
        .map(({ check, container, message, workloads: count }) => ({ check, container, message, count })),
    );
    expect(messages[0]).not.toEqual([]);
    expect(messages[0]?.map(({ count }) => count)).toContain(2);
    expect(messages[1]).toEqual(messages[0]);
  });

  it('is at most a warning for the policy when the workload is denied', () => {
    const denies = `${POLICY}  checks: { dependency-liveness: { action: Deny, floor: Warn } }\n`;
    expect(shown(report(denies, deployment('a')))).toMatchObject([
      { object: 'ClusterProbePolicy house', level: 'Warn' },
      { object: 'Deployment shop/a', level: 'Warn' },
    ]);
  });
});
