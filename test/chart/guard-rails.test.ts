import { describe, expect, it } from 'vitest';
import { READY_MADE_KINDS } from '../../src/engine/workload/custom-kinds.ts';
import { isWithoutHelm, render, renderText, type Manifest, type Rendering } from './helm.ts';
import type { MatchCondition } from './match-conditions.ts';

const refused: readonly [string, Rendering, RegExp][] = [
  [
    'names of callers without a CA',
    { set: ['callers.commonNames={kube-apiserver}'] },
    /callers\.configMap is not: names count only in certificates that a known CA has signed/,
  ],
  [
    'a match condition with a name of the chart’s own',
    { overrides: { webhooks: { matchConditions: [{ name: 'lacks-a-probe', expression: 'true' }] } } },
    /webhooks\.matchConditions has the name lacks-a-probe: the chart has a condition of that name/,
  ],
  [
    'two match conditions of one name',
    {
      overrides: {
        webhooks: {
          matchConditions: [
            { name: 'mine', expression: 'true' },
            { name: 'mine', expression: 'false' },
          ],
        },
      },
    },
    /has the name mine twice/,
  ],
  [
    'a match condition with a name that the API server refuses',
    { overrides: { webhooks: { matchConditions: [{ name: 'no spaces', expression: 'true' }] } } },
    /has the name "no spaces", which the API server refuses/,
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
  [
    'one port for the page and for health',
    { set: ['observer.enabled=true', 'observer.dashboard.enabled=true', 'observer.dashboard.port=8081'] },
    /ports\.health is 8081, and so is observer\.dashboard\.port or .*: choose another for the page/,
  ],
  [
    'one port of the Service for the page and for health',
    { set: ['observer.enabled=true', 'observer.dashboard.enabled=true', 'observer.dashboard.servicePort=8081'] },
    /ports\.health is 8081, and so is .* observer\.dashboard\.servicePort: choose another for the page/,
  ],
  [
    'a budget that the memory has no room for',
    { set: ['policyBudget=64', 'resources.limits.memory=511Mi'] },
    /policyBudget is 64, .* set the limit to 512Mi or more/,
  ],
  [
    'a budget that the memory of the observer has no room for',
    { set: ['policyBudget=64', 'resources.limits.memory=512Mi', 'observer.enabled=true'] },
    /policyBudget is 64, and observer\.resources\.limits\.memory has no room .* set the limit to 640Mi or more/,
  ],
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
  ['an unknown key', { set: ['replicaCounts=3'] }, /additional properties 'replicaCounts' not allowed/],
  ['the name that other charts have for replicas', { set: ['replicaCount=3'] }, /replicaCount .* Write replicas/],
  [
    'a registry apart from the repository',
    { set: ['image.registry=a.example'] },
    /Write the registry in image\.repository/,
  ],
  [
    'the CIDRs of before',
    { set: ['networkPolicy.apiServerCIDRs={10.0.0.0/28}'] },
    /Write apiServerIngressCIDRs .* and apiServerEgressCIDRs/,
  ],
  [
    'null for what has a default',
    { set: ['drainSeconds=null'] },
    /drainSeconds has no value\. Leave it out .* upgrade with --reset-then-reuse-values/,
  ],
  [
    'null for a whole section',
    { set: ['monitoring.prometheusRule=null'] },
    /monitoring\.prometheusRule\.enabled has no value/,
  ],
  ['a tag in the repository', { image: 'registry.example:5000/probewright:1' }, /write the tag in image\.tag/],
  ['a digest in the repository', { image: 'probewright@sha256:00' }, /the digest in image\.digest/],
  ['a short digest', { set: ['image.digest=sha256:00'] }, /image\.digest is "sha256:00"\. Write sha256: and 64 hex/],
  [
    'Fail with an autoscaler that may leave one replica',
    { set: ['webhooks.pods.failurePolicy=Fail', 'autoscaling.enabled=true', 'autoscaling.minReplicas=1'] },
    /failurePolicy is Fail and autoscaling\.minReplicas is 1: .* Set autoscaling\.minReplicas to 2 or more/,
  ],
  [
    'fewer replicas at most than at least',
    { set: ['autoscaling.enabled=true', 'autoscaling.minReplicas=9'] },
    /autoscaling\.maxReplicas is 6, less than minReplicas, which is 9/,
  ],
  [
    'Fail with an update that stops all replicas',
    { set: ['webhooks.workloads.failurePolicy=Fail', 'strategy.type=Recreate'] },
    /failurePolicy is Fail and strategy\.type is Recreate/,
  ],
  [
    'a name that no Service can have',
    { set: ['fullnameOverride=My_Probes'] },
    /named "My_Probes"\. Set fullnameOverride/,
  ],
  [
    'a name that no Secret can have',
    { set: ['certificates.own.caSecret=CA'] },
    /certificates\.own\.caSecret is "CA", which is no name of a Secret/,
  ],
  [
    'a name that no ConfigMap can have',
    { set: ['callers.configMap=Webhook_callers'] },
    /callers\.configMap is "Webhook_callers", which is no name of a ConfigMap\. Write lower-case letters/,
  ],
  [
    'a key that no ConfigMap can have',
    { set: ['callers.configMap=callers', 'callers.key=pem/ca.crt'] },
    /callers\.key is "pem\/ca\.crt", which is no key of a ConfigMap\. Write letters, digits/,
  ],
  [
    'a name that no label can have',
    { overrides: { nameOverride: 'my probes', fullnameOverride: 'probes' } },
    /nameOverride is "my probes", and becomes a label of every object\. Write letters, digits/,
  ],
  [
    'a pattern for namespaces, which the API server would take for a name',
    { overrides: { webhooks: { excludedNamespaces: ['rook-ceph', 'team-*'] } } },
    /excludedNamespaces has "team-\*", which is no name of a namespace, so it would exempt nothing\. Write whole names/,
  ],
  [
    'a group that would break the expressions of match conditions',
    { overrides: { workloadKinds: [{ group: "a'b", kind: 'A', resource: 'as', podTemplatePath: 'template' }] } },
    /workloadKinds has the kind "A" of the group "a'b"\. Write both as the CustomResourceDefinition does/,
  ],
  [
    'a version in the group of a kind',
    { overrides: { workloadKinds: [{ group: 'argoproj.io/v1alpha1', kind: 'Rollout', resource: 'rollouts' }] } },
    /workloadKinds has the kind "Rollout" of the group "argoproj\.io\/v1alpha1"\. Write both as/,
  ],
  ['a flag that there is not', { set: ['extraArgs={--drain=5}'] }, /extraArgs: --drain is no flag of serve/],
  ['two users in one entry', { overrides: { trustedControllers: ['a,b'] } }, /trustedControllers: "a,b" is no name/],
  [
    'a blank common name',
    { overrides: { callers: { commonNames: [' '], configMap: 'ca' } } },
    /callers\.commonNames: " "/,
  ],
  [
    'a kind as the resource',
    { overrides: { workloadKinds: [{ group: 'argoproj.io', kind: 'Rollout', resource: 'Rollout' }] } },
    /resource of Rollout is "Rollout"\. Write the plural name/,
  ],
  [
    'a path that is none',
    { overrides: { workloadKinds: [{ group: 'a.example', kind: 'A', resource: 'as', podTemplatePath: '/spec' }] } },
    /podTemplatePath of A is "\/spec"\. Write field names with dots between them/,
  ],
  ['an unknown key inside', { set: ['webhooks.pods.failPolicy=Fail'] }, /'failPolicy' not allowed/],
  [
    'an unknown key in the policy',
    { set: ['clusterPolicy.kubernetesProbeEndpoint.x=/'] },
    /'kubernetesProbeEndpoint' not allowed/,
  ],
  [
    'a path in the policy without its slash',
    { overrides: { clusterPolicy: { probes: { livenessProbe: { httpGet: { path: 'healthz' } } } } } },
    /clusterPolicy\.probes\.livenessProbe\.httpGet\.path is "healthz"\. Write a path that begins with \//,
  ],
  [
    'the value of a header with a line break',
    {
      overrides: {
        clusterPolicy: {
          probes: {
            startupProbe: {
              httpGet: {
                httpHeaders: [
                  { name: 'a', value: 'b' },
                  { name: 'a', value: 'b\nc' },
                ],
              },
            },
          },
        },
      },
    },
    /httpHeaders\.1\.value is "b\\nc"\. Write a header value without line breaks/,
  ],
  [
    'a label that no object can have',
    { overrides: { clusterPolicy: { workloadSelector: { matchLabels: { team: 'a b' } } } } },
    /clusterPolicy\.workloadSelector\.matchLabels\.team is "a b"\. Write a label value of up to 63/,
  ],
  ['an unknown choice', { set: ['enforcement=deny'] }, /enforcement/],
];

describe.skipIf(isWithoutHelm('guard-rails.test.ts'))('the chart refuses', () => {
  it.each(refused)('%s, with a sentence that says what to do', (_, rendering, message) => {
    expect(() => renderText(rendering)).toThrow(message);
  });

  it('every name of a built-in match condition, whatever the values switch off', () => {
    const builtIn = render({ set: ['webhooks.skipNeedlessCalls=true'] }).flatMap(conditionNames);
    expect(builtIn.length).toBeGreaterThan(0);
    for (const name of new Set(builtIn)) {
      const overrides = { webhooks: { skipNeedlessCalls: false, matchConditions: [{ name, expression: 'true' }] } };
      expect(() => renderText({ overrides })).toThrow(`has the name ${name}: the chart has a condition of that name`);
    }
  });

  it('no flags of serve, whether their value follows or not', () => {
    const extraArgs = ['--certificate-check=30s', '--policies', '/policies'];
    expect(() => render({ overrides: { extraArgs } })).not.toThrow();
  });

  it('no kind that Probewright knows by itself', () => {
    const workloadKinds = READY_MADE_KINDS.map(({ group, kind }) => ({ group, kind, resource: 'things' }));
    expect(() => render({ overrides: { workloadKinds } })).not.toThrow();
  });
});

function conditionNames({ webhooks = [] }: Manifest): string[] {
  return (webhooks as { readonly matchConditions?: readonly MatchCondition[] }[]).flatMap(({ matchConditions = [] }) =>
    matchConditions.map(({ name }) => name),
  );
}
