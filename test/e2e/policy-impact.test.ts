import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProbewright } from '../cli/run-probewright.ts';
import { clusterPolicyDocument, policyDocument } from '../support/worlds.ts';
import { controlPlaneProblem, startControlPlane, waitUntil, type ControlPlane } from './control-plane.ts';
import { applyCrds } from './custom-resource-definitions.ts';
import { readable, report } from './scenario-figure.ts';
import { slowLists, type SlowLists } from './slow-lists.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { rule } from './webhook-configuration.ts';
import { startWebhook, type WebhookProcess } from './webhook-process.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const problem = controlPlaneProblem();
if (problem !== undefined) console.warn(`policy-impact.test.ts is skipped: ${problem}`);

const NAMESPACES = 40;
const WORKLOADS = 2000;
const GROUP = '/apis/probewright.dev/v1alpha1';
/** What `kubectl apply --dry-run=server` of a policy may take. */
const MILLISECONDS = 2000;

/** Every tenth Deployment has no probe, every seventh has a probe on a port that its container does not declare. */
function deployment(index: number): object {
  const port = index % 7 === 0 ? 'htpp' : 'http';
  const name = `web-${index}`;
  const container = {
    name: 'app',
    image: 'registry.example/app:1',
    ports: [{ name: 'http', containerPort: 8080 }],
    ...(index % 10 > 0 && { livenessProbe: { httpGet: { path: '/live', port } } }),
  };
  const template = { metadata: { labels: { app: name } }, spec: { containers: [container] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas: 0, selector: { matchLabels: { app: name } }, template },
  };
}

interface Summary {
  readonly changedProbes: number;
  readonly newlyDenied: number;
  readonly noLongerDenied: number;
  readonly newlyWarned: number;
}

describe.skipIf(problem !== undefined)('the effect of a policy on 2,000 Deployments in 40 namespaces', () => {
  let cluster: ControlPlane;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let link: SlowLists;
  let webhook: WebhookProcess;

  const create = async (path: string, object: object): Promise<void> => {
    const { status, body } = await cluster.request('POST', path, object);
    if (status !== 201) throw new Error(`${path}: ${status} ${body}`);
  };

  beforeAll(async () => {
    cluster = await startControlPlane();
    directory = await temporaryDirectory('policy-impact');
    await applyCrds(cluster);
    for (let index = 0; index < NAMESPACES; index++) {
      const labels = { tier: index % 4 === 0 ? 'front' : 'back' };
      await create('/api/v1/namespaces', { metadata: { name: `team-${index}`, labels } });
    }
    for (let index = 0; index < WORKLOADS; index += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, offset) => {
          const path = `/apis/apps/v1/namespaces/team-${(index + offset) % NAMESPACES}/deployments`;
          return create(path, deployment(index + offset));
        }),
      );
    // A mapping that a policy may remove, for the namespaces of one tier.
    await cluster.kubectl(['apply', '--filename=-'], { input: JSON.stringify(mapping({ readinessProbe: '/ready' })) });
    link = await slowLists(cluster);
    const kubeconfig = join(directory.path, 'kubeconfig');
    await writeFile(kubeconfig, JSON.stringify(link.kubeconfig), { mode: 0o600 });
    const policies = join(directory.path, 'policies');
    await mkdir(policies);
    const own = ['--kubeconfig', kubeconfig, '--namespace', 'default', '--drain-seconds', '0'];
    webhook = await startWebhook({ policies, args: own });
    const clientConfig = {
      url: `${webhook.url}/review-policies`,
      caBundle: Buffer.from(webhook.caPem).toString('base64'),
    };
    const kinds = ['probepolicies', 'clusterprobepolicies', 'probeexceptions'];
    await create('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
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
      return stderr.includes('500 get other probes');
    });
  }, 120_000);
  afterAll(async () => {
    link.stop();
    await webhook.stop();
    await cluster.stop();
    await directory.remove();
  });

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
      changedProbes: number(/(\d+) gets? other probes/),
      newlyDenied: number(/(\d+) of \d+ workloads? would be denied/),
      noLongerDenied: number(/(\d+) would no longer be denied/),
      newlyWarned: number(/(\d+) would get warnings/),
    };
  }

  const required = { 'required-liveness': { action: 'Deny' } };
  const inTheFuture = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const exception: JsonObject = {
    apiVersion: 'probewright.dev/v1alpha1',
    kind: 'ProbeException',
    metadata: { name: 'legacy', namespace: 'team-1' },
    spec: {
      checks: ['named-port'],
      workloadSelector: {},
      owner: 'team-1',
      reason: 'The vendor image has one port.',
      expires: inTheFuture,
    },
  };

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
    const runs = [await applied(object), await applied(object)];
    const fastest = Math.min(...runs.map(({ milliseconds }) => milliseconds));
    report('kubectl apply --dry-run=server', `${_what}: ${readable(fastest)}`);
    const plan = await planned(object);
    for (const { stderr } of runs) {
      expect(stderr).not.toMatch(/leaves out|incomplete|not computed/);
      expect(figures(stderr)).toMatchObject({
        changedProbes: plan.changedProbes,
        newlyDenied: plan.newlyDenied,
        noLongerDenied: plan.noLongerDenied,
        newlyWarned: plan.newlyWarned,
      });
      expect(figures(stderr)).toMatchObject(expected);
    }
    expect(fastest).toBeLessThan(MILLISECONDS);
  });

  it('stores nothing', async () => {
    const names = async (resource: string): Promise<string[]> => {
      const { body } = await cluster.request('GET', `${GROUP}/${resource}`);
      return (JSON.parse(body) as { items: { metadata: { name: string } }[] }).items.map(
        ({ metadata }) => metadata.name,
      );
    };
    const kinds = ['clusterprobepolicies', 'probepolicies', 'probeexceptions'];
    expect(await Promise.all(kinds.map(names))).toEqual([['mapping'], [], []]);
  });

  it('comes in time with slow lists, and says what was not looked at', async () => {
    link.delay(500);
    const { stderr, milliseconds } = await applied(clusterPolicyDocument({ checks: required }, 'strict'));
    report('kubectl apply --dry-run=server', `each list takes 500 ms longer: ${readable(milliseconds)}`);
    // A webhook that answers too late is ignored: there would be no warning.
    expect(stderr).toMatch(/the figures are incomplete: the time limit of 1\.5 s ended the review after \d+ workloads/);
    expect(stderr).toMatch(/Not looked at: about \d+ deployments\.apps/);
    // A slow API server is not to blame for a policy that cannot be read.
    const { code, stderr: refusal } = await cluster.kubectl(['apply', '--dry-run=server', '--filename=-'], {
      input: JSON.stringify(clusterPolicyDocument({ checks: { 'named-port': { action: 'Reject' } } }, 'strict')),
      allowFailure: true,
    });
    expect([code === 0, refusal.includes('spec.checks')]).toEqual([false, true]);
    link.delay(0);
  });
});
