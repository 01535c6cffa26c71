import { JSON_PATCH } from '../../cluster/client/api-client.ts';
import { hasCode } from '../../cluster/client/api-error.ts';
import { isRecord } from '../../cluster/client/kubernetes-object.ts';
import { bundleHolds } from './ca-bundle.ts';
import { MirroredObject } from '../../cluster/client/mirrored-object.ts';
import { WriteLimit } from '../../cluster/client/write-limit.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { CertificateDependencies } from './certificate-dependencies.ts';
import type { MirrorListener } from '../../cluster/client/mirrored-object.ts';

/** Which webhook configurations, and which of their entries. */
export interface WebhookAddress {
  /** The name of the MutatingWebhookConfiguration and of the ValidatingWebhookConfiguration. */
  readonly configurationName: string;
  /** Entries that call this Service are ours. */
  readonly service: string;
  readonly namespace: string;
}

const CONFIGURATION_KINDS = ['mutating', 'validating'] as const;
export type ConfigurationKind = (typeof CONFIGURATION_KINDS)[number];

/** How a write of one configuration's bundle went. After a conflict the watch delivers the new state. */
export interface BundleWrite {
  readonly kind: ConfigurationKind;
  readonly result: 'done' | 'conflict' | 'error';
  readonly problem: string | undefined;
}

/** Throws when a write failed for another reason than a conflict. */
export function throwIfFailed(writes: readonly BundleWrite[]): void {
  const failed = writes.find(({ result }) => result === 'error');
  if (failed !== undefined) throw new Error(`the ${failed.kind} webhook configuration: ${failed.problem ?? ''}`);
}

const FOUGHT_OVER =
  "somebody else writes the caBundle over and over (cert-manager's inject-ca-from?), so it is left alone for a while";

/** The manager that the API server notes for the field. */
const FIELD_MANAGER = 'probewright-ca-bundle';

/** An entry of a webhook configuration that calls our Service. */
interface Entry {
  readonly index: number;
  readonly name: string;
  /** The CAs that clients trust when they call the webhook. */
  readonly bundle: Buffer;
}

/**
 * The CAs that the API server trusts when it calls Probewright: the caBundle of Probewright's entries in the webhook
 * configurations. No other field is ever written. Needs: list, watch and patch the two configurations.
 */
