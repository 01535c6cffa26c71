import { beforeAll, describe, expect, it } from 'vitest';
import { type DocsBlock, docsBlocks, titleOf } from './docs-commands.ts';
import { waitUntil } from './processes.ts';
import { report } from './scenario-figure.ts';
import type { ChartCluster } from './chart-cluster.ts';

/** Blocks that ask for what only newer servers have: a text in them, and the API that they need. */
const needs: Readonly<Record<string, string>> = {
  'namespaceOptOutGuard.enabled=true': '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  poddisruptionbudget: '/apis/policy/v1/poddisruptionbudgets',
};

/** Each command of the docs, from the installation to its end, as they stand there. */
export function docsScenarios(cluster: () => ChartCluster): void {
  describe('by the commands of the docs', () => {
    const blocks = docsBlocks();

    beforeAll(async () => {
      // The first page installs it, and nobody who reads it has anything yet.
      await cluster().sh('helm uninstall probewright --namespace probewright-system');
      await waitUntil('the Pods are gone', () => cluster().kubelet.webhookPods.length === 0, 60_000);
      await cluster().sh('kubectl delete probepolicies,clusterprobepolicies --all --all-namespaces');
      // Uninstalled replicas have lost the right to give it back: the next leader would wait for its end, about as long as a page waits.
      await cluster().sh('kubectl delete lease probewright --ignore-not-found --namespace probewright-system');
    });

    it('has pages with blocks to run', () => {
      expect(blocks.length).toBeGreaterThan(25);
      expect(blocks[0]?.page).toBe('install.md');
    });

    it.each(blocks.map((block) => [titleOf(block), block] as const))(
      '%s',
      { timeout: 180_000 },
      async (title, block) => {
        const missing = await missingApi(cluster(), block);
        if (missing !== undefined) {
          report('docs, not run', `${title}: ${cluster().version} has no ${missing}`);
          return;
        }
        const { code, stdout, stderr } = await cluster().shell(block.script);
        const output = `${stdout}${stderr}`;
        if (block.fails) expect(code, output).not.toBe(0);
        else expect(code, output).toBe(0);
        for (const line of block.prints?.trimEnd().split('\n') ?? []) expect(output).toContain(line);
      },
    );
  });
}

async function missingApi(cluster: ChartCluster, { script }: DocsBlock): Promise<string | undefined> {
  for (const [text, path] of Object.entries(needs)) {
    if (!script.includes(text)) continue;
    const { status } = await cluster.request('GET', path);
    if (status !== 200) return path;
  }
  return undefined;
}
