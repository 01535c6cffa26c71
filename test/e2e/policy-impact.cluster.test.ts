import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { runProbewright } from '../cli/run-probewright.ts';
import { exceptionDocument } from '../support/exceptions.ts';
import { clusterPolicyDocument, policyDocument } from '../support/worlds.ts';
import { controlPlaneProblem, startControlPlane, type ControlPlane, kubeconfigText } from './control-plane.ts';
import { waitUntil, freePorts } from './processes.ts';
import { applyCrds } from './custom-resource-definitions.ts';
import { deployment as deploymentNamed, deploymentsOf } from './pods.ts';
import { readable, report } from './scenario-figure.ts';
import { slowdownNow } from '../support/slowdown.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { rule } from './webhook-configuration.ts';
import { startWebhook } from './webhook-process.ts';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const NAMESPACES = 40;
const WORKLOADS = 2000;
const GROUP = '/apis/probewright.dev/v1alpha1';
/** What `kubectl apply --dry-run=server` of a policy may take, on a machine that is not slowed down. */
const MILLISECONDS = 2000;
/** From so much on, a machine counts as slowed down: an idle one varies by a fifth. */
const SLOW = 1.3;

/** Every tenth Deployment has no probe, every seventh has a probe on a port that its container does not declare. */
function deployment(index: number): object {
  const port = index % 7 === 0 ? 'htpp' : 'http';
  const container = { ...(index % 10 > 0 && { livenessProbe: { httpGet: { path: '/live', port } } }) };
  return deploymentNamed(`web-${index}`, { namespace: `team-${index % NAMESPACES}`, container });
}

interface Summary {
  readonly changedProbes: number;
  readonly newlyDenied: number;
  readonly noLongerDenied: number;
  readonly newlyWarned: number;
}

