import { bundleOf } from './ca-bundle.ts';
import { CaAdoption } from './ca-adoption.ts';
import { CaSecret } from './ca-secret.ts';
import { trustedBy } from './ca-state.ts';
import { CertificateUpkeep } from './certificate-upkeep.ts';
import { dueSecretWrite } from './due-secret-write.ts';
import { IssuanceTrials } from './issuance-trials.ts';
import { OwnLeaf } from './own-leaf.ts';
import { throwIfOthers } from './secret-ownership.ts';
import { throwIfFailed, WebhookCaBundle } from './webhook-ca-bundle.ts';
import { WriteCounts } from './write-counts.ts';
import { WriteLimit } from '../../cluster/client/write-limit.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { RotationSettings } from './ca-rotation.ts';
import type { SecretAddress, SecretSight } from './ca-secret.ts';
import type { CaState } from './ca-state.ts';
import type { CertificateListener, CertificateSource } from './certificate-source.ts';
import type { CertificateDependencies } from './certificate-dependencies.ts';
import type { DueSecretWrite } from './due-secret-write.ts';
import type { ServingPair } from './serving-pair.ts';
import type { ConfigurationKind } from './webhook-ca-bundle.ts';
import type { WriteCount } from './write-counts.ts';

/** Which objects are used, and how long things last, in milliseconds. */
export interface OwnCertificatesSettings extends RotationSettings {
  /** Of the Service and the Secret. */
  readonly namespace: string;
  /** The Service that the API server calls. */
  readonly service: string;
  readonly secretName: string;
  /** The name of both webhook configurations. */
  readonly configurationName: string;
  /** How often the wall clock is looked at. Default one minute. */
  readonly check?: number;
}

/** How the certificates are doing. Times are in milliseconds since the epoch. */
export interface OwnCertificatesStatus {
  readonly caNotAfter: number | undefined;
  readonly nextNotAfter: number | undefined;
  readonly leafNotAfter: number | undefined;
  /** Whether each configuration trusts all that it should; undefined for one that does not exist. */
  readonly bundleSynced: Readonly<Record<ConfigurationKind, boolean | undefined>>;
  readonly writes: readonly WriteCount[];
}

type Part = 'secret contact' | 'webhook contact' | 'leaf' | 'secret' | 'bundle';

/** Clients look at the alternative names only. */
const LEAF_NAME = 'probewright webhook';

/**
 * Serving certificates without cert-manager or mounted files. The replicas share a CA in a Secret, each makes its own
 * leaf in memory, and the leader keeps the webhook configurations trusting the CA and rotates the CA in time.
 *
 * The watches say what is in force. Every round compares that with the clock and does what is missing, so it does not
 * matter which replica did what before, or whether a write was finished.
 */
export class OwnCertificates implements CertificateSource {
  readonly #settings: OwnCertificatesSettings;
  readonly #dependencies: CertificateDependencies;
  readonly #address: SecretAddress;
  readonly #secret: CaSecret;
  readonly #adoption: CaAdoption;
  readonly #leaf: OwnLeaf;
  readonly #bundle: WebhookCaBundle;
  readonly #upkeep: CertificateUpkeep<Part>;
  readonly #writes = new WriteCounts();
  readonly #secretLimit = new WriteLimit();

  constructor(client: ApiClient, settings: OwnCertificatesSettings, dependencies: CertificateDependencies) {
    this.#settings = settings;
    this.#dependencies = dependencies;
    const { namespace, service, secretName, configurationName, leafLifetime } = settings;
    this.#upkeep = new CertificateUpkeep(() => this.#round(), settings.check, dependencies);
    this.#address = { namespace, name: secretName };
    this.#secret = new CaSecret(client, this.#address, this.#upkeep.listener('secret contact'), dependencies);
    const host = `${service}.${namespace}.svc`;
    // The API server uses no other name, and each further name could break the name constraints of a CA.
    const names = { commonName: LEAF_NAME, dns: [host] };
    this.#adoption = new CaAdoption(this.#secret, this.#address, new IssuanceTrials(names, host), dependencies);
    this.#leaf = new OwnLeaf({ names, leafLifetime, configurationName }, dependencies);
    const webhooks = { configurationName, service, namespace };
    this.#bundle = new WebhookCaBundle(client, webhooks, this.#upkeep.listener('webhook contact'), dependencies);
  }

  /**
   * Resolves with the first pair. Waits for as long as the API server cannot be reached, and reports that to the
   * listener. Rejects on stop only.
   */
  start(listener: CertificateListener): Promise<ServingPair> {
    return this.#upkeep.start(listener, [this.#secret, this.#bundle]);
  }

