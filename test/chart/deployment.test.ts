import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { SERVE_FLAGS } from '../../src/cli/process/serve-definition.ts';
import { readPolicyDocuments } from '../../src/cluster/sources/policy-documents.ts';
import { readWorkloadKinds } from '../../src/cluster/sources/workload-kinds.ts';
import { parseServe } from '../cli/parse-serve.ts';
import { runProbewright } from '../cli/run-probewright.ts';
import { isWithoutHelm, one, render, renderText, valuesFiles, type Rendering } from './helm.ts';

interface PodSpec {
  readonly [field: string]: unknown;
  readonly containers: readonly {
    readonly args: string[];
    readonly env?: readonly { name: string; value: string }[];
    readonly volumeMounts: readonly { name: string; mountPath: string }[];
  }[];
  readonly volumes: readonly { name: string; configMap?: { name: string; items: { key: string; path: string }[] } }[];
  readonly topologySpreadConstraints: readonly object[];
}

function podSpecOf(rendering: Rendering = {}): PodSpec {
  const { spec } = one<{ spec: { template: { spec: PodSpec } } }>(render(rendering), 'Deployment');
  return spec.template.spec;
}

const argsOf = (rendering: Rendering = {}): string[] => podSpecOf(rendering).containers[0]?.args ?? [];
const flagOf = (arg: string): string => /^--([a-z-]+)=/.exec(arg)?.[1] ?? '';

