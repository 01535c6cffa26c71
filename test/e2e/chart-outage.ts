import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { releaseNamespace, type ChartCluster } from './chart-cluster.ts';
import { messageOf, tryDeployment, tryPod, watchedNamespace } from './chart-trials.ts';
import { waitUntil } from './processes.ts';
import { hasThreeProbes } from './pods.ts';
import { readable, report } from './scenario-figure.ts';

const upgrade =
  'helm upgrade probewright charts/probewright --namespace probewright-system --set image.repository=localhost/probewright';

/** Nobody should wait longer for a creation that needs no answer. */
const atOnce = 2_000;

/** A release that does not answer. */
export function outageScenarios(cluster: () => ChartCluster): void {
  describe('out of reach', () => {
    it('delays a Pod by no more than timeoutSeconds plus one second when packets are swallowed', async () => {
      const { webhooks } = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as {
        webhooks: { timeoutSeconds: number };
      };
      cluster().proxy.forwarder.swallow();
      onTestFinished(() => cluster().proxy.forwarder.mend());
      const delays: number[] = [];
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const { status, milliseconds } = await tryPod(cluster(), watchedNamespace);
        expect(status).toBe(201);
        delays.push(milliseconds);
      }
      const limit = webhooks.timeoutSeconds + 1;
      report('packets swallowed', `Pods delayed by ${delays.map(readable).join(' and ')} (at most ${limit} s)`);
      expect(Math.max(...delays)).toBeLessThan(limit * 1000);
      cluster().proxy.forwarder.mend();
      await waitUntil('Pods are patched again', async () => {
        const { pod } = await tryPod(cluster(), watchedNamespace);
        return hasThreeProbes(pod);
      });
    });

    describe('with values.enforced.yaml and no replica left', () => {
      it('is refused by nobody but Deployments, with an error that says what to do', { timeout: 180_000 }, async () => {
        await cluster().sh(`${upgrade} --values charts/probewright/values.enforced.yaml`);
        await cluster().untilRolledOut(3);
        await cluster().sh('kubectl scale deployment probewright --namespace probewright-system --replicas=0');
        await cluster().untilRolledOut(0);
        await podsStart(cluster());
        const refused = await tryDeployment(cluster(), 'default', 'http');
        expect(refused.status).toBe(500);
        expect(messageOf(refused)).toContain('failed calling webhook "validate-workloads.probewright.dev"');
        for (const namespace of ['kube-system', releaseNamespace]) {
          expect((await tryDeployment(cluster(), namespace, 'http')).status, namespace).toBe(201);
        }
      });

      it('lets Deployments through after the softer break-glass command of its notes', async () => {
        for (const command of softerCommands()) await cluster().sh(command);
        await waitUntil('Deployments are accepted', async () => {
          const { status } = await tryDeployment(cluster(), 'default', 'http');
          return status === 201;
        });
      });
    });

    describe('with default values and no replica left', () => {
      it('refuses nothing', { timeout: 180_000 }, async () => {
        await cluster().sh(`${upgrade} --force-conflicts --set replicas=0`);
        await waitUntil(
          'the webhooks are on Ignore',
          async () => (await tryDeployment(cluster(), 'default', 'http')).status === 201,
        );
        await podsStart(cluster());
        const accepted = await tryDeployment(cluster(), 'default', 'htpp');
        expect(accepted.status).toBe(201);
      });

      it('is asked nothing after the break-glass command of its notes, until the next upgrade', async () => {
        await cluster().sh(`${upgrade} --set replicas=2`);
        await cluster().untilRolledOut(2);
        await waitUntil('it refuses', async () => (await tryDeployment(cluster(), 'default', 'htpp')).status === 403);
        const command = await breakGlass(cluster());
        await cluster().sh(command);
        await waitUntil(
          'it is asked nothing',
          async () => (await tryDeployment(cluster(), 'default', 'htpp')).status === 201,
        );
        await cluster().sh(`${upgrade} --set replicas=2`);
        await waitUntil('it refuses', async () => (await tryDeployment(cluster(), 'default', 'htpp')).status === 403);
      });
    });
  });
}

/** The command of the release's notes that takes it all away, which the page of faults has, too. */
async function breakGlass(cluster: ChartCluster): Promise<string> {
  const notes = await cluster.sh('helm get notes probewright --namespace probewright-system');
  const [command = '', ...others] = notes.split('\n').filter((line) => /^ {2}kubectl (delete|patch) /.test(line));
  expect(others).toEqual([]);
  expect(page()).toContain(`\n${command.trim()}\n`);
  return command.trim();
}

/** The commands of the page that only let through what it does not answer. */
function softerCommands(): readonly string[] {
  const [, section = ''] = /^### Softer.*\n([\s\S]*?)^To undo this/m.exec(page()) ?? [];
  const commands = section.split('\n').filter((line) => line.startsWith('kubectl patch '));
  expect(commands).toHaveLength(2);
  return commands;
}

const page = (): string => readFileSync('docs/troubleshooting.md', 'utf8');

/** With nobody to ask: Pods start everywhere, and those that would be patched start as they were written. */
async function podsStart(cluster: ChartCluster): Promise<void> {
  for (const namespace of ['kube-system', releaseNamespace, watchedNamespace]) {
    const { status, pod, milliseconds } = await tryPod(cluster, namespace);
    expect(status, namespace).toBe(201);
    expect(milliseconds, namespace).toBeLessThan(atOnce);
    expect(hasThreeProbes(pod), namespace).toBe(false);
  }
}
