import { describe, expect, it } from 'vitest';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { isWithoutHelm, one, render, type Manifest } from './helm.ts';

const kinds = (...set: string[]): string[] => render({ set }).map(({ kind }) => kind);
const replicasOf = (manifests: readonly Manifest[]): unknown =>
  one<{ spec: { replicas?: number } }>(manifests, 'Deployment').spec.replicas;

describe.skipIf(isWithoutHelm('replicas.test.ts'))('the number of replicas', () => {
  it('is the value, without an autoscaler', () => {
    expect(replicasOf(render({ set: ['replicas=4'] }))).toBe(4);
    expect(kinds()).not.toContain('HorizontalPodAutoscaler');
  });

  it('is left to another autoscaler when the value is null', () => {
    const manifests = render({ values: [`${CHART}/ci/foreign-autoscaler-values.yaml`] });
    expect(replicasOf(manifests)).toBeUndefined();
    expect(manifests.map(({ kind }) => kind)).toContain('PodDisruptionBudget');
    expect(kinds('replicas=null', 'webhooks.workloads.failurePolicy=Fail')).toContain('Deployment');
  });

  it('is left to the HorizontalPodAutoscaler of the chart, which goes by CPU in use', () => {
    const manifests = render({ values: [`${CHART}/ci/autoscaling-values.yaml`] });
    expect(replicasOf(manifests)).toBeUndefined();
    expect(one(manifests, 'HorizontalPodAutoscaler')).toMatchObject({
      metadata: { name: 'probewright', namespace: 'probewright' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'probewright' },
        minReplicas: 3,
        maxReplicas: 9,
        metrics: [
          { resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '700m' } } },
          { resource: { name: 'memory', target: { averageValue: '300Mi' } } },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: 600 } },
      },
    });
  });

  it('decides whether there is a budget: only where a replica can be spared', () => {
    expect(kinds()).toContain('PodDisruptionBudget');
    expect(kinds('replicas=1')).not.toContain('PodDisruptionBudget');
    expect(kinds('replicas=1', 'autoscaling.enabled=true')).toContain('PodDisruptionBudget');
    expect(kinds('autoscaling.enabled=true', 'autoscaling.minReplicas=1')).not.toContain('PodDisruptionBudget');
    expect(kinds('podDisruptionBudget.enabled=false')).not.toContain('PodDisruptionBudget');
  });
});
