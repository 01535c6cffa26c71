import { describe, expect, it } from 'vitest';
import { report } from './scenario-figure.ts';
import type { ChartCluster } from './chart-cluster.ts';

/** What is refused before anything happens, and how the sentence begins. */
const refused: readonly (readonly [what: string, command: string, sentence: RegExp])[] = [
  [
    'an unknown key',
    'helm install other charts/probewright --namespace other --create-namespace --set replica=3',
    /additional properties 'replica' not allowed/,
  ],
  [
    'Fail with one replica',
    'helm install other charts/probewright --namespace other --create-namespace --set image.repository=localhost/probewright --set webhooks.workloads.failurePolicy=Fail,replicas=1',
    /webhooks\.workloads\.failurePolicy is Fail and replicas is 1: .* Set replicas to 2 or more, or failurePolicy to Ignore/,
  ],
  [
    'two certificate modes',
    'helm install other charts/probewright --namespace other --create-namespace --set image.repository=localhost/probewright --set certificates.mode=cert-manager,certificates.secret.name=mine',
    /certificates\.secret\.name is set and certificates\.mode is cert-manager: choose one\./,
  ],
  [
    'no image',
    'helm install other charts/probewright --namespace other --create-namespace',
    /image\.repository is not set, [^]*--set image\.repository=localhost\/probewright --set image\.tag=/,
  ],
  [
    'kube-system as the namespace of the release',
    'helm install other charts/probewright --namespace kube-system',
    /Probewright cannot be installed in kube-system: .* Install it in one of its own: --namespace [-a-z]+ --create-namespace/,
  ],
];

/** Values that would hurt later. */
export function guardRailScenarios(cluster: () => ChartCluster): void {
  describe('misconfigured', () => {
    it.each(refused)('by %s is refused with a sentence that says what to do', async (what, command, sentence) => {
      const { code, stderr } = await cluster().shell(command);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(sentence);
      report(`refused: ${what}`, stderr.trim().split('\n').slice(-1).join(' '));
      expect(await cluster().sh('helm list --all-namespaces --short --filter other')).toBe('');
    });
  });
}
