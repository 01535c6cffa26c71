import { describe, expect, it } from 'vitest';
import { OBSERVE, OBSERVE_FLAGS } from '../../src/cli/process/observe-definition.ts';
import { observeConfig } from '../../src/cli/process/observe.ts';
import { parseCommandLine } from '../../src/cli/flags/parse-command-line.ts';
import { isWithoutHelm, one, render, valuesFiles } from './helm.ts';
import type { PolicyRule } from '../e2e/written-rbac.ts';

const ON = ['observer.enabled=true'];
const NAME = 'probewright-observer';

function argsOf(set: readonly string[], values: readonly string[] = []): readonly string[] {
  const { spec } = one<{ spec: { template: { spec: { containers: { args: string[] }[] } } } }>(
    render({ set: [...ON, ...set], values }),
    'Deployment',
    NAME,
  );
  return spec.template.spec.containers[0]?.args ?? [];
}

const isOfObserver = ({ metadata }: { metadata: { labels?: Readonly<Record<string, string>> } }): boolean =>
  metadata.labels?.['app.kubernetes.io/component'] === 'observer';

describe.skipIf(isWithoutHelm('observer.tools.test.ts'))('the observer of the chart', () => {
  it('is off, and nothing of the webhook depends on it', () => {
    const without = render();
    expect(without.filter(isOfObserver)).toEqual([]);
    expect(render({ set: ON }).filter((manifest) => !isOfObserver(manifest))).toEqual(without);
  });

  it.each(valuesFiles().filter((file) => !file.includes('names')))(
    'with %s has a command line that observe understands',
    (file) => {
      const [command, ...args] = argsOf([], [file]);
      expect(command).toBe('observe');
      const line = parseCommandLine(OBSERVE, args, {});
      if (line.kind !== 'command') throw new Error(JSON.stringify(line));
      expect(observeConfig(line.flags).cluster).toMatchObject({
        kubeconfig: 'in-cluster',
        lease: expect.stringMatching(/-observer$/) as string,
      });
    },
  );

  it('passes every flag that observe has', () => {
    const file = valuesFiles().find((name) => name.includes('observer')) ?? '';
    const passed = new Set(argsOf([], [file]).map((arg) => /^--([a-z-]+)=/.exec(arg)?.[1]));
    expect(Object.keys(OBSERVE_FLAGS).filter((flag) => !passed.has(flag))).toEqual([]);
  });

  it('may read workloads and write reports, and nothing else', () => {
    const { rules } = one<{ rules: PolicyRule[] }>(render({ set: ON }), 'ClusterRole', NAME);
    const writing = rules.filter(({ verbs }) => verbs.some((verb) => !['get', 'list', 'watch'].includes(verb)));
    expect(writing.flatMap(({ resources }) => resources).sort()).toEqual([
      'policyreports',
      'reports',
      'startupprofiles',
      'startupprofiles/status',
    ]);
    const resources = rules.flatMap((rule) => rule.resources);
    expect(resources).toEqual(
      expect.arrayContaining(['probepolicies', 'namespaces', 'pods', 'deployments', 'rollouts']),
    );
    expect(resources).not.toContain('secrets');
    const ofWebhook = rules.filter((rule) => rule.resources.includes('mutatingwebhookconfigurations'));
    expect(ofWebhook).toMatchObject([{ resourceNames: ['00-probewright'], verbs: ['get'] }]);
  });

  it('may write no report when there are to be none, and read custom kinds of the values', () => {
    const set = [
      'observer.reports.api=none',
      'workloadKinds[0].group=example.com',
      'workloadKinds[0].kind=Fleet',
      'workloadKinds[0].resource=fleets',
      'workloadKinds[0].podTemplatePath=spec.template',
    ];
    const { rules } = one<{ rules: PolicyRule[] }>(render({ set: [...ON, ...set] }), 'ClusterRole', NAME);
    const resources = rules.flatMap((rule) => rule.resources);
    expect(resources).not.toContain('reports');
    expect(resources).toContain('fleets');
  });

  it('has a budget only for several replicas', () => {
    const budgets = (...set: string[]): number =>
      render({ set: [...ON, ...set] }).filter(
        (manifest) => manifest.kind === 'PodDisruptionBudget' && isOfObserver(manifest),
      ).length;
    expect([budgets(), budgets('observer.replicas=2')]).toEqual([0, 1]);
  });
});
