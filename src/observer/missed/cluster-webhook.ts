import { objectsAt, textAt } from '../../base/json/field-path.ts';
import { listMember, objectMember, stringMap, type JsonObject } from '../../base/json/json-value.ts';
import { PagedList } from '../../cluster/client/paged-list.ts';
import { collectionOf } from '../observed-workload.ts';
import { DEFAULT_SCOPE, isMutatingWebhook, readWebhookScope, type WebhookScope } from './webhook-scope.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';

/** The webhook of a cluster, as a person can see it from outside. */
export interface ClusterWebhook {
  /** The chart's defaults, unless the configuration was read. */
  readonly scope: WebhookScope;
  readonly isScopeRead: boolean;
  /** What to do for Pods that lack probes, by the step that replaces the Pods. New Pods may get no probes either. */
  readonly stepOf: (restart: string) => string;
}

/** Reads the configuration of the webhook, and the mutation mode that the Pods behind its Service run with. */
export async function readClusterWebhook(client: ApiClient): Promise<ClusterWebhook> {
  const configurations = await itemsAt(client, collectionOf(WEBHOOK_CONFIGURATIONS));
  const own = configurations?.find((each) => objectsAt(each, 'webhooks').some(isMutatingWebhook));
  if (configurations !== undefined && own === undefined)
    return { ...UNREAD, stepOf: () => 'the cluster has no webhook of Probewright' };
  const webhook = objectsAt(own, 'webhooks').find(isMutatingWebhook);
  const mode = await mutationOf(client, webhook);
  const scope = own && readWebhookScope(own);
  return {
    ...(scope === undefined ? UNREAD : { scope, isScopeRead: true }),
    stepOf: (restart) =>
      mode === 'On'
        ? restart
        : mode === undefined
          ? `if mutation is On (unknown here): ${restart}`
          : `the webhook runs with mutation: ${mode}, and injects nothing`,
  };
}

const WEBHOOK_CONFIGURATIONS = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  resource: 'mutatingwebhookconfigurations',
};
const UNREAD = { scope: DEFAULT_SCOPE, isScopeRead: false };

/** The flag --mutation of the Pods behind the Service, whatever owns them. Undefined without such Pods, or a right. */
async function mutationOf(client: ApiClient, webhook: JsonObject | undefined): Promise<string | undefined> {
  const [namespace, name] = ['namespace', 'name'].map((field) => textAt(webhook, 'clientConfig', 'service', field));
  if (namespace === undefined || name === undefined) return undefined;
  const listed = (resource: string, query: Record<string, string>): ReturnType<typeof itemsAt> =>
    itemsAt(client, collectionOf({ apiVersion: 'v1', resource }, namespace), query);
  const [service] = (await listed('services', { fieldSelector: `metadata.name=${name}` })) ?? [];
  const labels = [...stringMap(objectMember(service ?? {}, 'spec') ?? {}, 'selector')];
  if (labels.length === 0) return undefined;
  const labelSelector = labels.map((label) => label.join('=')).join(',');
  const pods = (await listed('pods', { labelSelector })) ?? [];
  const modes = pods.map((pod) => modeOf(objectsAt(pod, 'spec', 'containers')));
  // While the webhook is rolled out, some of its Pods may inject nothing.
  return modes.find((mode) => mode !== 'On') ?? modes[0];
}

/** The mode by the flag, or by its environment variable. On is the default. */
function modeOf(containers: readonly JsonObject[]): string {
  const words = containers.flatMap((container) => [
    ...listMember(container, 'command'),
    ...listMember(container, 'args'),
  ]);
  const variables = containers.flatMap((container) => objectsAt(container, 'env'));
  const variable = variables.find(({ name }) => name === 'PROBEWRIGHT_MUTATION');
  return /(?:^|\n)--mutation[=\n](\w+)/.exec(words.join('\n'))?.[1] ?? (variable && textAt(variable, 'value')) ?? 'On';
}

/** All objects of a collection. Undefined when they cannot be read. */
async function itemsAt(
  client: ApiClient,
  path: string,
  query: Record<string, string> = {},
): Promise<readonly JsonObject[] | undefined> {
  const found: JsonObject[] = [];
  try {
    await new PagedList(client).forEachPage({ path, query }, ({ items }) => {
      found.push(...(items as unknown as readonly JsonObject[]));
    });
    return found;
  } catch {
    return undefined;
  }
}
