import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { SERVE_FLAGS } from '../../src/cli/process/serve-definition.ts';
import { readPolicyDocuments } from '../../src/cli/input/world.ts';
import { readWorkloadKinds } from '../../src/cluster/sources/workload-kinds.ts';
import { parseServe } from '../cli/parse-serve.ts';
import { runProbewright } from '../cli/run-probewright.ts';
import { isWithoutHelm, one, render, renderText, valuesFiles, type Rendering } from './helm.ts';

function argsOf(rendering: Rendering = {}): string[] {
  type Deployment = { spec: { template: { spec: { containers: { args: string[] }[] } } } };
  return one<Deployment>(render(rendering), 'Deployment').spec.template.spec.containers[0]?.args ?? [];
}
const flagOf = (arg: string): string => /^--([a-z-]+)=/.exec(arg)?.[1] ?? '';

describe.skipIf(isWithoutHelm('deployment.tools.test.ts'))('the Deployment', () => {
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

  it('pins no user, and limits no CPU', () => {
    const deployment = JSON.stringify(one(render(), 'Deployment'));
    expect(deployment).not.toContain('runAsUser');
    expect(deployment).not.toMatch(/"limits":\{[^}]*cpu/);
  });

  it('has files for policy and kinds that serve reads, and starts anew when they change', () => {
    const values = [`${CHART}/ci/full-values.yaml`];
    const manifests = render({ values });
    const data = one<{ data: Record<string, string> }>(manifests, 'ConfigMap', 'probewright').data;
    const policies = readPolicyDocuments([{ file: 'cluster-policy.yaml', text: data['cluster-policy.yaml'] ?? '' }]);
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
});
