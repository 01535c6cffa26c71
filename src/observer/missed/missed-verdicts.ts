import { objectPath, webhookConfigurations } from '../../cluster/client/api-path.ts';
import { isDeepStrictEqual } from 'node:util';
import { formatInstant } from '../../base/text/duration.ts';
import { objectsAt, valueAt } from '../../base/json/field-path.ts';
import { isJsonObject, objectMember, stringMap, type JsonObject } from '../../base/json/json-value.ts';
import { hasCode, unlessMissing, type ApiClient } from '../../cluster/client/api-client.ts';
import { OPT_OUT_LABEL } from '../../engine/policy/annotations.ts';
import { hasControllerOwner } from '../../engine/workload/workload-of-pod.ts';
import { instantOf, metadataOf } from '../live-pod.ts';
import { MARGIN_MILLISECONDS, type ReplaySurroundings } from './missed-probes.ts';
import { readNativePolicy, type NativePolicy } from './native-policy.ts';
import { readPolicyTimes, type PolicyTimes } from './policy-times.ts';
import {
  DEFAULT_SCOPE,
  isInScope,
  readWebhookScope,
  SETTINGS_ANNOTATION,
  writtenSetting,
  type WebhookScope,
} from './webhook-scope.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';

/** Since when a webhook has denied, in milliseconds since the epoch, and what it sees. */
export interface DenyingWebhook {
  readonly since: number;
  readonly scope: WebhookScope;
}

/** Undefined for a webhook that denies nothing, and when nobody knows since when it denies. */
export function denyingWebhook(configuration: JsonObject): DenyingWebhook | undefined {
  const scope = readWebhookScope(configuration);
  const denies = writtenSetting(configuration, 'enforcement') === 'Deny';
  // Whoever wrote the settings also wrote the selectors. The writer of `caBundle` is another manager.
  const written = ['fieldsV1', 'f:metadata', 'f:annotations', `f:${SETTINGS_ANNOTATION}`];
  const writes = objectsAt(configuration, 'metadata', 'managedFields').filter((one) => valueAt(one, written));
  const since = Math.max(...writes.map((one) => instantOf(one, 'time') ?? Infinity));
  return scope === undefined || !denies || !Number.isFinite(since) ? undefined : { scope, since };
}

/**
 * Tells that a live object which would be denied now was created when all that denies it was in force. An object of a
 * controller may have been excused. Undefined for an object that may be older, and when the times are not known.
 *
 * @param sources the layers in force for the object
 */
export function missedVerdict(
  object: JsonObject,
  sources: readonly string[],
  { scope, since, snapshot, changedAt }: DenyingWebhook & ReplaySurroundings,
): string | undefined {
  if (hasControllerOwner(object) || scope.foreignConditions.length > 0) return undefined;
  const namespace = metadataOf(object, 'namespace');
  const metadata = objectMember(object, 'metadata') ?? {};
  const labels = stringMap(metadata, 'labels');
  // The label leaves Pods out of defaulting only.
  labels.delete(OPT_OUT_LABEL);
  if (!isInScope(scope, namespace, snapshot.facts.namespaceLabels.get(namespace), labels)) return undefined;
  const created = instantOf(metadata, 'creationTimestamp') ?? -Infinity;
  const inForce = Math.max(since, ...sources.map((source) => changedAt(source) ?? Infinity));
  if (created <= inForce + MARGIN_MILLISECONDS) return undefined;
  return `without a verdict at ${formatInstant(created)} or later: the webhook did not answer, its answer was an error, or an exception, a policy or a label that allowed the object is gone`;
}

/** What was in force when live objects were stored, as the API server tells. */
export class InForce {
  readonly #client: ApiClient;
  readonly #path: string;
  #times: PolicyTimes = new Map();
  #webhook: DenyingWebhook | undefined;
  #scope = DEFAULT_SCOPE;
  #webhookInjects = true;
  #native: NativePolicy | undefined;
  /** The policies whose times were read. */
  #tiers: Snapshot['tiers'] | undefined;

  constructor(client: ApiClient, webhookConfiguration: string) {
    this.#client = client;
    this.#path = objectPath(webhookConfigurations('mutating'), { name: webhookConfiguration });
  }

  /** The last known scope of the webhook. A new object whenever the scope has changed. */
  get scope(): WebhookScope {
    return this.#scope;
  }

  /** False where the configuration says that the webhook adds no probes, such as with `mutation: Native`. */
  get webhookInjects(): boolean {
    return this.#webhookInjects;
  }

  /** The native policy, if the cluster has one in force. A new object whenever it has changed. */
  get native(): NativePolicy | undefined {
    return this.#native;
  }

  /** Reads the times for policies, the webhook and the native policy. Rejects as ApiClient.request does. */
  async read(tiers: Snapshot['tiers'] | undefined): Promise<void> {
    this.#times = await readPolicyTimes(this.#client);
    await this.readWebhook();
    await this.readNative();
    this.#tiers = tiers;
  }

  /**
   * Reads the native policy. Rejects as ApiClient.request does.
   *
   * @returns false without the right to read it: then it counts as absent
   */
  async readNative(): Promise<boolean> {
    try {
      const found = await readNativePolicy(this.#client);
      if (found?.identity !== this.#native?.identity) this.#native = found;
      return true;
    } catch (error) {
      if (!hasCode(error, 403)) throw error;
      this.#native = undefined;
      return false;
    }
  }

  /**
   * Reads the configuration of the webhook. Rejects as ApiClient.request does. Without a configuration, the last known
   * scope stays: the webhook may have been removed for a while.
   *
   * @returns false if there is no configuration
   */
  async readWebhook(): Promise<boolean> {
    const configuration = await unlessMissing(this.#client.request({ method: 'GET', path: this.#path }));
    const found = isJsonObject(configuration) ? configuration : {};
    this.#webhook = denyingWebhook(found);
    const mode = writtenSetting(found, 'mutation');
    if (mode !== undefined) this.#webhookInjects = mode === 'On';
    const scope = readWebhookScope(found);
    if (scope !== undefined && !isDeepStrictEqual(scope, this.#scope)) this.#scope = scope;
    return configuration !== undefined;
  }

  readonly changedAt = (source: string): number | undefined => this.#times.get(source);

  missedVerdict(object: JsonObject, sources: readonly string[], snapshot: Snapshot): string | undefined {
    const [webhook, { changedAt }] = [this.#webhook, this];
    if (webhook === undefined || this.#tiers !== snapshot.tiers) return undefined;
    return missedVerdict(object, sources, { ...webhook, snapshot, changedAt });
  }
}
