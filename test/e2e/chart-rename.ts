import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { waitUntil } from './processes.ts';
import { loadFigure, loadNamespace, startLoad, type LoadResult } from './load.ts';
import { untilProbePath } from './pods.ts';
import { readable, report } from './scenario-figure.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import type { ChartCluster } from './chart-cluster.ts';

const collection = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const [before, now] = ['probewright', '00-probewright'];

/** Under Fail a gap is a failed call. The API server waits so long that a busy machine makes no call fail. */
const values =
  '--namespace probewright-system --set image.repository=localhost/probewright ' +
  '--set webhooks.pods.failurePolicy=Fail,webhooks.timeoutSeconds=30,leaderElection.leaseDuration=9s,leaderElection.renewInterval=3s';

/** What makes today's chart that of the time when both configurations had one name, and the replicas knew only that. */
const renamed: readonly (readonly [file: string, today: string, then: string])[] = [
  [
    'templates/_names.tpl',
    '{{- printf "00-%s" (include "probewright.fullname" .) -}}',
    '{{- include "probewright.fullname" . -}}',
  ],
  ['templates/_args.tpl', '{{ include "probewright.mutatingName" . }},{{', '{{'],
  ['files/rbac.yaml', "['00-{{ .name }}', '{{ .name }}']", "['{{ .name }}']"],
];

/** Releases from before the MutatingWebhookConfiguration had a name of its own. */
export function renameScenarios(cluster: () => ChartCluster): void {
  describe('upgraded from the chart with the earlier name of the MutatingWebhookConfiguration', () => {
    it('leaves no Pod without its probes under Fail, and no call without an answer', { timeout: 300_000 }, async () => {
      await cluster().sh('helm uninstall probewright --namespace probewright-system');
      await waitUntil('its Pods are gone', () => cluster().kubelet.webhookPods.length === 0, 60_000);
      const chart = await earlierChart();
      await cluster().sh(`helm install probewright ${chart} ${values}`);
      await cluster().untilRolledOut(2);
      await untilProbePath(cluster(), loadNamespace, 'livenessProbe', '/load');
      expect(await namesOf(cluster())).toEqual([before]);
      const { result, record } = await underLoad(cluster(), `helm upgrade probewright ${CHART} ${values}`);
      report('upgrade that renames the configuration', `${loadFigure(result)}; ${record.figure()}`);
      expect([result.failures, result.unpatched]).toEqual([[], []]);
      expect(await namesOf(cluster())).toEqual([now]);
      expect(record.gaps).toBe(0);
      expect(record.longestOverlap).toBeLessThan(2_000);
    });

    it('keeps the caBundle at the next upgrade', { timeout: 300_000 }, async () => {
      const upgrade = `helm upgrade probewright ${CHART} ${values} --set logLevel=debug`;
      const { result, record } = await underLoad(cluster(), upgrade);
      report('the upgrade after that', `${loadFigure(result)}; ${record.figure()}`);
      expect([result.failures, result.unpatched, record.gaps]).toEqual([[], [], 0]);
    });

    it('is rolled back, and has one configuration, which is filled at once', { timeout: 300_000 }, async () => {
      const { result, record } = await underLoad(
        cluster(),
        'helm rollback probewright 1 --namespace probewright-system',
      );
      report('rollback to the earlier name', `${loadFigure(result)}; ${record.figure()}`);
      expect(await namesOf(cluster())).toEqual([before]);
      // Helm creates the earlier configuration without a caBundle, and a replica fills it: after some milliseconds, if not busy.
      expect(record.longestGap).toBeLessThan(5_000);
      expect(result.failures.length).toBeLessThan(100);
      expect(result.unpatched).toEqual([]);
    });

    it('is uninstalled, and leaves no configuration', async () => {
      await cluster().sh(`helm upgrade probewright ${CHART} ${values}`);
      await cluster().sh('helm uninstall probewright --namespace probewright-system');
      expect(await namesOf(cluster())).toEqual([]);
      await cluster().sh(`helm install probewright ${CHART} ${values}`);
      await cluster().untilRolledOut(2);
    });
  });
}

async function earlierChart(): Promise<string> {
  const directory = await temporaryDirectory('earlier-chart');
  onTestFinished(() => directory.remove());
  const chart = join(directory.path, 'probewright');
  cpSync(CHART, chart, { recursive: true });
  for (const [file, today, then] of renamed) {
    const text = readFileSync(join(chart, file), 'utf8');
    expect(text).toContain(today);
    writeFileSync(join(chart, file), text.replace(today, then));
  }
  return chart;
}

/** Creates Pods while the command runs and until its replicas are replaced, and looks at the configurations meanwhile. */
async function underLoad(
  cluster: ChartCluster,
  command: string,
): Promise<{ result: LoadResult; record: ConfigurationRecord }> {
  const load = startLoad(cluster, { namespace: loadNamespace, perSecond: 20 });
  onTestFinished(async () => {
    await load.stop();
  });
  const record = new ConfigurationRecord(cluster);
  await sleep(1_000);
  await cluster.sh(command);
  await cluster.untilRolledOut(2);
  await sleep(2_000);
  await record.stop();
  return { result: await load.stop(), record };
}

/** How long no configuration could be called, and how long two could. */
class ConfigurationRecord {
  gaps = 0;
  longestGap = 0;
  longestOverlap = 0;
  #looks = 0;
  #isStopped = false;
  readonly #done: Promise<void>;

  constructor(cluster: ChartCluster) {
    this.#done = this.#look(cluster);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
  }

  figure(): string {
    const [overlap, gap] = [readable(this.longestOverlap), readable(this.longestGap)];
    return `${this.#looks} looks: both configurations for ${overlap}, none for ${gap}`;
  }

  async #look(cluster: ChartCluster): Promise<void> {
    let since: { readonly filled: number; readonly at: number } | undefined;
    for (; !this.#isStopped; await sleep(2)) {
      const { items } = await cluster.read<{ items: readonly Configuration[] }>(collection);
      const filled = items.filter(({ webhooks }) => webhooks.every(({ clientConfig }) => clientConfig.caBundle)).length;
      const at = performance.now();
      this.#looks += 1;
      if (since?.filled !== filled) {
        if (filled === 0) this.gaps += 1;
        since = { filled, at };
      }
      if (filled === 0) this.longestGap = Math.max(this.longestGap, at - since.at);
      if (filled > 1) this.longestOverlap = Math.max(this.longestOverlap, at - since.at);
    }
  }
}

interface Configuration {
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly { readonly clientConfig: { readonly caBundle?: string } }[];
}

async function namesOf(cluster: ChartCluster): Promise<string[]> {
  const { items } = await cluster.read<{ items: readonly Configuration[] }>(collection);
  return items.map(({ metadata }) => metadata.name);
}