  stop(): void {
    this.#upkeep.stop();
  }

  /** Says whether this replica leads, and so writes for the others. Can be called at any time, also before start. */
  lead(isLeader: boolean): void {
    this.#upkeep.lead(isLeader);
  }

  problem(): string | undefined {
    return this.#upkeep.problem();
  }

  status(): OwnCertificatesStatus {
    const { state } = this.#adoption;
    const wanted = state && this.#wantedBundle(state, this.#dependencies.now());
    const synced = (kind: ConfigurationKind): boolean | undefined => this.#bundle.isSynced(kind, wanted);
    return {
      caNotAfter: state?.ca.notAfter,
      nextNotAfter: state?.next?.notAfter,
      leafNotAfter: this.#leaf.notAfter,
      bundleSynced: { mutating: synced('mutating'), validating: synced('validating') },
      writes: this.#writes.all(),
    };
  }

  /**
   * False when a part failed, and is to be tried again. The failure of one part does not keep the others from being
   * done.
   */
  async #round(): Promise<boolean> {
    await this.#adoption.tryAuthorities();
    const isLeafKept = await this.#attempt('leaf', () => this.#keepLeaf());
    const isSecretKept = await this.#attempt('secret', () => this.#keepSecret());
    const isBundleKept = await this.#attempt('bundle', () => this.#keepBundle());
    return isLeafKept && isSecretKept && isBundleKept;
  }

  /** Every part decides on what the Secret holds by then. */
  #attempt(part: Part, work: () => Promise<void>): Promise<boolean> {
    return this.#upkeep.attempt(part, () => {
      this.#adoption.adopt();
      return work();
    });
  }

  async #keepLeaf(): Promise<void> {
    const { state } = this.#adoption;
    if (state === undefined) return;
    const pair = await this.#leaf.renew(state.ca, this.#bundle.isTrusted(state.ca.cert) === true);
    if (pair !== undefined) this.#upkeep.found(pair);
  }

  /** Does the one write to the Secret that is due, if any. */
  async #keepSecret(): Promise<void> {
    if (!this.#secret.isWritable) return;
    const sight = this.#secret.look();
    const found = this.#adoption.adoptable(sight);
    if (sight.reading !== undefined && found === undefined) return;
    const { state } = this.#adoption;
    if (sight.object !== undefined && found !== undefined) throwIfOthers(this.#where(), sight.object, found, state);
    const now = this.#dependencies.now();
    const situation = {
      found,
      state,
      unkeptRoot: state && this.#leaf.unkeptRoot(state, now),
      isLeader: this.#upkeep.isLeader,
      isNextTrusted: state?.next && this.#bundle.isTrusted(state.next.cert),
    };
    const due = await dueSecretWrite(situation, now, this.#settings);
    if (due !== undefined) await this.#writeSecret(sight, due);
  }

  async #writeSecret(sight: SecretSight, { step, state }: DueSecretWrite): Promise<void> {
    const { log, now } = this.#dependencies;
    if (this.#secretLimit.isReached(now()))
      throw new Error(`somebody else writes ${this.#where()} over and over, so it is left alone for a while`);
    this.#secretLimit.note(now());
    try {
      const result = await this.#secret.write(sight, state);
      this.#writes.add(step, result);
      const caNotAfter = new Date(state.ca.notAfter).toISOString();
      log.info({ step, result, caNotAfter }, 'the Secret of the CA written');
    } catch (error) {
      this.#writes.add(step, 'error');
      throw error;
    }
  }

  /**
   * The leader writes what clients are to trust into the webhook configurations. An empty caBundle is filled by any
   * replica: until then no call can succeed, and after a reinstallation the Lease may still belong to a leader that is
   * gone.
   */
  async #keepBundle(): Promise<void> {
    const { state } = this.#adoption;
    if (state === undefined) return;
    const bundle = this.#wantedBundle(state, this.#dependencies.now());
    // An empty bundle would mean: trust what the system trusts.
    if (bundle === '') return;
    const writes = await this.#bundle.write(bundle, this.#upkeep.isLeader ? 'all' : 'empty');
    for (const { result } of writes) this.#writes.add('bundle', result);
    throwIfFailed(writes);
  }

  /** The CAs that clients are to trust. The CA of the served leaf is among them also while the Secret lacks that CA. */
  #wantedBundle(state: CaState, now: number): string {
    const unkept = this.#leaf.unkeptRoot(state, now);
    const roots = [...trustedBy(state), ...(unkept === undefined ? [] : [unkept])];
    return bundleOf(
      roots.map(({ cert }) => cert),
      now,
    );
  }

  #where(): string {
    return `Secret ${this.#address.namespace}/${this.#address.name}`;
  }
}
