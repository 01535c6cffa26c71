import { dataOf } from './ca-secret.ts';
import { certificatesIn } from './ca-bundle.ts';
import { CertificateUpkeep } from './certificate-upkeep.ts';
import { isChainTrusted } from './chain-trust.ts';
import { clientVerdict, UNSIGNED } from './client-verdict.ts';
import { MirroredObject } from '../../cluster/client/mirrored-object.ts';
import { servingPair } from './serving-pair.ts';
import { throwIfFailed, WebhookCaBundle } from './webhook-ca-bundle.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { CertificateListener, CertificateSource } from './certificate-source.ts';
import type { CertificateDependencies } from './certificate-dependencies.ts';
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
  /** The longest pause before a failed step is tried again, in milliseconds. Default one minute. */
  readonly check?: number;
}

/** How the certificates are doing. */
export interface SecretCertificatesStatus {
  readonly leafNotAfter: number | undefined;
  /**
   * Whether each configuration trusts the Secret's CA; undefined when there is no such configuration, or no such CA.
   */
  readonly bundleSynced: Readonly<Record<ConfigurationKind, boolean | undefined>>;
}

type Part = 'secret contact' | 'webhook contact' | 'secret' | 'pair' | 'bundle';

/**
 * The serving pair from a Secret of the user, read through the API, which is faster than a mounted file. A Secret that
 * cannot be used is reported, and the last good pair is served. A pair that the API server would refuse is reported and
 * served: it may be meant for callers that use another name.
 *
 * When the Secret has a `ca.crt`, as cert-manager's have, the leader keeps the caBundle of the webhook configurations
 * equal to it, byte for byte, but only if the chain of the pair leads to that CA: otherwise every call would fail. To
 * change the CA, put the old and the new one into `ca.crt` first. Without a `ca.crt` the configurations are not
 * written.
 */
export class SecretCertificates implements CertificateSource {
  readonly #settings: SecretCertificatesSettings;
  readonly #now: () => number;
  readonly #secret: MirroredObject;
  readonly #bundle: WebhookCaBundle;
  readonly #upkeep: CertificateUpkeep<Part>;
  /** The last pair that was good, and the CA that came with it. */
  #good: { readonly pair: ServingPair; readonly ca: string | undefined } | undefined;
  #seen: KubernetesObject | undefined;

  constructor(client: ApiClient, settings: SecretCertificatesSettings, dependencies: CertificateDependencies) {
    this.#settings = settings;
    this.#now = dependencies.now;
    const { namespace, service, secretName, configurationName } = settings;
    this.#upkeep = new CertificateUpkeep(() => this.#round(), settings.check, dependencies);
    const secret = { collection: `/api/v1/namespaces/${namespace}/secrets`, name: secretName };
    this.#secret = new MirroredObject(client, secret, this.#upkeep.listener('secret contact'), dependencies);
    const webhooks = { configurationName, service, namespace };
    this.#bundle = new WebhookCaBundle(client, webhooks, this.#upkeep.listener('webhook contact'), dependencies);
  }

  /**
   * Resolves once the Secret exists and can be used; reports to the listener what it waits for. Rejects on stop only.
   */
  start(listener: CertificateListener): Promise<ServingPair> {
    return this.#upkeep.start(listener, [this.#secret, this.#bundle]);
  }

  stop(): void {
    this.#upkeep.stop();
  }

  /** Says whether this replica leads, and so writes the caBundle. Can be called at any time, also before start. */
  lead(isLeader: boolean): void {
    this.#upkeep.lead(isLeader);
  }

  problem(): string | undefined {
    return this.#upkeep.problem();
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

  #round(): Promise<boolean> {
    if (this.#secret.isKnown) this.#look();
    this.#upkeep.note('pair', this.#verdict());
    return this.#upkeep.attempt('bundle', () => this.#keepBundle());
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
      this.#upkeep.note('secret', undefined);
      if (isNews) this.#upkeep.found(pair);
    } catch (error) {
      this.#upkeep.note('secret', `Secret ${namespace}/${secretName}: ${messageOf(error)}`);
    }
  }

  /**
   * Why the API server would refuse the pair that is served. Without a `ca.crt` that fits, the top of the chain is
   * taken for what it trusts.
   */
  #verdict(): string | undefined {
    if (this.#good === undefined) return undefined;
    const { pair, ca } = this.#good;
    const { namespace, service, secretName } = this.#settings;
    const judge = (roots: string): string | undefined =>
      clientVerdict(pair.cert, roots, `${service}.${namespace}.svc`, this.#now());
    const verdict = judge(ca ?? topOf(pair.cert));
    // A ca.crt that does not fit tls.crt is reported with the caBundle.
    const problem = ca !== undefined && verdict?.startsWith(UNSIGNED) === true ? judge(topOf(pair.cert)) : verdict;
    return problem && `Secret ${namespace}/${secretName}: the API server would refuse tls.crt: ${problem}`;
  }

  async #keepBundle(): Promise<void> {
    if (this.#good?.ca === undefined) return;
    const { pair, ca } = this.#good;
    if (!isChainTrusted(pair.cert, ca))
      throw new Error('the caBundle is left alone: tls.crt is not signed by what ca.crt holds');
    // As with own certificates, an empty caBundle is filled at once, by any replica.
    throwIfFailed(await this.#bundle.write(ca, this.#upkeep.isLeader ? 'all' : 'empty'));
  }
}

/** The chain without its leaf; the leaf when the chain has nothing else. */
function topOf(chain: string): string {
  const [leaf, ...others] = certificatesIn(chain);
  return others.length > 0 ? others.join('') : (leaf?.toString() ?? '');
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
