import { describe, expect, it } from 'vitest';
import { READY_MADE_KINDS } from '../../src/workload/custom-kinds.ts';
import { isWithoutHelm, render, renderText } from './helm.ts';
import type { Rendering } from './helm.ts';

const refused: readonly [string, Rendering, RegExp][] = [
  [
    'names of callers without a CA',
    { set: ['callers.commonNames={kube-apiserver}'] },
    /callers\.configMap is not: names count only in certificates that a known CA has signed/,
  ],
  ['kube-system', { namespace: 'kube-system' }, /cannot be installed in kube-system.*--namespace probewright-system/],
  [
    'Pods on Fail with one replica',
    { set: ['webhooks.pods.failurePolicy=Fail', 'replicas=1'] },
    /webhooks\.pods\.failurePolicy is Fail and replicas is 1: .* Set replicas to 2 or more/,
  ],
  [
    'workloads on Fail without a replica',
    { set: ['webhooks.workloads.failurePolicy=Fail', 'replicas=0'] },
    /webhooks\.workloads\.failurePolicy is Fail and replicas is 0: /,
  ],
  [
    'a Secret of your own beside our CA',
    { set: ['certificates.secret.name=pair'] },
    /certificates\.secret\.name is set and certificates\.mode is own: choose one/,
  ],
  [
    'a Secret of your own beside cert-manager',
    { set: ['certificates.mode=cert-manager', 'certificates.secret.name=pair'] },
    /certificates\.secret\.name is set and certificates\.mode is cert-manager: choose one/,
  ],
  [
    'an issuer without cert-manager',
    { set: ['certificates.certManager.issuerRef.name=ca'] },
    /certificates\.certManager\.issuerRef is set and certificates\.mode is own: choose one/,
  ],
  [
    'a name for the CA that is not made',
    { set: ['certificates.mode=cert-manager', 'certificates.own.caSecret=ca'] },
    /certificates\.own\.caSecret is set and certificates\.mode is cert-manager: choose one/,
  ],
  ['mode secret without a Secret', { set: ['certificates.mode=secret'] }, /set certificates\.secret\.name/],
  ['the kubelet’s port', { set: ['hostNetwork=true'] }, /a port is 10250: .* Set ports\.webhook/],
  ['one port for both', { set: ['ports.health=10250'] }, /are both 10250: choose another/],
  ['too little time to end', { set: ['drainSeconds=60'] }, /terminationGracePeriodSeconds is 45, .* Set it to 70/],
  ['no service account', { set: ['serviceAccount.create=false'] }, /set serviceAccount\.name/],
  [
    'a NetworkPolicy in the nodes’ network',
    { set: ['networkPolicy.enabled=true', 'hostNetwork=true', 'ports.webhook=9443'] },
    /NetworkPolicies do not reach Pods in the nodes' network/,
  ],
  [
    'an unknown kind without a path',
    { overrides: { workloadKinds: [{ group: 'example.com', kind: 'Fleet', resource: 'fleets' }] } },
    /Fleet of example\.com is no kind that Probewright knows by itself\. Set its podTemplatePath/,
  ],
  [
    'a memory limit that cannot be read',
    { set: ['resources.limits.memory=1.5Gi'] },
    /write a whole number with Mi or Gi/,
  ],
  ['an unknown key', { set: ['replicaCount=3'] }, /additional properties 'replicaCount' not allowed/],
  ['an unknown key inside', { set: ['webhooks.pods.failPolicy=Fail'] }, /'failPolicy' not allowed/],
  [
    'an unknown key in the policy',
    { set: ['clusterPolicy.kubernetesProbeEndpoint.x=/'] },
    /'kubernetesProbeEndpoint' not allowed/,
  ],
  ['an unknown choice', { set: ['enforcement=deny'] }, /enforcement/],
];

describe.skipIf(isWithoutHelm('guard-rails.test.ts'))('the chart refuses', () => {
  it.each(refused)('%s, with a sentence that says what to do', (_, rendering, message) => {
    expect(() => renderText(rendering)).toThrow(message);
  });

  it('no kind that Probewright knows by itself', () => {
    const workloadKinds = READY_MADE_KINDS.map(({ group, kind }) => ({ group, kind, resource: 'things' }));
    expect(() => render({ overrides: { workloadKinds } })).not.toThrow();
  });
});
