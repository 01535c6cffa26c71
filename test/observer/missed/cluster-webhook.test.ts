import { describe, expect, it } from 'vitest';
import { readClusterWebhook } from '../../../src/observer/missed/cluster-webhook.ts';
import { DEFAULT_SCOPE } from '../../../src/observer/missed/webhook-scope.ts';
import { AnsweringClient, listOf } from '../../cluster/client/answering-client.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const RESTART = 'kubectl rollout restart deployment/web';
const service = { namespace: 'probewright', name: 'webhook' };
const selector = { app: 'probewright', part: 'webhook' };

/** What a cluster has; an error stands for a list that is refused. */
interface Cluster {
  readonly configurations?: readonly JsonObject[] | Error;
  readonly services?: readonly JsonObject[] | Error;
  readonly pods?: readonly JsonObject[] | Error;
}
const configuration = (webhook: JsonObject = {}): JsonObject => ({
  metadata: { name: 'probewright' },
  webhooks: [{ name: 'other.example.com' }, { name: 'mutate.probewright.dev', clientConfig: { service }, ...webhook }],
});
const podWith = (...containers: readonly JsonObject[]): JsonObject => ({
  metadata: { name: 'p' },
  spec: { containers },
});
const INSTALLED: Cluster = {
  configurations: [{ metadata: { name: 'other' }, webhooks: [{ name: 'other.example.com' }] }, configuration()],
  services: [{ metadata: { name: 'webhook' }, spec: { selector } }],
  pods: [podWith({ args: ['serve', '--mutation=On'] })],
};

let answering: AnsweringClient;
async function read(more: Cluster = {}): Promise<{ isScopeRead: boolean; scope: unknown; step: string }> {
  const { configurations = [], services = [], pods = [] } = { ...INSTALLED, ...more };
  answering = new AnsweringClient(({ path }) => {
    const found = path.includes('/services') ? services : path.includes('/pods') ? pods : configurations;
    return found instanceof Error ? found : listOf(...found);
  });
  const { stepOf, ...webhook } = await readClusterWebhook(answering);
  return { ...webhook, step: stepOf(RESTART) };
}
const unknownMode = `if mutation is On (unknown here): ${RESTART}`;

describe('the webhook of a cluster', () => {
  it('has its scope from the configuration, and its mode from the Pods behind its Service', async () => {
    const objectSelector = { matchLabels: { tier: 'web' } };
    const pods = [{ key: 'tier', operator: 'In', values: ['web'] }];
    expect(await read({ configurations: [configuration({ objectSelector })] })).toEqual({
      scope: { namespaces: [], pods, foreignConditions: [] },
      isScopeRead: true,
      step: RESTART,
    });
    expect(
      answering.requests.map(({ path, query }) => [path, query?.['fieldSelector'] ?? query?.['labelSelector']]),
    ).toEqual([
      ['/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', undefined],
      ['/api/v1/namespaces/probewright/services', 'metadata.name=webhook'],
      ['/api/v1/namespaces/probewright/pods', 'app=probewright,part=webhook'],
    ]);
  });

  it('is found among other configurations', async () => {
    expect(await read()).toMatchObject({ isScopeRead: true, step: RESTART });
  });

  it('is not there without a configuration of ours, and nothing else is asked for', async () => {
    const other = { metadata: { name: 'other' }, webhooks: [{ name: 'other.example.com' }] };
    expect(await read({ configurations: [other] })).toEqual({
      scope: DEFAULT_SCOPE,
      isScopeRead: false,
      step: 'the cluster has no webhook of Probewright',
    });
    expect(answering.requests).toHaveLength(1);
  });

  it('is taken for that of the chart when the configurations may not be read', async () => {
    expect(await read({ configurations: new Error('forbidden') })).toEqual({
      scope: DEFAULT_SCOPE,
      isScopeRead: false,
      step: unknownMode,
    });
    expect(answering.requests).toHaveLength(1);
  });

  it.each<[string, Cluster]>([
    ['has a URL in place of a Service', { configurations: [configuration({ clientConfig: { url: 'https://x' } })] }],
    [
      'names no namespace of its Service',
      { configurations: [configuration({ clientConfig: { service: { name: 'webhook' } } })] },
    ],
    [
      'names a namespace without a Service',
      { configurations: [configuration({ clientConfig: { service: { namespace: 'probewright' } } })] },
    ],
  ])('has an unknown mode when it %s', async (_, cluster) => {
    expect(await read(cluster)).toMatchObject({ isScopeRead: true, step: unknownMode });
    expect(answering.requests).toHaveLength(1);
  });

  it.each<[string, Cluster]>([
    ['is not there', { services: [] }],
    ['may not be read', { services: new Error('forbidden') }],
    ['has no spec', { services: [{ metadata: { name: 'webhook' } }] }],
    ['selects no Pods', { services: [{ metadata: { name: 'webhook' }, spec: {} }] }],
  ])('has an unknown mode when its Service %s', async (_, cluster) => {
    expect((await read(cluster)).step).toBe(unknownMode);
    expect(answering.requests).toHaveLength(2);
  });

  it.each<[string, Cluster]>([
    ['are not there', { pods: [] }],
    ['may not be read', { pods: new Error('forbidden') }],
  ])('has an unknown mode when its Pods %s', async (_, cluster) => {
    expect((await read(cluster)).step).toBe(unknownMode);
  });

  it('is asked about by the only label of a Service', async () => {
    const services = [{ metadata: { name: 'webhook' }, spec: { selector: { app: 'probewright' } } }];
    expect((await read({ services })).step).toBe(RESTART);
  });
});

describe('the mode of the webhook', () => {
  const off = (mode: string): string => `the webhook runs with mutation: ${mode}, and injects nothing`;
  const variable = (value: string): JsonObject => ({
    env: [
      { name: 'A', value: 'x' },
      { name: 'PROBEWRIGHT_MUTATION', value },
    ],
  });

  it.each<[string, JsonObject[], string]>([
    ['On without a flag', [{}], RESTART],
    ['the flag in the arguments', [{ args: ['serve', '--mutation=Off'] }], off('Off')],
    ['the flag and its value apart', [{ command: ['probewright'], args: ['--mutation', 'Audit'] }], off('Audit')],
    ['the flag in the command', [{ command: ['--mutation=Off', 'serve'], args: [] }], off('Off')],
    ['the flag of the second container', [{ args: ['proxy'] }, { args: ['--mutation=Off'] }], off('Off')],
    ['the variable', [variable('Off')], off('Off')],
    ['the flag rather than the variable', [{ ...variable('Off'), args: ['--mutation=On'] }], RESTART],
    ['On for a variable without a value', [{ env: [{ name: 'PROBEWRIGHT_MUTATION' }] }], RESTART],
    ['On for the flag of another name', [{ args: ['--no-mutation=Off'] }], RESTART],
  ])('is %s', async (_, containers, step) => {
    expect((await read({ pods: [podWith(...containers)] })).step).toBe(step);
  });

  it('is that of the Pods that inject nothing, while the webhook is rolled out', async () => {
    const pods = [podWith({}), podWith({ args: ['--mutation=Off'] }), podWith({})];
    expect((await read({ pods })).step).toBe(off('Off'));
  });
});
