import { beforeAll, describe, expect, it } from 'vitest';
import { ROLLOUT_DEFINITION } from './custom-resource-definitions.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane } from './control-plane.ts';
import { deployment } from './pods.ts';
import { waitUntil } from './processes.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { rule, webhookConfiguration } from './webhook-configuration.ts';
import { type WebhookProcess, startWebhook } from './webhook-process.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const misspelt = { readinessProbe: { httpGet: { path: '/', port: 'htpp' } } };
const padding = { args: Array.from({ length: 300_001 }, () => '') };
const bad = (name: string, container: JsonObject = misspelt, metadata: JsonObject = {}): object =>
  deployment(name, { container, metadata, replicas: 0 });
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const ROLLOUTS = '/apis/argoproj.io/v1alpha1/namespaces/default/rollouts';

/** A Rollout with a field of so many levels, which its definition lets through. */
function nested(name: string, levels: number, container: JsonObject = misspelt): string {
  const rollout = { ...deployment(name, { container }), apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' };
  return JSON.stringify(rollout).replace('"spec":{', `"spec":{"deep":${'['.repeat(levels)}${']'.repeat(levels)},`);
}

describeUnless(controlPlaneProblem(), 'an object that is too large to be read', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let webhook: WebhookProcess;

  const send = async (method: string, path: string, body: unknown): Promise<{ code: number; message: string }> => {
    const answer = await cluster.request(method, path, body);
    return { code: answer.status, message: String((JSON.parse(answer.body) as { message?: string }).message) };
  };

  beforeAll(async () => {
    cluster = await keep(startControlPlane());
    webhook = await keep(startWebhook({}));
    await cluster.apply(ROLLOUT_DEFINITION);
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd/rollouts.argoproj.io', '--timeout=30s']);
    // Before there was a webhook.
    await send('POST', DEPLOYMENTS, bad('old', { ...misspelt, ...padding }));
    await send('POST', DEPLOYMENTS, bad('held', { ...misspelt, ...padding }, { finalizers: ['example.com/hold'] }));
  });

  describe.each(['Ignore', 'Fail'])('under failurePolicy %s', (failurePolicy) => {
    beforeAll(async () => {
      const rules = [
        rule('apps', ['deployments'], ['CREATE', 'UPDATE']),
        rule('argoproj.io', ['rollouts'], ['CREATE']),
      ];
      const configuration = webhookConfiguration('ValidatingWebhookConfiguration', 'validate', webhook, rules, {
        failurePolicy,
      });
      await cluster.apply(configuration);
      await waitUntil(
        'the API server calls the webhook',
        async () => (await send('POST', `${DEPLOYMENTS}?dryRun=All`, bad('trial'))).code === 403,
      );
    });

    it('is denied when it is created: 300,001 arguments', async () => {
      const { code, message } = await send('POST', DEPLOYMENTS, bad('new', { ...misspelt, ...padding }));
      expect([code, message]).toEqual([
        403,
        expect.stringContaining('has more than 300000 members of objects and lists'),
      ]);
    });

    it.each([600, 3000])(
      'is denied when it is created: %d levels, which the API server lets through',
      async (levels) => {
        const { code, message } = await send('POST', ROLLOUTS, nested('new', levels));
        expect([code, message]).toEqual([
          403,
          expect.stringContaining('has more than 500 levels of objects and lists'),
        ]);
      },
    );

    it('is judged once it is smaller, so that removing the padding brings nothing in', async () => {
      const stored = JSON.parse((await cluster.request('GET', `${DEPLOYMENTS}/old`)).body) as {
        spec: { template: { spec: { containers: JsonObject[] } } };
      };
      stored.spec.template.spec.containers = stored.spec.template.spec.containers.map((container) => ({
        ...container,
        args: [],
      }));
      const { code, message } = await send('PUT', `${DEPLOYMENTS}/old?dryRun=All`, stored);
      expect([code, message]).toEqual([403, expect.stringContaining('(named-port)')]);
    });

    it('can be deleted', async () => {
      if (failurePolicy !== 'Fail') return;
      await cluster.kubectl(['delete', 'deployment', 'held', '--wait=false']);
      const patch = '--patch={"metadata":{"finalizers":null}}';
      await cluster.kubectl(['patch', 'deployment', 'held', '--type=merge', patch]);
      expect((await send('GET', `${DEPLOYMENTS}/held`, undefined)).code).toBe(404);
    });
  });
});