describe.skipIf(isWithoutHelm('deployment.test.ts'))('the Deployment', () => {
  it.each(valuesFiles())('with %s has a command line that serve understands', (file) => {
    const [command, ...args] = argsOf({ values: [file] });
    expect(command).toBe('serve');
    expect(args.filter((arg) => !Object.hasOwn(SERVE_FLAGS, flagOf(arg)))).toEqual([]);
    expect(parseServe(args, {})).toMatchObject({ config: { cluster: { kubeconfig: 'in-cluster' } } });
  });

  it('passes every flag that serve has, in one mode or another', () => {
    const passed = new Set(valuesFiles().flatMap((file) => argsOf({ values: [file] }).map(flagOf)));
    expect(Object.keys(SERVE_FLAGS).filter((flag) => !passed.has(flag))).toEqual([]);
  });

  it('says the defaults of serve where the chart has no reason for others', () => {
    const others = ['port', 'kubeconfig', 'namespace', 'exempt-namespaces'];
    for (const [flag, { default: fallback }] of Object.entries(SERVE_FLAGS)) {
      const arg = argsOf().find((candidate) => flagOf(candidate) === flag);
      if (arg !== undefined && !others.includes(flag)) expect(arg).toBe(`--${flag}=${String(fallback)}`);
    }
  });

  it.each(valuesFiles())("with %s has nothing that Probewright's own check finds fault with", async (file) => {
    const directory = mkdtempSync(join(tmpdir(), 'probewright-chart-'));
    try {
      const manifests = join(directory, 'manifests.yaml');
      writeFileSync(manifests, renderText({ values: [file] }));
      const { code, stdout, stderr } = await runProbewright(['check', '--strict', '--min-level', 'note', manifests]);
      expect({ code, stdout: /: [^:]*\n$/.exec(stdout)?.[0], stderr }).toEqual({
        code: 0,
        stdout: ': 0 errors, 0 warnings, 0 notes\n',
        stderr: '',
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('asks the process whether it answers, and readiness for the rest', () => {
    const port = 'health';
    expect(podSpecOf().containers[0]).toMatchObject({
      startupProbe: { httpGet: { path: '/livez', port }, periodSeconds: 2, failureThreshold: 90 },
      livenessProbe: { httpGet: { path: '/livez', port }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
      readinessProbe: { httpGet: { path: '/readyz', port }, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 2 },
      lifecycle: { preStop: { sleep: { seconds: 5 } } },
    });
  });

  it('is replaced without a gap, spread, restricted, and outside of meshes', () => {
    const deployment = one(render(), 'Deployment');
    expect(deployment).toMatchObject({
      spec: {
        replicas: 2,
        strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        template: {
          metadata: {
            labels: { 'sidecar.istio.io/inject': 'false' },
            annotations: { 'linkerd.io/inject': 'disabled' },
          },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            dnsPolicy: 'ClusterFirst',
            priorityClassName: 'system-cluster-critical',
            terminationGracePeriodSeconds: 45,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [
              {
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
                resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '384Mi' } },
              },
            ],
            topologySpreadConstraints: ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
              topologyKey,
              whenUnsatisfiable: 'ScheduleAnyway',
              matchLabelKeys: ['pod-template-hash'],
            })),
          },
        },
      },
    });
    expect(JSON.stringify(deployment)).not.toContain('runAsUser');
    expect(JSON.stringify(deployment)).not.toMatch(/"limits":\{[^}]*cpu/);
  });

  it.each([
    ['384Mi', '192'],
    ['1Gi', '512'],
    ['512M', '244'],
    ['402653184', '192'],
  ])('tells Node to keep a heap within a limit of %s', (memory, megabytes) => {
    const { env } = podSpecOf({ overrides: { resources: { limits: { memory } } } }).containers[0] ?? {};
    expect(env).toEqual([{ name: 'NODE_OPTIONS', value: `--max-old-space-size=${megabytes} --max-semi-space-size=8` }]);
  });

  it('leaves the heap to Node without a limit, and NODE_OPTIONS to those who set it', () => {
    const env = (overrides: Rendering['overrides'] & object): unknown =>
      podSpecOf({ overrides: { resources: { limits: { memory: null } }, ...overrides } }).containers[0]?.env ?? null;
    expect(env({})).toBeNull();
    const own = [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=100' }];
    expect(env({ resources: { limits: { memory: '1Gi' } }, extraEnv: own })).toEqual(own);
  });

  it('mounts what in-cluster access reads, where it reads it', () => {
    const { volumes, containers } = podSpecOf();
    expect(containers[0]?.volumeMounts).toContainEqual({
      name: 'service-account',
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      readOnly: true,
    });
    const sources = (volumes[0] as { projected?: { sources: unknown[] } }).projected?.sources;
    expect(sources).toMatchObject([
      { serviceAccountToken: { path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
    ]);
  });

  it('has files for policy and kinds that serve reads, and starts anew when they change', () => {
    const values = [`${CHART}/ci/full-values.yaml`];
    const manifests = render({ values });
    const data = one<{ data: Record<string, string> }>(manifests, 'ConfigMap', 'probewright').data;
    const policies = readPolicyDocuments(CHECK_CATALOGUE, [
      { file: 'cluster-policy.yaml', text: data['cluster-policy.yaml'] ?? '' },
    ]);
    expect(policies.problems).toEqual([]);
    expect(policies.policies.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['ClusterProbePolicy probewright']);
    const kinds = readWorkloadKinds('workload-kinds.yaml', data['workload-kinds.yaml'] ?? '');
    expect(kinds).toMatchObject({
      kinds: [
        { group: 'example.com', kind: 'Fleet', templatePaths: [['spec', 'template']] },
        ...new Array<object>(15).fill({}),
      ],
    });
    const checksum = (set: string[]): string | undefined =>
      one<{ spec: { template: { metadata: { annotations: Record<string, string> } } } }>(
        render({ values, set }),
        'Deployment',
      ).spec.template.metadata.annotations['checksum/configuration'];
    expect(checksum([])).toMatch(/^[0-9a-f]{64}$/);
    expect(checksum(['clusterPolicy.priority=3'])).not.toBe(checksum([]));
  });

  it('reads Off without quotes, which is false to YAML, as Off', () => {
    expect(argsOf({ overrides: { mutation: false } })).toContain('--mutation=Off');
    expect(argsOf({ overrides: { mutation: true } })).toContain('--mutation=On');
  });

  it('keeps nulls in the policy: they mean never', () => {
    const clusterPolicy = { port: null, probes: { startupProbe: null, livenessProbe: { periodSeconds: 5 } } };
    const { data } = one<{ data: Record<string, string> }>(
      render({ overrides: { clusterPolicy } }),
      'ConfigMap',
      'probewright',
    );
    expect(parse(data['cluster-policy.yaml'] ?? '')).toMatchObject({ spec: clusterPolicy });
  });

  it('in the nodes’ network asks the cluster’s DNS, and makes room for its successor', () => {
    const manifests = render({ values: [`${CHART}/ci/host-network-values.yaml`] });
    expect(one(manifests, 'Deployment')).toMatchObject({
      spec: {
        strategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        template: { spec: { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' } },
      },
    });
  });

  it('is spread by your own constraints, or not at all', () => {
    const selector = { matchLabels: { 'app.kubernetes.io/name': 'probewright' } };
    const spread = (topologySpreadConstraints: object[]): unknown =>
      podSpecOf({ overrides: { topologySpreadConstraints } }).topologySpreadConstraints;
    expect(podSpecOf().topologySpreadConstraints).toMatchObject([
      { labelSelector: selector },
      { labelSelector: selector },
    ]);
    expect(spread([{ topologyKey: 'rack', maxSkew: 2 }])).toMatchObject([
      { topologyKey: 'rack', maxSkew: 2, labelSelector: selector },
    ]);
    const own = { matchLabels: { app: 'web' } };
    expect(spread([{ topologyKey: 'rack', labelSelector: own }])).toEqual([
      { topologyKey: 'rack', labelSelector: own },
    ]);
    expect(spread([])).toBeUndefined();
  });

  it('takes a strategy of your own', () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } };
    expect(one(render({ overrides: { strategy } }), 'Deployment')).toMatchObject({ spec: { strategy } });
  });
});
