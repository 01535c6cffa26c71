import { MirroredObject, type MirrorListener } from '../../cluster/client/mirrored-object.ts';
import { RepeatedWork } from '../../cluster/client/timing.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { WebhookCaBundle } from './webhook-ca-bundle.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { ServingPair } from './pem.ts';
import type { CertificateListener, CertificateSource, CertificateStatus } from './serving-tls.ts';
import type { CertificateDependencies, WebhookAddress, WriteResult } from './webhook-ca-bundle.ts';

export interface ClusterCertificatesSettings extends WebhookAddress {
  readonly secretName: string;
  /** How often the wall clock is looked at, in milliseconds. Default one minute. */
  readonly check?: number;
}

type Part = 'secret contact' | 'webhook contact' | 'leaf' | 'secret' | 'pair' | 'bundle';

const CHECK_MILLISECONDS = 60_000;

/** A pair from a Secret of the cluster. A round of work runs at each change of what is watched, and at each check. */
export abstract class ClusterCertificates<
  Settings extends ClusterCertificatesSettings = ClusterCertificatesSettings,
> implements CertificateSource {
  protected readonly client: ApiClient;
  protected readonly settings: Settings;
  protected readonly dependencies: CertificateDependencies;
  protected readonly secret: MirroredObject;
  protected readonly bundle: WebhookCaBundle;
  protected readonly collection: string;
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
  protected readonly signal = this.#stopped.signal;

  constructor(client: ApiClient, settings: Settings, dependencies: CertificateDependencies) {
    const { namespace, service, secretName, check = CHECK_MILLISECONDS } = settings;
    this.client = client;
    this.settings = settings;
    this.dependencies = dependencies;
    this.collection = `/api/v1/namespaces/${namespace}/secrets`;
    this.where = `Secret ${namespace}/${secretName}`;
    this.host = `${service}.${namespace}.svc`;
    this.#rounds = new RepeatedWork(() => this.round(), check, dependencies.random);
    const secretListener = this.#mirrorListener('secret contact');
    this.secret = new MirroredObject(client, this.collection, secretName, secretListener, dependencies);
    const bundleListener = this.#mirrorListener('webhook contact');
    this.bundle = new WebhookCaBundle(client, settings, bundleListener, dependencies, this.signal);
    this.#firstPair.promise.catch(() => undefined);
  }

  abstract status(): CertificateStatus;

  /** Does what is due. False when a part has failed and is to be tried again; must not reject. */
  protected abstract round(): Promise<boolean>;

  /** Waits for as long as there is no pair, and reports the reason to the listener. Rejects on stop only. */
  start(listener: CertificateListener): Promise<ServingPair> {
    this.#listener = listener;
    if (!this.signal.aborted) for (const part of [this.secret, this.bundle, this.#rounds]) part.start();
    return this.#firstPair.promise;
  }

  stop(): void {
    this.#stopped.abort();
    for (const part of [this.#rounds, this.secret, this.bundle]) part.stop();
    this.#firstPair.reject(new Error('stopped before there was a certificate'));
  }

  lead(isLeader: boolean): void {
    this.isLeader = isLeader;
    if (this.#listener !== undefined) this.#rounds.ask();
  }

  problem(): string | undefined {
    return this.#problems.size === 0 ? undefined : [...this.#problems.values()].join('; ');
  }

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
   * The leader writes the caBundle. Any replica fills an empty one: until then no call can succeed, and after a
   * reinstallation the Lease may still belong to a leader that is gone.
   */
  protected writeBundle(bundle: string, written?: (result: WriteResult) => void): Promise<void> {
    return this.bundle.write(bundle, this.isLeader ? 'all' : 'empty', written);
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
