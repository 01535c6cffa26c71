import { collectionPath, webhookConfigurations } from '../../cluster/client/api-path.ts';
import { objectsAt } from '../../base/json/field-path.ts';
import { PagedList } from '../../cluster/client/paged-list.ts';
import { isMutatingWebhook, readWebhookScope, writtenSetting, type WebhookScope } from './webhook-scope.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';

/** The webhook of a cluster, as a person can see it from outside. */
export interface ClusterWebhook {
  /** Undefined unless the configuration was read. */
  readonly scope: WebhookScope | undefined;
  /** What to do for Pods that lack probes, by the step that replaces the Pods. New Pods may get no probes either. */
  readonly stepOf: (restart: string) => string;
}

/** Reads the configuration of the webhook, in which the chart writes the mutation mode. */
export async function readClusterWebhook(client: ApiClient): Promise<ClusterWebhook> {
  const configurations = await configurationsIn(client);
  const own = configurations?.find((each) => objectsAt(each, 'webhooks').some(isMutatingWebhook));
  if (configurations !== undefined && own === undefined)
    return { scope: undefined, stepOf: () => 'the cluster has no webhook of Probewright' };
  const mode = own && writtenSetting(own, 'mutation');
  return {
    scope: own && readWebhookScope(own),
    stepOf: (restart) =>
      mode === 'On'
        ? restart
        : mode === undefined
          ? `if mutation is On (unknown here): ${restart}`
          : `the webhook runs with mutation: ${mode}, and injects nothing`,
  };
}

/** Undefined when the configurations cannot be read. */
async function configurationsIn(client: ApiClient): Promise<readonly JsonObject[] | undefined> {
  const found: JsonObject[] = [];
  const path = collectionPath(webhookConfigurations('mutating'));
  try {
    await new PagedList(client).forEachPage({ path }, ({ items }) => {
      found.push(...(items as unknown as readonly JsonObject[]));
    });
    return found;
  } catch {
    return undefined;
  }
}