describeUnless(controlPlaneProblem(), 'the effect of a policy on 2,000 Deployments in 40 namespaces', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let link: SlowLists;

  beforeAll(async () => {
    cluster = await keep(startControlPlane());
    directory = await keep(temporaryDirectory('policy-impact'));
    await applyCrds(cluster);
    for (let index = 0; index < NAMESPACES; index++) {
      const labels = { tier: index % 4 === 0 ? 'front' : 'back' };
      await cluster.create('/api/v1/namespaces', { metadata: { name: `team-${index}`, labels } });
    }
    for (let index = 0; index < WORKLOADS; index += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, offset) =>
          cluster.create(deploymentsOf(`team-${(index + offset) % NAMESPACES}`), deployment(index + offset)),
        ),
      );
    // A mapping that a policy may remove, for the namespaces of one tier.
    await cluster.apply(mapping({ readinessProbe: '/ready' }));
    link = await keep(slowLists(cluster));
    const kubeconfig = join(directory.path, 'kubeconfig');
    await writeFile(kubeconfig, link.kubeconfig, { mode: 0o600 });
    const webhook = await keep(startWebhook({ args: ['--kubeconfig', kubeconfig, '--namespace', 'default'] }));
    const clientConfig = {
      url: `${webhook.url}/review-policies`,
      caBundle: Buffer.from(webhook.caPem).toString('base64'),
    };
    const kinds = ['probepolicies', 'clusterprobepolicies', 'probeexceptions'];
    await cluster.create('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
      metadata: { name: 'probewright' },
      webhooks: [
        {
          name: 'review-policies.probewright.dev',
          clientConfig,
          rules: [rule('probewright.dev', kinds, ['CREATE', 'UPDATE', 'DELETE'])],
          failurePolicy: 'Ignore',
          sideEffects: 'None',
          timeoutSeconds: 5,
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    await waitUntil('policies are reviewed', async () => {
      const { stderr } = await applied(mapping({ readinessProbe: '/other' }));
      return stderr.includes('500 would get other probes');
    });
  }, 120_000);
  function mapping(endpoints: JsonObject): JsonObject {
    const namespaceSelector = { matchLabels: { tier: 'front' } };
    return clusterPolicyDocument(
      { namespaceSelector, containers: ['*'], kubernetesProbeEndpoints: endpoints },
      'mapping',
    );
  }

  async function applied(object: JsonObject): Promise<{ stderr: string; milliseconds: number }> {
    const begun = performance.now();
    const { stderr } = await cluster.kubectl(['apply', '--dry-run=server', '--filename=-'], {
      input: JSON.stringify(object),
    });
    return { stderr, milliseconds: performance.now() - begun };
  }

  /** What `probewright plan` says about the same change of the same cluster. */
  async function planned(object: JsonObject): Promise<Summary> {
    const file = join(directory.path, 'policy.json');
    await writeFile(file, JSON.stringify(object));
    const args = ['plan', '--policies', file, '-A', '--output', 'json'];
    const { stdout, stderr } = await runProbewright(args, { env: { KUBECONFIG: cluster.kubeconfig } });
    if (stdout === '') throw new Error(stderr);
    return (JSON.parse(stdout) as { summary: Summary }).summary;
  }

  /** The figures in the warning of the API server. */
  function figures(text: string): Summary {
    const number = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
    return {
      changedProbes: number(/(\d+) would get other probes/),
      newlyDenied: number(/(\d+) would be denied if created again, and warned at updates/),
      noLongerDenied: number(/(\d+) would no longer be denied/),
      newlyWarned: number(/(\d+) would get warnings/),
    };
  }

  const required = { 'required-liveness': { action: 'Deny' } };
  const inTheFuture = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const exception = exceptionDocument(
    { workloads: undefined, workloadSelector: {}, expires: inTheFuture },
    { namespace: 'team-1' },
  );

  it.each<[string, JsonObject, Partial<Summary>]>([
    ['a policy for all namespaces', clusterPolicyDocument({ checks: required }, 'strict'), { newlyDenied: 200 }],
    [
      'a policy with a namespaceSelector',
      clusterPolicyDocument(
        {
          namespaceSelector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['back'] }] },
          checks: required,
        },
        'strict',
      ),
      { newlyDenied: 100 },
    ],
    ['a policy of one namespace', policyDocument({ checks: required }, 'strict', 'team-10'), { newlyDenied: 50 }],
    ['a policy that removes its mapping', mapping({}), { changedProbes: 500 }],
    ['an exception', exception, { noLongerDenied: 7 }],
  ])('is that of plan, and comes in time: %s', async (_what, object, expected) => {
    const slowdown = slowdownNow();
    const runs = [await applied(object), await applied(object)];
    const fastest = Math.min(...runs.map(({ milliseconds }) => milliseconds));
    report('kubectl apply --dry-run=server', `${_what}: ${readable(fastest)}`);
    const plan = await planned(object);
    for (const { stderr } of runs) {
      // A slow machine does not look at all workloads in the time, and says so.
      const [, lookedAt] = /the time limit of 1\.5 s ended the review after (\d+) workloads/.exec(stderr) ?? [];
      if (slowdown > SLOW && lookedAt !== undefined) {
        expect(Number(lookedAt)).toBeGreaterThan(WORKLOADS / 10);
        expect(figures(stderr).newlyDenied).toBeLessThanOrEqual(plan.newlyDenied);
        continue;
      }
      expect(stderr).not.toMatch(/leaves out|incomplete|not computed/);
      expect(figures(stderr)).toMatchObject({
        changedProbes: plan.changedProbes,
        newlyDenied: plan.newlyDenied,
        noLongerDenied: plan.noLongerDenied,
        newlyWarned: plan.newlyWarned,
      });
      expect(figures(stderr)).toMatchObject(expected);
    }
    expect(fastest / slowdown).toBeLessThan(MILLISECONDS);
  });

  it('stores nothing', async () => {
    const names = async (resource: string): Promise<string[]> => {
      const { items } = await cluster.read<{ items: { metadata: { name: string } }[] }>(`${GROUP}/${resource}`);
      return items.map(({ metadata }) => metadata.name);
    };
    const kinds = ['clusterprobepolicies', 'probepolicies', 'probeexceptions'];
    expect(await Promise.all(kinds.map(names))).toEqual([['mapping'], [], []]);
  });

  it('comes in time with slow lists, and says how many workloads were looked at', async () => {
    link.delay(500);
    const { stderr, milliseconds } = await applied(clusterPolicyDocument({ checks: required }, 'strict'));
    report('kubectl apply --dry-run=server', `each list takes 500 ms longer: ${readable(milliseconds)}`);
    // A webhook that answers too late is ignored: there would be no warning.
    expect(stderr).toMatch(/the figures are incomplete: the time limit of 1\.5 s ended the review after \d+ workloads/);
    // A slow API server is not to blame for a policy that cannot be read.
    const { code, stderr: refusal } = await cluster.kubectl(['apply', '--dry-run=server', '--filename=-'], {
      input: JSON.stringify(clusterPolicyDocument({ checks: { 'named-port': { action: 'Reject' } } }, 'strict')),
      allowFailure: true,
    });
    expect([code === 0, refusal.includes('spec.checks')]).toEqual([false, true]);
    link.delay(0);
  });
});

/** A way to the API server on which lists may be slow. */
interface SlowLists {
  /** A kubeconfig of the administrator, as text. */
  readonly kubeconfig: string;
  /** From now on, each list takes so many milliseconds longer. */
  delay(milliseconds: number): void;
  stop(): void;
}

/** Starts a proxy on loopback before the API server. Watches and single objects are as fast as ever. */
async function slowLists({ server, access }: ControlPlane): Promise<SlowLists> {
  let pause = 0;
  const forward = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '', headers } = incoming;
    if (method === 'GET' && /[?&]limit=/.test(url) && !/[?&]watch=/.test(url)) await sleep(pause);
    const onward = request(new URL(url, server), { method, headers, ca: access.caPem }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    incoming.pipe(onward);
  };
  const proxy = createServer((incoming, response) => void forward(incoming, response));
  proxy.requestTimeout = 0;
  const [port] = await freePorts(1);
  proxy.listen(port, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    kubeconfig: kubeconfigText({ server: `http://127.0.0.1:${port}`, token: access.token }),
    delay: (milliseconds) => {
      pause = milliseconds;
    },
    stop: () => {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