export class WebhookCaBundle {
  readonly #client: ApiClient;
  readonly #address: WebhookAddress;
  readonly #dependencies: CertificateDependencies;
  readonly #mirrors: Readonly<Record<ConfigurationKind, MirroredObject>>;
  readonly #stopped = new AbortController();
  readonly #limits: Readonly<Record<ConfigurationKind, WriteLimit>> = {
    mutating: new WriteLimit(),
    validating: new WriteLimit(),
  };
  /** The generation at which the API server last refused a patch as invalid. */
  readonly #refused = new Map<ConfigurationKind, number>();

  constructor(
    client: ApiClient,
    address: WebhookAddress,
    listener: MirrorListener,
    dependencies: CertificateDependencies,
  ) {
    this.#client = client;
    this.#address = address;
    this.#dependencies = dependencies;
    const troubles = new Map<ConfigurationKind, string>();
    const mirror = (kind: ConfigurationKind): MirroredObject => {
      const troubled = (problem: string | undefined): void => {
        if (problem === undefined) troubles.delete(kind);
        else troubles.set(kind, problem);
        listener.troubled([...troubles.values()][0]);
      };
      const where = { collection: collectionOf(kind), name: address.configurationName };
      return new MirroredObject(client, where, { changed: listener.changed, troubled }, dependencies);
    };
    this.#mirrors = { mutating: mirror('mutating'), validating: mirror('validating') };
  }

  start(): void {
    for (const kind of CONFIGURATION_KINDS) void this.#mirrors[kind].start();
  }

  stop(): void {
    this.#stopped.abort();
    for (const kind of CONFIGURATION_KINDS) this.#mirrors[kind].stop();
  }

  /**
   * True when every entry of Probewright holds the certificate, and also when there is no entry, as nobody calls then.
   * Undefined when that is not known now.
   */
  isTrusted(cert: string): boolean | undefined {
    const mirrors = Object.values(this.#mirrors);
    if (mirrors.some((mirror) => !mirror.isCurrent)) return undefined;
    return mirrors.every(({ object }) => object === undefined || this.#holds(object, cert));
  }

  /** Whether a configuration trusts all that is in the bundle; undefined when there is no such configuration. */
  isSynced(kind: ConfigurationKind, bundle: string | undefined): boolean | undefined {
    const { object } = this.#mirrors[kind];
    if (object === undefined) return undefined;
    return bundle !== undefined && this.#holds(object, bundle);
  }

  /**
   * Puts the bundle into every entry of ours that has another one. Gives the result for each configuration that was
   * written.
   *
   * @param which `empty`: only into those that have none
   */
  async write(bundle: string, which: 'all' | 'empty'): Promise<readonly BundleWrite[]> {
    const writes = await Promise.all(CONFIGURATION_KINDS.map((kind) => this.#writeTo(kind, bundle, which)));
    const made = writes.filter((write) => write !== undefined);
    const { log } = this.#dependencies;
    for (const { kind, result, problem } of made) {
      const fields = { kind, configuration: this.#address.configurationName, result };
      if (problem === undefined) log.info(fields, 'caBundle written');
      else log.warn({ ...fields, problem }, 'caBundle not written');
    }
    return made;
  }

  async #writeTo(kind: ConfigurationKind, bundle: string, which: 'all' | 'empty'): Promise<BundleWrite | undefined> {
    const mirror = this.#mirrors[kind];
    const { object, generation } = mirror;
    const wanted = Buffer.from(bundle);
    const isStale = (entry: Entry): boolean =>
      which === 'all' ? !entry.bundle.equals(wanted) : entry.bundle.length === 0;
    const stale = object && entriesOf(object, this.#address).filter(isStale);
    if (stale === undefined || stale.length === 0 || mirror.isAwaited(this.#dependencies.now())) return undefined;
    if (this.#limits[kind].isReached(this.#dependencies.now())) return { kind, result: 'error', problem: FOUGHT_OVER };
    this.#limits[kind].note(this.#dependencies.now());
    try {
      await this.#client.request({
        method: 'PATCH',
        path: `${collectionOf(kind)}/${this.#address.configurationName}`,
        query: { fieldManager: FIELD_MANAGER },
        contentType: JSON_PATCH,
        body: stale.flatMap(({ index, name }) => [
          // When entries have moved, the test fails and nothing is written.
          { op: 'test', path: `/webhooks/${index}/name`, value: name },
          { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: wanted.toString('base64') },
        ]),
        signal: this.#stopped.signal,
      });
      mirror.awaitChange(generation, this.#dependencies.now());
      return { kind, result: 'done', problem: undefined };
    } catch (error) {
      const problem = messageOf(error);
      if (![404, 409, 422].some((code) => hasCode(error, code))) return { kind, result: 'error', problem };
      mirror.awaitChange(generation, this.#dependencies.now());
      // A 422 means that entries have moved and the watch will deliver that, or that the configuration is invalid in
      // another way.
      const isInvalid = hasCode(error, 422) && this.#refused.get(kind) === generation;
      if (hasCode(error, 422)) this.#refused.set(kind, generation);
      return { kind, result: isInvalid ? 'error' : 'conflict', problem };
    }
  }

  #holds(object: KubernetesObject, certs: string): boolean {
    return entriesOf(object, this.#address).every(({ bundle }) => bundleHolds(bundle.toString(), certs));
  }
}

/** Entries that call a URL or another Service are not Probewright's. */
function entriesOf(object: KubernetesObject, { service, namespace }: WebhookAddress): readonly Entry[] {
  const webhooks = (object as { webhooks?: unknown }).webhooks;
  if (!Array.isArray(webhooks)) return [];
  return webhooks.flatMap((webhook: unknown, index) => {
    const clientConfig = isRecord(webhook) ? webhook['clientConfig'] : undefined;
    const called = isRecord(clientConfig) ? clientConfig['service'] : undefined;
    const name = isRecord(webhook) ? webhook['name'] : undefined;
    if (!isRecord(clientConfig) || !isRecord(called) || typeof name !== 'string') return [];
    if (called['name'] !== service || called['namespace'] !== namespace) return [];
    const encoded = clientConfig['caBundle'];
    const bundle = Buffer.from(typeof encoded === 'string' ? encoded : '', 'base64');
    return [{ index, name, bundle }];
  });
}

function collectionOf(kind: ConfigurationKind): string {
  return `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`;
}
