import { describe, expect, it } from 'vitest';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { isWithoutHelm, one, render } from './helm.ts';

interface Rule {
  readonly ports: readonly { readonly port: string | number }[];
  readonly from?: readonly object[];
  readonly to?: readonly object[];
}

function policyOf(values: string): { ingress: Rule[]; egress: Rule[] } {
  return one<{ spec: { ingress: Rule[]; egress: Rule[] } }>(
    render({ values: [`${CHART}/ci/${values}-values.yaml`] }),
    'NetworkPolicy',
  ).spec;
}

const ruleOf = (rules: readonly Rule[], wanted: string | number): Rule | undefined =>
  rules.find(({ ports }) => ports.some(({ port }) => port === wanted));

describe.skipIf(isWithoutHelm('network-policy.test.ts'))('the NetworkPolicy', () => {
  it('lets everyone call when nobody is named', () => {
    const { ingress, egress } = policyOf('network-policy-open');
    expect(ruleOf(ingress, 'https')).not.toHaveProperty('from');
    expect(ruleOf(ingress, 'health')).not.toHaveProperty('from');
    expect(ruleOf(egress, 6443)).not.toHaveProperty('to');
  });

  it('tells where the API server calls from apart from where it listens', () => {
    const { ingress, egress } = policyOf('network-policy');
    expect(ruleOf(ingress, 'https')?.from).toEqual([
      { ipBlock: { cidr: '10.0.0.0/28' } },
      { ipBlock: { cidr: '10.1.0.0/28' } },
    ]);
    expect(ruleOf(egress, 6443)?.to).toEqual([{ ipBlock: { cidr: '10.96.0.1/32' } }]);
    expect(ruleOf(egress, 443)).toBeUndefined();
  });

  it('lets the Pods call that the API server reaches it through', () => {
    const { ingress, egress } = policyOf('network-policy-konnectivity');
    expect(ruleOf(ingress, 'https')?.from).toEqual([
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
        podSelector: { matchLabels: { 'k8s-app': 'konnectivity-agent' } },
      },
    ]);
    expect(ruleOf(egress, 6443)).not.toHaveProperty('to');
  });
});
