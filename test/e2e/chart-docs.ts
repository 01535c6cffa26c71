import { beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from './processes.ts';
import { report } from './scenario-figure.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChartCluster } from './chart-cluster.ts';

const docs = join(import.meta.dirname, '../../docs');

/** A block of commands in a page, which has to run as it stands there. */
interface DocsBlock {
  readonly page: string;
  readonly line: number;
  readonly script: string;
  /** The page shows how it is refused. */
  readonly fails: boolean;
  /** What the page says that it prints, when it does. */
  readonly prints: string | undefined;
}

/** Pages that have to come last: after them there is nothing left to try anything with. */
const lastPages = ['operate.md'];

/** All blocks, page by page as the index lists them. */
function docsBlocks(): DocsBlock[] {
  const index = readFileSync(join(docs, 'README.md'), 'utf8');
  const pages = new Set([...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page = '']) => page));
  for (const page of lastPages) if (pages.delete(page)) pages.add(page);
  return [...pages].flatMap((page) => blocksOf(page, readFileSync(join(docs, page), 'utf8')));
}

/** The blocks of a page that are to be run: the fence says `sh e2e`, or `sh e2e fails`. */
function blocksOf(page: string, text: string): DocsBlock[] {
  const fences = text.matchAll(/^```sh e2e( fails)?\n([\s\S]*?)^```\n(?:\n```console\n([\s\S]*?)^```$)?/gm);
  return [...fences].map(({ index, 1: fails, 2: script = '', 3: prints }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    script,
    fails: fails !== undefined,
    prints,
  }));
}

/** What a reader goes by: the page, the line, and the beginning of the first command. */
function titleOf({ page, line, script }: DocsBlock): string {
  const [first = ''] = script.split('\n');
  return `docs/${page}:${line} ${first.length > 90 ? `${first.slice(0, 90)}...` : first}`;
}

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
        const lines = block.prints?.trimEnd().split('\n') ?? [];
        for (const line of lines.filter((each) => each !== '...')) expect(output).toContain(line);
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
