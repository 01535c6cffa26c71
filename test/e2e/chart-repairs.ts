import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { releaseNamespace, type ChartCluster } from './chart-cluster.ts';
import { messageOf, tryDeployment } from './chart-trials.ts';
import { deployment, deploymentsOf } from './pods.ts';
import { waitUntil } from './processes.ts';
import { labelNamespaces } from './release-objects.ts';

const page = readFileSync('docs/troubleshooting.md', 'utf8');
const upgrade =
  'helm upgrade probewright charts/probewright --namespace probewright-system --reset-then-reuse-values --set image.repository=localhost/probewright';

/** The commands of the page that a person has to want, by their heading. `sh e2e` blocks are run by chart-docs.ts. */
function repairs(): ReadonlyMap<string, string> {
  const [, ...sections] = page.split(/^##+ /m);
  const found = sections.flatMap((section) => {
    const [heading = ''] = section.split('\n');
    const [, script] = /^```sh by-hand\n([\s\S]*?)^```$/m.exec(section) ?? [];
    return script === undefined || !/helm|rollout undo/.test(script) ? [] : [[heading, script] as const];
  });
  return new Map(found);
}

/** What breaks, and the commands with which docs/troubleshooting.md repairs it. */
export function repairScenarios(cluster: () => ChartCluster): void {
  describe('repaired by the commands of docs/troubleshooting.md', () => {
    const known = repairs();
    const done = new Set<string>();
    const repair = async (heading: string, edit = (script: string): string => script): Promise<void> => {
      done.add(heading);
      await cluster().sh(edit(known.get(heading) ?? `echo "no section ${heading}"; false`));
    };
    const statusOf = async (port: 'http' | 'htpp'): Promise<number> =>
      (await tryDeployment(cluster(), 'default', port)).status;

    it('it rejects a change that somebody needs now', { timeout: 180_000 }, async () => {
      await cluster().sh(`${upgrade} --set enforcement=Deny,replicas=2`);
      await cluster().untilRolledOut(2);
      await waitUntil('it rejects', async () => (await statusOf('htpp')) === 403);
      await repair('Only warn');
      await waitUntil('it only warns', async () => (await statusOf('htpp')) === 201);
    });

    it('it rejects a rollback', { timeout: 180_000 }, async () => {
      // It only warns here, as it did when the template was written.
      const container = (port: string): object => ({ container: { readinessProbe: { httpGet: { path: '/', port } } } });
      await cluster().sh('kubectl create namespace apps');
      const web = (port: string): object => deployment('web', { namespace: 'apps', replicas: 0, ...container(port) });
      await cluster().create(deploymentsOf('apps'), web('htpp'));
      const revision = (number: number): Promise<unknown> =>
        waitUntil(`revision ${number}`, async () => {
          const history = await cluster().sh('kubectl rollout history deployment/web --namespace apps');
          return new RegExp(`^${number} `, 'm').test(history);
        });
      await revision(1);
      const image = { readinessProbe: { httpGet: { port: 'http' } } };
      const patch = JSON.stringify({ spec: { template: { spec: { containers: [{ name: 'app', ...image }] } } } });
      await cluster().sh(`kubectl patch deployment web --namespace apps --patch '${patch}'`);
      await revision(2);
      await cluster().sh(`${upgrade} --set enforcement=Deny`);
      await cluster().untilRolledOut(2);
      const undo = 'kubectl rollout undo deployment/web --namespace apps';
      await waitUntil('the rollback is rejected', async () => {
        const { code, stderr } = await cluster().shell(`${undo} --dry-run=server`);
        return code !== 0 && stderr.includes('(named-port)') && stderr.includes('kind: ProbeException');
      });
      const end = new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+/, '');
      await repair('A rollback is denied', (script) => script.replace(/(?<=expires: )".*"/, `"${end}"`));
      expect(await cluster().sh('kubectl get deployment web --namespace apps --output yaml')).toContain('port: htpp');
    });

    it('its Service is deleted', { timeout: 180_000 }, async () => {
      await cluster().sh(`${upgrade} --values charts/probewright/values.enforced.yaml`);
      await cluster().untilRolledOut(3);
      await cluster().sh('kubectl delete service probewright --namespace probewright-system');
      // Connections of before would go on.
      cluster().proxy.forwarder.sever();
      cluster().proxy.forwarder.mend();
      await untilNotFound();
      await repair('The Service was deleted');
      await waitUntil('it answers', async () => (await statusOf('http')) === 201 && (await statusOf('htpp')) === 403);
    });

    it('its namespace is deleted', { timeout: 300_000 }, async () => {
      await deleteNamespace(cluster());
      await untilNotFound();
      const late = await cluster().shell('helm upgrade probewright charts/probewright --namespace probewright-system');
      expect(late.stderr).toContain('has no deployed releases');
      if (cluster().face !== undefined) {
        // Servers of today label a new namespace themselves.
        await cluster().sh(`kubectl create namespace ${releaseNamespace}`);
        await labelNamespaces(cluster(), [releaseNamespace]);
      }
      await repair('The namespace was deleted');
      await cluster().untilRolledOut(3);
      await waitUntil('it answers', async () => (await statusOf('http')) === 201 && (await statusOf('htpp')) === 403);
      await cluster().sh(`${upgrade} --set webhooks.workloads.failurePolicy=Ignore,replicas=2`);
      await cluster().untilRolledOut(2);
      await cluster().sh('kubectl delete deployment/web probeexception/rollback-web --namespace apps');
    });

    it('and no command of the page is left out', () => {
      expect([...done].toSorted()).toEqual([...known.keys()].toSorted());
    });

    /** The API server says what the page tells people to search for. */
    const untilNotFound = async (): Promise<void> => {
      const text = 'service "probewright" not found';
      expect(page).toContain(`| \`${text}\` |`);
      await waitUntil('it is not found', async () =>
        messageOf(await tryDeployment(cluster(), 'default', 'http')).includes(text),
      );
    };
  });
}

/** Plays the namespace controller, which the control plane of these tests does not have. */
async function deleteNamespace(cluster: ChartCluster): Promise<void> {
  const sh = (script: string): Promise<string> => cluster.sh(script);
  await sh(`kubectl delete namespace ${releaseNamespace} --wait=false`);
  const kinds =
    'deployments,replicasets,services,configmaps,serviceaccounts,roles,rolebindings,resourcequotas,leases,secrets';
  await sh(`kubectl delete ${kinds} --all --wait=false --namespace ${releaseNamespace}`);
  await sh(`kubectl delete pods --all --wait=false --namespace ${releaseNamespace}`);
  await waitUntil('its Pods are gone', async () => (await cluster.kubelet.list()).length === 0, 60_000);
  await sh(`kubectl delete leases,secrets --all --namespace ${releaseNamespace}`);
  await sh(
    `kubectl get namespace ${releaseNamespace} --output json | sed 's/"kubernetes"//' | kubectl replace --raw /api/v1/namespaces/${releaseNamespace}/finalize --filename -`,
  );
  await waitUntil('the namespace is gone', async () => {
    return (await cluster.request('GET', `/api/v1/namespaces/${releaseNamespace}`)).status === 404;
  });
}
