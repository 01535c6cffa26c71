import { isJsonObject } from '../../base/json/json-value.ts';
import { JSON_PATCH, hasCode, type ApiClient } from '../../cluster/client/api-client.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { bundleHolds } from './pem.ts';
import { MirroredObject, type MirrorListener } from '../../cluster/client/mirrored-object.ts';
import { WriteLimit } from '../../cluster/client/rate-limit.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { CertificateDependencies, CertificateStatus } from './certificate-source.ts';

export interface WebhookAddress {
  readonly configurationName: string;
  readonly service: string;
  readonly namespace: string;
}

/** A conflict: the object has changed since it was read, and the watch will deliver the change. */
export type WriteResult = 'done' | 'conflict' | 'error';

const FOUGHT_OVER =
  "somebody else writes the caBundle over and over (cert-manager's inject-ca-from?), so it is left alone for a while";

const FIELD_MANAGER = 'probewright-ca-bundle';

const KINDS = ['mutating', 'validating'] as const;

interface BundleWrite {
  readonly kind: Configuration['kind'];
  readonly result: WriteResult;
  readonly problem?: string;
}

interface Configuration {
  readonly kind: (typeof KINDS)[number];
  readonly path: string;
  readonly mirror: MirroredObject;
  readonly limit: WriteLimit;
  problem: string | undefined;
  /** The generation at which the API server last refused a patch as invalid. */
  refused: number | undefined;
}

/** The caBundle of Probewright's entries; no other field is written. Needs: list, watch and patch of both kinds. */
export class WebhookCaBundle {
  readonly #client: ApiClient;
  readonly #address: WebhookAddress;
  readonly #dependencies: CertificateDependencies;
  readonly #signal: AbortSignal;
  readonly #configurations: readonly Configuration[];

  constructor(
    client: ApiClient,
    address: WebhookAddress,
    listener: MirrorListener,
    dependencies: CertificateDependencies,
    signal: AbortSignal,
  ) {
    this.#client = client;
    this.#address = address;
    this.#dependencies = dependencies;
    this.#signal = signal;
    const name = address.configurationName;
    this.#configurations = KINDS.map((kind) => {
      const collection = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`;
      const troubled = (problem: string | undefined): void => {
        configuration.problem = problem;
        listener.troubled(this.#configurations.find((other) => other.problem !== undefined)?.problem);
      };
      const mirror = new MirroredObject(client, collection, name, { ...listener, troubled }, dependencies);
      const [path, limit] = [`${collection}/${name}`, new WriteLimit()];
      const configuration: Configuration = { kind, path, mirror, limit, problem: undefined, refused: undefined };
      return configuration;
    });
  }

  start(): void {
    for (const { mirror } of this.#configurations) mirror.start();
  }

  stop(): void {
    for (const { mirror } of this.#configurations) mirror.stop();
  }

  /** True when every entry of Probewright holds the certificate, or there is none. Undefined when not known now. */
  isTrusted(cert: string): boolean | undefined {
    if (this.#configurations.some(({ mirror }) => !mirror.isCurrent)) return undefined;
    return this.#configurations.every(({ mirror: { object } }) => object === undefined || this.#holds(object, cert));
  }

  synced(bundle: string | undefined): CertificateStatus['bundleSynced'] {
    const [mutating, validating] = this.#configurations.map(({ mirror: { object } }) =>
      object === undefined || bundle === undefined ? undefined : this.#holds(object, bundle),
    );
    return { mutating, validating };
  }

  /** Puts the bundle into every entry of ours that differs, or has none (`empty`). Rejects unless it is a conflict. */
  async write(bundle: string, which: 'all' | 'empty', written?: (result: WriteResult) => void): Promise<void> {
    const { log } = this.#dependencies;
    const wanted = Buffer.from(bundle);
    const writes = await Promise.all(this.#configurations.map((each) => this.#writeTo(each, wanted, which)));
    const made = writes.filter((write) => write !== undefined);
    for (const { kind, result, problem } of made) {
      const fields = { kind, configuration: this.#address.configurationName, result };
      if (problem === undefined) log.info(fields, 'caBundle written');
      else log.warn({ ...fields, problem }, 'caBundle not written');
      written?.(result);
    }
    const failed = made.find(({ result }) => result === 'error');
    if (failed !== undefined) throw new Error(`the ${failed.kind} webhook configuration: ${failed.problem ?? ''}`);
  }

  async #writeTo(
    configuration: Configuration,
    wanted: Buffer,
    which: 'all' | 'empty',
  ): Promise<BundleWrite | undefined> {
    const { kind, path, mirror, limit } = configuration;
    const { object, generation } = mirror;
    const now = this.#dependencies.now();
    const isStale = ({ bundle }: Entry): boolean => (which === 'all' ? !bundle.equals(wanted) : bundle.length === 0);
    const stale = object === undefined ? [] : entriesOf(object, this.#address).filter(isStale);
    if (stale.length === 0 || mirror.isAwaited(now)) return undefined;
    if (limit.isReached(now)) return { kind, result: 'error', problem: FOUGHT_OVER };
    limit.note(now);
    const body = stale.flatMap(({ index, name }) => [
      // When entries have moved, the test fails and nothing is written.
      { op: 'test', path: `/webhooks/${index}/name`, value: name },
      { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: wanted.toString('base64') },
    ]);
    const query = { fieldManager: FIELD_MANAGER };
    const [contentType, signal] = [JSON_PATCH, this.#signal];
    try {
      await this.#client.request({ method: 'PATCH', path, query, contentType, body, signal });
      mirror.awaitChange(generation, this.#dependencies.now());
      return { kind, result: 'done' };
    } catch (error) {
      const problem = messageOf(error);
      if (![404, 409, 422].some((code) => hasCode(error, code))) return { kind, result: 'error', problem };
      mirror.awaitChange(generation, this.#dependencies.now());
      // A 422 means that entries have moved, as the watch will tell, or that something else in it is invalid.
      const isInvalid = hasCode(error, 422) && configuration.refused === generation;
      if (hasCode(error, 422)) configuration.refused = generation;
      return { kind, result: isInvalid ? 'error' : 'conflict', problem };
    }
  }

  #holds(object: KubernetesObject, certs: string): boolean {
    return entriesOf(object, this.#address).every(({ bundle }) => bundleHolds(bundle.toString(), certs));
  }
}

/** An entry of a webhook configuration that calls our Service, and the CAs that clients trust when they call it. */
interface Entry {
  readonly index: number;
  readonly name: string;
  readonly bundle: Buffer;
}

/** Entries that call a URL or another Service are not Probewright's. */
function entriesOf(object: KubernetesObject, { service, namespace }: WebhookAddress): readonly Entry[] {
  const { webhooks } = object as { webhooks?: unknown };
  if (!Array.isArray(webhooks)) return [];
  return webhooks.flatMap((webhook: unknown, index) => {
    const { name, clientConfig } = isJsonObject(webhook) ? webhook : {};
    const { service: called, caBundle } = isJsonObject(clientConfig) ? clientConfig : {};
    if (!isJsonObject(called) || typeof name !== 'string') return [];
    if (called['name'] !== service || called['namespace'] !== namespace) return [];
    return [{ index, name, bundle: Buffer.from(typeof caBundle === 'string' ? caBundle : '', 'base64') }];
  });
}
