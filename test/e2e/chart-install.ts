import { describe, expect, it, onTestFinished } from 'vitest';
import { messageOf, tryDeployment } from './chart-trials.ts';
import { waitUntil } from './processes.ts';
import { readable, report } from './scenario-figure.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadFigure, startLoad, loadNamespace, prepareLoad } from './load.ts';
import type { ChartCluster } from './chart-cluster.ts';

/** Day one. */
export function installScenarios(cluster: () => ChartCluster): void {
  describe('installed', () => {
    it('has its replicas available, each started exactly as its Pod says', async () => {
      const began = performance.now();
      await cluster().sh(
        'helm install probewright charts/probewright --namespace probewright-system --create-namespace --set image.repository=localhost/probewright',
      );
      const installed = performance.now() - began;
      await cluster().untilRolledOut(2);
      report(
        'helm install',
        `in ${readable(installed)}, 2 replicas available after ${readable(performance.now() - began)}`,
      );
      expect(cluster().kubelet.pods.map(({ restarts }) => restarts)).toEqual([0, 0]);
    });

    it('proves itself by helm test', async () => {
      const began = performance.now();
      const output = await cluster().sh('helm test probewright --namespace probewright-system --logs');
      // Helm prints the log of a Pod once for each hook of its name.
      const lines = output.split('\n').filter((line) => /^(ok|FAIL) /.test(line));
      report('helm test', `${lines.length} proofs in ${readable(performance.now() - began)}`);
      expect(lines.map((line) => line.slice(0, 4))).toEqual(['ok  ', 'ok  ', 'ok  ']);
      expect(output.split('Probewright is at work.').length).toBe(2);
    });

    it('gives probes by the first policy of its notes, as it is pasted', async () => {
      const notes = await cluster().sh('helm get notes probewright --namespace probewright-system');
      const command = /^kubectl apply --namespace default [\s\S]*?^EOF$/m.exec(notes)?.[0] ?? '';
      await cluster().sh(command);
      const pod =
        "kubectl run web --image=registry.example/web:1 --port=8080 --dry-run=server --output=jsonpath='{.metadata.annotations}'";
      await waitUntil(
        'a Pod gets the probes',
        async () => (await cluster().sh(pod)).includes('ProbePolicy/default/defaults'),
        30_000,
      );
      await cluster().sh('kubectl delete probepolicy defaults --namespace default');
    });

    it('refuses a Deployment that cannot work, and says what to write', async () => {
      const good = await tryDeployment(cluster(), 'default', 'http');
      expect(good.status, good.body).toBe(201);
      const bad = await tryDeployment(cluster(), 'default', 'htpp');
      expect(bad.status).toBe(403);
      const [first] = messageOf(bad).split('\n');
      expect(first).toBe(
        'admission webhook "validate-workloads.probewright.dev" denied the request: spec.template.spec.containers[0].readinessProbe.httpGet.port: ' +
          'container "app" declares no port named "htpp"; did you mean "http"? (named-port)',
      );
    });
  });
}

/** How long calls go on before the update and after it. */
const quietMilliseconds = 3_000;

/** A change of values, which replaces the Pods. */
export function rolloutScenarios(cluster: () => ChartCluster): void {
  describe('updated', () => {
    it('fails no call and leaves no Pod unpatched, at 50 creates a second', { timeout: 180_000 }, async () => {
      await prepareLoad(cluster());
      const { kubelet } = cluster();
      const before = kubelet.ended.length;
      const load = startLoad(cluster(), { namespace: loadNamespace });
      onTestFinished(async () => {
        await load.stop();
      });
      await sleep(quietMilliseconds);
      const began = performance.now();
      const values = '--reset-then-reuse-values --set enforcement=Warn';
      await cluster().sh(`helm upgrade probewright charts/probewright --namespace probewright-system ${values}`);
      await cluster().untilRolledOut(2);
      const took = performance.now() - began;
      await sleep(quietMilliseconds);
      const result = await load.stop();
      report('rolling update under load', `${loadFigure(result)}; both replicas replaced in ${readable(took)}`);
      expect(result.failures).toEqual([]);
      expect(result.unpatched).toEqual([]);
      expect(result.keptPace).toBeGreaterThan(0.9);
      const ended = kubelet.ended.slice(before).filter(({ name }) => name !== 'probewright-test');
      expect(ended.map(({ code, restarts }) => [code, restarts])).toEqual([
        [0, 0],
        [0, 0],
      ]);
    });

    it('warns under Warn of what Deny refuses', async () => {
      const { status, warnings } = await tryDeployment(cluster(), 'default', 'htpp');
      expect(status).toBe(201);
      expect(warnings).toContain('container \\"app\\" declares no port named \\"htpp\\"');
    });
  });
}
