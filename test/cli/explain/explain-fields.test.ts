import { describe, expect, it } from 'vitest';
import { runProbewright } from '../run-probewright.ts';

const WORKLOAD = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: apps }
spec:
  template:
    metadata:
      annotations:
        probewright.dev/readiness-endpoint: /r
    spec:
      containers:
        - name: web
          ports:
            - { name: http, containerPort: 80 }
          livenessProbe:
            httpGet: { path: /live, port: http }
            periodSeconds: 7
            initialDelaySeconds: 90
`;
const POLICIES = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: base }
spec:
  kubernetesProbeEndpoints: { livenessProbe: /healthz, readinessProbe: /readyz }
  probes:
    livenessProbe: { periodSeconds: 10 }
    readinessProbe: { periodSeconds: 20, timeoutSeconds: 3, failureThreshold: 4 }
  slowStart: { fromInitialDelaySeconds: 30 }
---
apiVersion: probewright.dev/v1alpha1
kind: ProbePolicy
metadata: { name: team, namespace: apps }
spec:
  probes:
    readinessProbe:
      periodSeconds: 5
      timeoutSeconds: null
  slowStart:
    startupSeconds: 240
`;

const explain = async (...flags: string[]): Promise<{ code: number; stdout: string; stderr: string }> => {
  const { code, stdout, stderr } = await runProbewright(['explain', '-', ...flags], {
    stdin: `${WORKLOAD}---\n${POLICIES}`,
  });
  return { code, stdout, stderr };
};

interface Listed {
  readonly kind: string;
  readonly fields: readonly { readonly field: string; readonly setBy: object; readonly overrides: object[] }[];
}

describe('explain --fields', () => {
  it('prints what set each field, and the values that it overrides', async () => {
    const { code, stdout, stderr } = await explain('--fields');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(stdout).toMatchFileSnapshot('../../golden/explain/fields.txt');
  });

  it('has the same in JSON, with the fields of the policies', async () => {
    const { code, stdout } = await explain('--output', 'json');
    expect(code).toBe(0);
    const { workloads } = JSON.parse(stdout) as { workloads: { containers: { probes: Listed[] }[] }[] };
    const probes = workloads[0]?.containers[0]?.probes ?? [];
    expect(probes.map(({ kind }) => kind)).toEqual(['startupProbe', 'livenessProbe', 'readinessProbe']);
    const readiness = probes.find(({ kind }) => kind === 'readinessProbe');
    expect(readiness?.fields.find(({ field }) => field === 'timeoutSeconds')).toEqual({
      field: 'timeoutSeconds',
      value: 1,
      setBy: {
        by: 'default',
        asked: {
          source: 'ProbePolicy/apps/team',
          field: 'spec.probes.readinessProbe.timeoutSeconds',
          place: '<stdin>:36',
        },
      },
      overrides: [
        {
          source: 'ClusterProbePolicy/base',
          field: 'spec.probes.readinessProbe.timeoutSeconds',
          value: 3,
          place: '<stdin>:26',
        },
      ],
    });
  });

  it('lists a setting that a null removed, even when its value is the default', async () => {
    const probe = (periodSeconds: string): string => `spec:
  kubernetesProbeEndpoints: { readinessProbe: /readyz }
  probes: { readinessProbe: { periodSeconds: ${periodSeconds} } }
`;
    const head = 'apiVersion: probewright.dev/v1alpha1\nkind: ';
    const base = `${head}ClusterProbePolicy\nmetadata: { name: base }\n${probe('10')}`;
    const team = `${head}ProbePolicy\nmetadata: { name: team, namespace: apps }\n${probe('null')}`;
    const stdin = [WORKLOAD, base, team].join('---\n');
    const { stdout } = await runProbewright(['explain', '-', '--output', 'json'], { stdin });
    const { workloads } = JSON.parse(stdout) as { workloads: { containers: { probes: Listed[] }[] }[] };
    const readiness = workloads[0]?.containers[0]?.probes.find(({ kind }) => kind === 'readinessProbe');
    expect(readiness?.fields.find(({ field }) => field === 'periodSeconds')).toMatchObject({
      value: 10,
      setBy: { by: 'default', asked: { source: 'ProbePolicy/apps/team' } },
      overrides: [{ source: 'ClusterProbePolicy/base', value: 10 }],
    });
  });

  it('names the line of a field, also where its value is on the next line', async () => {
    const probe = 'livenessProbe:\n        tcpSocket: { port: 80 }\n        periodSeconds:\n          7\n';
    const stdin = `apiVersion: v1\nkind: Pod\nmetadata: { name: x }\nspec:\n  containers:\n    - name: app\n      ${probe}`;
    const { stdout } = await runProbewright(['explain', '-', '--output', 'json'], { stdin });
    const { workloads } = JSON.parse(stdout) as { workloads: { containers: { probes: Listed[] }[] }[] };
    const fields = workloads[0]?.containers[0]?.probes[0]?.fields ?? [];
    expect(fields.find(({ field }) => field === 'periodSeconds')).toMatchObject({
      setBy: { by: 'manifest', place: '<stdin>:9' },
    });
  });
});
