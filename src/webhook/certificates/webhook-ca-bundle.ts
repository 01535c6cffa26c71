import { JSON_PATCH, hasCode, type ApiClient } from '../../cluster/client/api-client.ts';
import { isRecord, type KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { bundleHolds } from './pem.ts';
import { MirroredObject, type MirrorListener } from '../../cluster/client/mirrored-object.ts';
import { WriteLimit } from '../../cluster/client/rate-limit.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { CertificateDependencies } from './certificate-source.ts';

/** Which webhook configurations, and which of their entries. */
export interface WebhookAddress {
  /** The name of the MutatingWebhookConfiguration and of the ValidatingWebhookConfiguration. */
  readonly configurationName: string;
  /** Entries that call this Service are ours. */
  readonly service: string;
  readonly namespace: string;
}

export type ConfigurationKind = 'mutating' | 'validating';

/** A conflict: the object has changed since it was read, and the watch will deliver the change. */
export type WriteResult = 'done' | 'conflict' | 'error';

/** How a write of one configuration's bundle went. */
export interface BundleWrite {
  readonly kind: ConfigurationKind;
  readonly result: WriteResult;
  readonly problem?: string;
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

/** What is known of one webhook configuration. */
interface Configuration {
  readonly kind: ConfigurationKind;
  readonly path: string;
  readonly mirror: MirroredObject;
  readonly limit: WriteLimit;
  problem: string | undefined;
  /** The generation at which the API server last refused a patch as invalid. */
  refused: number | undefined;
}

/**
 * The CAs that the API server trusts when it calls Probewright: the caBundle of Probewright's entries in the webhook
 * configurations. No other field is ever written. Needs: list, watch and patch the two configurations.
 */
export class WebhookCaBundle {
  readonly #client: ApiClient;
  readonly #address: WebhookAddress;
  readonly #dependencies: CertificateDependencies;
  readonly #configurations: readonly Configuration[];
  readonly #stopped = new AbortController();

  constructor(
    client: ApiClient,
    address: WebhookAddress,
    listener: MirrorListener,
    dependencies: CertificateDependencies,
  ) {
    this.#client = client;
    this.#address = address;
    this.#dependencies = dependencies;
    this.#configurations = (['mutating', 'validating'] as const).map((kind) => {
      const collection = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`;
      const name = address.configurationName;
      const troubled = (problem: string | undefined): void => {
        configuration.problem = problem;
        listener.troubled(this.#configurations.find((other) => other.problem !== undefined)?.problem);
      };
      const mirror = new MirroredObject(client, { collection, name }, { ...listener, troubled }, dependencies);
      const limit = new WriteLimit();
      const path = `${collection}/${name}`;
      const configuration: Configuration = { kind, path, mirror, limit, problem: undefined, refused: undefined };
      return configuration;
    });
  }

  start(): void {
    for (const { mirror } of this.#configurations) void mirror.start();
  }

  stop(): void {
    this.#stopped.abort();
    for (const { mirror } of this.#configurations) mirror.stop();
  }

  /**
   * True when every entry of Probewright holds the certificate, and also when there is no entry, as nobody calls then.
   * Undefined when that is not known now.
   */
  isTrusted(cert: string): boolean | undefined {
    const mirrors = this.#configurations.map(({ mirror }) => mirror);
    if (mirrors.some((mirror) => !mirror.isCurrent)) return undefined;
    return mirrors.every(({ object }) => object === undefined || this.#holds(object, cert));
  }

  /** Whether a configuration trusts all that is in the bundle; undefined when there is no such configuration. */
  isSynced(kind: ConfigurationKind, bundle: string): boolean | undefined {
    const object = this.#configurations.find((configuration) => configuration.kind === kind)?.mirror.object;
    return object && this.#holds(object, bundle);
  }

  /**
   * Puts the bundle into every entry of ours that has another one. Gives the result for each configuration that was
   * written.
   *
   * @param which `empty`: only into those that have none
   */
  async write(bundle: string, which: 'all' | 'empty'): Promise<readonly BundleWrite[]> {
    const wanted = Buffer.from(bundle);
    const writes = await Promise.all(this.#configurations.map((each) => this.#writeTo(each, wanted, which)));
    const made = writes.filter((write) => write !== undefined);
    const { log } = this.#dependencies;
    for (const { kind, result, problem } of made) {
      const fields = { kind, configuration: this.#address.configurationName, result };
      if (problem === undefined) log.info(fields, 'caBundle written');
      else log.warn({ ...fields, problem }, 'caBundle not written');
    }
    return made;
  }

  async #writeTo(
    configuration: Configuration,
    wanted: Buffer,
    which: 'all' | 'empty',
  ): Promise<BundleWrite | undefined> {
    const { kind, path, mirror, limit } = configuration;
    const { now } = this.#dependencies;
    const { object, generation } = mirror;
    const isStale = ({ bundle }: Entry): boolean => (which === 'all' ? !bundle.equals(wanted) : bundle.length === 0);
    const stale = object === undefined ? [] : entriesOf(object, this.#address).filter(isStale);
    if (stale.length === 0 || mirror.isAwaited(now())) return undefined;
    if (limit.isReached(now())) return { kind, result: 'error', problem: FOUGHT_OVER };
    limit.note(now());
    try {
      await this.#client.request({
        method: 'PATCH',
        path,
        query: { fieldManager: FIELD_MANAGER },
        contentType: JSON_PATCH,
        body: stale.flatMap(({ index, name }) => [
          // When entries have moved, the test fails and nothing is written.
          { op: 'test', path: `/webhooks/${index}/name`, value: name },
          { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: wanted.toString('base64') },
        ]),
        signal: this.#stopped.signal,
      });
      mirror.awaitChange(generation, now());
      return { kind, result: 'done' };
    } catch (error) {
      const problem = messageOf(error);
      if (![404, 409, 422].some((code) => hasCode(error, code))) return { kind, result: 'error', problem };
      mirror.awaitChange(generation, now());
      // A 422 means that entries have moved and the watch will deliver that, or that the configuration is invalid in
      // another way.
      const isInvalid = hasCode(error, 422) && configuration.refused === generation;
      if (hasCode(error, 422)) configuration.refused = generation;
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
