import { MirroredObject, type MirrorListener } from '../../cluster/client/mirrored-object.ts';
import { RepeatedWork } from '../../cluster/client/timing.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { WebhookCaBundle, type WriteResult } from './webhook-ca-bundle.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type {
  CertificateDependencies,
  CertificateListener,
  CertificateSource,
  CertificateStatus,
} from './certificate-source.ts';
import type { ServingPair } from './pem.ts';

/** Which objects are used. */
export interface ClusterCertificatesSettings {
  /** Of the Service and the Secret. */
  readonly namespace: string;
  /** The Service that the API server calls. */
  readonly service: string;
  readonly secretName: string;
  /** The name of both webhook configurations. */
  readonly configurationName: string;
  /** How often the wall clock is looked at, in milliseconds. Default one minute. */
  readonly check?: number;
}

type Part = 'secret contact' | 'webhook contact' | 'leaf' | 'secret' | 'pair' | 'bundle';

const CHECK_MILLISECONDS = 60_000;

/**
 * A serving certificate that comes from a Secret of the cluster. A round of work runs at each change of the Secret or
 * of the webhook configurations, and at each check. Knows what is wrong now by part, holds the start until there is a
 * first pair, and knows whether this replica leads.
 */
export abstract class ClusterCertificates<
  Settings extends ClusterCertificatesSettings = ClusterCertificatesSettings,
> implements CertificateSource {
  protected readonly client: ApiClient;
  protected readonly settings: Settings;
  protected readonly dependencies: CertificateDependencies;
  protected readonly secret: MirroredObject;
  protected readonly bundle: WebhookCaBundle;
  /** The Secret, for messages. */
  protected readonly where: string;
  /** The name that the API server calls the webhook by. */
  protected readonly host: string;
  readonly #rounds: RepeatedWork;
  readonly #problems = new Map<Part, string>();
  readonly #firstPair = Promise.withResolvers<ServingPair>();
  #listener: CertificateListener | undefined;
  #hasPair = false;
  protected isLeader = false;
  readonly #stopped = new AbortController();
  /** Aborted on stop. */
  protected readonly signal = this.#stopped.signal;

  constructor(client: ApiClient, settings: Settings, dependencies: CertificateDependencies) {
    const { namespace, service, secretName, configurationName, check } = settings;
    this.client = client;
    this.settings = settings;
    this.dependencies = dependencies;
    this.where = `Secret ${namespace}/${secretName}`;
    this.host = `${service}.${namespace}.svc`;
    this.#rounds = new RepeatedWork(() => this.round(), check ?? CHECK_MILLISECONDS, dependencies.random);
    const secret = { collection: `/api/v1/namespaces/${namespace}/secrets`, name: secretName };
    this.secret = new MirroredObject(client, secret, this.#mirrorListener('secret contact'), dependencies);
    const webhooks = { configurationName, service, namespace };
    this.bundle = new WebhookCaBundle(client, webhooks, this.#mirrorListener('webhook contact'), dependencies);
    this.#firstPair.promise.catch(() => undefined);
  }

  abstract status(): CertificateStatus;

  /** Does what is due. False when a part has failed and is to be tried again; must not reject. */
  protected abstract round(): Promise<boolean>;

  /**
   * Resolves with the first pair. Waits for as long as there is none, and reports the reason to the listener. Rejects
   * on stop only.
   */
  start(listener: CertificateListener): Promise<ServingPair> {
    this.#listener = listener;
    if (!this.signal.aborted) {
      void this.secret.start();
      this.bundle.start();
      this.#rounds.start();
    }
    return this.#firstPair.promise;
  }

  stop(): void {
    this.#stopped.abort();
    this.#rounds.stop();
    this.secret.stop();
    this.bundle.stop();
    this.#firstPair.reject(new Error('stopped before there was a certificate'));
  }

  lead(isLeader: boolean): void {
    this.isLeader = isLeader;
    if (this.#listener !== undefined) this.#rounds.ask();
  }

  problem(): string | undefined {
    return this.#problems.size === 0 ? undefined : [...this.#problems.values()].join('; ');
  }

  /** Reports a pair to serve from now on. */
  protected found(pair: ServingPair): void {
    if (this.signal.aborted) return;
    if (this.#hasPair) this.#listener?.changed(pair);
    else this.#firstPair.resolve(pair);
    this.#hasPair = true;
  }

  /** Notes what is wrong with a part, and reports it if that is news; undefined when nothing is wrong. */
  protected note(part: Part, problem: string | undefined): void {
    if (problem === this.#problems.get(part)) return;
    if (problem === undefined) this.#problems.delete(part);
    else this.#problems.set(part, problem);
    if (problem !== undefined && !this.signal.aborted) this.#listener?.failed(problem);
  }

  /** Does the work of one part and notes its failure, so that the other parts are still done. False when it failed. */
  protected async attempt(part: Part, work: () => Promise<void>): Promise<boolean> {
    if (this.signal.aborted) return true;
    try {
      await work();
      this.note(part, undefined);
      return true;
    } catch (error) {
      this.note(part, messageOf(error));
      return false;
    }
  }

  /**
   * The leader writes what clients are to trust into the webhook configurations. An empty caBundle is filled by any
   * replica: until then no call can succeed, and after a reinstallation the Lease may still belong to a leader that is
   * gone. Rejects when a write has failed for another reason than a conflict.
   */
  protected async writeBundle(bundle: string, written?: (result: WriteResult) => void): Promise<void> {
    const writes = await this.bundle.write(bundle, this.isLeader ? 'all' : 'empty');
    for (const { result } of writes) written?.(result);
    const failed = writes.find(({ result }) => result === 'error');
    if (failed !== undefined) throw new Error(`the ${failed.kind} webhook configuration: ${failed.problem ?? ''}`);
  }

  /** Whether each configuration trusts all that it should. */
  protected syncedTo(bundle: string | undefined): CertificateStatus['bundleSynced'] {
    if (bundle === undefined) return { mutating: undefined, validating: undefined };
    return {
      mutating: this.bundle.isSynced('mutating', bundle),
      validating: this.bundle.isSynced('validating', bundle),
    };
  }

  /** Each change asks for a round, and so does contact that is lost or restored. */
  #mirrorListener(part: Part): MirrorListener {
    return {
      changed: () => this.#rounds.ask(),
      troubled: (problem) => {
        this.note(part, problem);
        this.#rounds.ask();
      },
    };
  }
}
