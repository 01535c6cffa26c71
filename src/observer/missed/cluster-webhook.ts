import { collectionPath, NATIVE_COLLECTIONS, webhookConfigurations } from '../../cluster/client/api-path.ts';
import { objectsAt } from '../../base/json/field-path.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { PagedList } from '../../cluster/client/paged-list.ts';
import { readNativePolicy, type NativePolicy } from './native-policy.ts';
import { isMutatingWebhook, readWebhookScope, writtenSetting, type WebhookScope } from './webhook-scope.ts';
import type { InjectionTier } from '../../engine/policy/injection-tier.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { hasCode, type ApiClient } from '../../cluster/client/api-client.ts';

/** What injects probes in a cluster, as a person can see it from outside. */
export interface ClusterWebhook {
  /** Undefined where it depends on what could not be read. */
  readonly tier: InjectionTier | undefined;
  /** Of the webhook, or of the native policy where that alone injects. Undefined unless it was read. */
  readonly scope: WebhookScope | undefined;
  /** Present where the native policy alone injects. */
  readonly native?: NativePolicy;
  /** What to do for Pods that lack probes, by the step that replaces the Pods. New Pods may get no probes either. */
  readonly stepOf: (restart: string) => string;
  /** What could not be read, and why. */
  readonly unread: readonly string[];
}

const why = (error: unknown): string => (hasCode(error, 403) ? 'forbidden' : messageOf(error));

/** Reads the configuration of the webhook, in which the chart writes the mutation mode, and the native policy. */
export async function readClusterWebhook(client: ApiClient): Promise<ClusterWebhook> {
  const unread: string[] = [];
  const [configurations, native] = await Promise.all([
    configurationsIn(client).catch((error: unknown) => {
      unread.push(`${webhookConfigurations('mutating').resource} cannot be read: ${why(error)}`);
      return undefined;
    }),
    readNativePolicy(client).catch((error: unknown) => {
      unread.push(`${NATIVE_COLLECTIONS.policies.resource} cannot be read: ${why(error)}`);
      return 'unread' as const;
    }),
  ]);
  const own = configurations?.find((each) => objectsAt(each, 'webhooks').some(isMutatingWebhook));
  const isKnown = configurations !== undefined;
  const mode = own && writtenSetting(own, 'mutation');
  const injects = own === undefined ? (isKnown ? false : undefined) : mode === undefined ? undefined : mode === 'On';
  const tier = tierOf(injects, native === 'unread' ? undefined : native !== undefined);
  const scope = own && readWebhookScope(own);
  if (tier === 'native' && native !== undefined && native !== 'unread')
    return { tier, scope: native.scope, native, stepOf: (restart) => restart, unread };
  if (injects === true) return { tier, scope, stepOf: (restart) => restart, unread };
  const step = (restart: string): string =>
    isKnown && own === undefined
      ? 'the cluster has no webhook of Probewright'
      : mode === undefined
        ? `if mutation is On (unknown here): ${restart}`
        : mode !== 'Native'
          ? `the webhook runs with mutation: ${mode}, and injects nothing`
          : native === 'unread'
            ? `if the native policy injects (unknown here): ${restart}`
            : 'mutation is Native, and the cluster has no native policy';
  return { tier, scope, stepOf: step, unread };
}

/** @param native undefined = not known, as is `webhook` */
function tierOf(webhook: boolean | undefined, native: boolean | undefined): InjectionTier | undefined {
  if (webhook === undefined || native === undefined) return webhook === true ? 'webhook' : undefined;
  if (webhook) return native ? 'both' : 'webhook';
  return native ? 'native' : 'none';
}

async function configurationsIn(client: ApiClient): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  const path = collectionPath(webhookConfigurations('mutating'));
  await new PagedList(client).forEachPage({ path }, ({ items }) => {
    found.push(...(items as unknown as readonly JsonObject[]));
  });
  return found;
}
