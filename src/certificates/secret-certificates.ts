import { dataOf } from './ca-secret.ts';
import { isChainTrusted } from './chain-trust.ts';
import { CurrentProblems } from './current-problems.ts';
import { MirroredObject } from './mirrored-object.ts';
import { PendingStart } from './pending-start.ts';
import { Rounds } from './rounds.ts';
import { servingPair } from './serving-pair.ts';
import { throwIfFailed, WebhookCaBundle } from './webhook-ca-bundle.ts';
import type { ApiClient } from '../kubernetes/api-client.ts';
import type { KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import type { CertificateListener, CertificateSource } from './certificate-source.ts';
import type { CertificateSurroundings } from './certificate-surroundings.ts';
import type { ServingPair } from './serving-pair.ts';
import type { ConfigurationKind } from './webhook-ca-bundle.ts';

/** Which objects are used. */
export interface SecretCertificatesSettings {
  /** Of the Service and the Secret. */
  readonly namespace: string;
  /** The Service that the API server calls. */
  readonly service: string;
  /** A Secret of type kubernetes.io/tls. */
  readonly secretName: string;
  /** The name of both webhook configurations. */
  readonly configurationName: string;
  /** How often what failed is tried again at the latest, in milliseconds. Default one minute. */
  readonly check?: number;
}

/** How the certificates are doing. */
export interface SecretCertificatesStatus {
  readonly leafNotAfter: number | undefined;
  /** Whether each configuration trusts the Secret's CA; undefined when there is no such configuration, or no such CA. */
  readonly bundleSynced: Readonly<Record<ConfigurationKind, boolean | undefined>>;
}

type Part = 'secret contact' | 'webhook contact' | 'secret' | 'bundle';

const CHECK_MILLISECONDS = 60_000;

/**
 * The serving pair from a Secret of the user's, read by the API: no mounted file lags behind. A Secret that cannot be used is told of,
 * and the last good pair goes on being served.
 *
 * When the Secret has a `ca.crt`, as cert-manager's have, the leader keeps the caBundle of the webhook configurations equal to it, byte
 * for byte; but only if the pair's own chain leads there, because clients that trust anything else would trust us no longer. Whoever
 * changes the CA has to put the old and the new one into `ca.crt` first. Without a `ca.crt` the configurations are left alone.
 */
export class SecretCertificates implements CertificateSource {
  readonly #settings: SecretCertificatesSettings;
  readonly #secret: MirroredObject;
  readonly #bundle: WebhookCaBundle;
  readonly #rounds: Rounds;
  readonly #problems = new CurrentProblems<Part>((problem) => this.#pending?.failed(problem));
  #pending: PendingStart | undefined;
  #isLeader = false;
  #isStopped = false;
  /** The last pair that was good, and the CA that came with it. */
  #good: { readonly pair: ServingPair; readonly ca: string | undefined } | undefined;
  #seen: KubernetesObject | undefined;

  constructor(client: ApiClient, settings: SecretCertificatesSettings, surroundings: CertificateSurroundings) {
    this.#settings = settings;
    const { namespace, service, secretName, configurationName } = settings;
    this.#rounds = new Rounds(() => this.#round(), settings.check ?? CHECK_MILLISECONDS, surroundings.random);
    const listener = (part: Part): { changed: () => void; troubled: (problem: string | undefined) => void } => ({
      changed: () => this.#rounds.ask(),
      troubled: (problem) => {
        this.#problems.set(part, problem);
        this.#rounds.ask();
      },
    });
    const secret = { collection: `/api/v1/namespaces/${namespace}/secrets`, name: secretName };
    this.#secret = new MirroredObject(client, secret, listener('secret contact'), surroundings);
    const webhooks = { configurationName, service, namespace };
    this.#bundle = new WebhookCaBundle(client, webhooks, listener('webhook contact'), surroundings);
  }

  /** Resolves once the Secret exists and can be used; the listener is told what it waits for. Rejects on stop only. */
  start(listener: CertificateListener): Promise<ServingPair> {
    this.#pending = new PendingStart(listener);
    if (this.#isStopped) this.#pending.stop();
    else {
      void this.#secret.start();
      this.#bundle.start();
      this.#rounds.start();
    }
    return this.#pending.firstPair;
  }

  stop(): void {
    this.#isStopped = true;
    this.#rounds.stop();
    this.#secret.stop();
    this.#bundle.stop();
    this.#pending?.stop();
  }

  /** Tells whether this replica leads, and so writes the caBundle. Can be called at any time, before start too. */
  lead(isLeader: boolean): void {
    this.#isLeader = isLeader;
    if (this.#pending !== undefined) this.#rounds.ask();
  }

  problem(): string | undefined {
    return this.#problems.text();
  }

  status(): SecretCertificatesStatus {
    const ca = this.#good?.ca;
    const synced = (kind: ConfigurationKind): boolean | undefined =>
      ca === undefined ? undefined : this.#bundle.isSynced(kind, ca);
    return {
      leafNotAfter: this.#good?.pair.notAfter,
      bundleSynced: { mutating: synced('mutating'), validating: synced('validating') },
    };
  }

  async #round(): Promise<boolean> {
    if (this.#secret.isKnown) this.#look();
    try {
      await this.#keepBundle();
      this.#problems.set('bundle', undefined);
      return true;
    } catch (error) {
      this.#problems.set('bundle', messageOf(error));
      return false;
    }
  }

  /** Takes over what the Secret holds, if it can be used. */
  #look(): void {
    const { object } = this.#secret;
    if (object !== undefined && object === this.#seen) return;
    this.#seen = object;
    const { namespace, secretName } = this.#settings;
    try {
      if (object === undefined) throw new Error('it does not exist');
      const { pair, ca } = read(dataOf(object));
      const isNews = pair.cert !== this.#good?.pair.cert || pair.key !== this.#good.pair.key;
      this.#good = { pair, ca };
      this.#problems.set('secret', undefined);
      if (isNews) this.#pending?.found(pair);
    } catch (error) {
      this.#problems.set('secret', `Secret ${namespace}/${secretName}: ${messageOf(error)}`);
    }
  }

  async #keepBundle(): Promise<void> {
    if (this.#good?.ca === undefined) return;
    const { pair, ca } = this.#good;
    if (!isChainTrusted(pair.cert, ca))
      throw new Error('the caBundle is left alone: tls.crt is not signed by what ca.crt holds');
    // As with own certificates, what is empty can wait for no leader.
    throwIfFailed(await this.#bundle.write(ca, this.#isLeader ? 'all' : 'empty'));
  }
}

function read(data: Readonly<Record<string, string>>): { pair: ServingPair; ca: string | undefined } {
  const [cert, key, ca] = ['tls.crt', 'tls.key', 'ca.crt'].map((name) => {
    const value = data[name];
    return value === undefined || value === '' ? undefined : Buffer.from(value, 'base64').toString('utf8');
  });
  if (cert === undefined) throw new Error('tls.crt is missing');
  if (key === undefined) throw new Error('tls.key is missing');
  return { pair: servingPair(cert, key), ca };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
