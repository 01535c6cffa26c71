import { bundleOf } from './ca-bundle.ts';
import { distrusted, nextStep, promoted, retired, retiring, staged, trusted } from './ca-rotation.ts';
import { CaSecret, dataOf } from './ca-secret.ts';
import { initialState, keysBeyond, SECRET_LABELS, trustedBy } from './ca-state.ts';
import { createAuthority, issueLeaf } from './certificate-authority.ts';
import { CertificateUpkeep } from './certificate-upkeep.ts';
import { IssuanceTrials } from './issuance-trials.ts';
import { isLeafDue, renewalTime } from './leaf-renewal.ts';
import { throwIfFailed, WebhookCaBundle } from './webhook-ca-bundle.ts';
import { WriteLimit } from './write-limit.ts';
import type { ApiClient } from '../kubernetes/api-client.ts';
import type { KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import type { RotationSettings, RotationStep } from './ca-rotation.ts';
import type { LeafNames } from './certificate-authority.ts';
import type { SecretSight } from './ca-secret.ts';
import type { CaState, SecretReading } from './ca-state.ts';
import type { CertificateListener, CertificateSource } from './certificate-source.ts';
import type { CertificateSurroundings } from './certificate-surroundings.ts';
import type { ServedLeaf } from './leaf-renewal.ts';
import type { ServingPair } from './serving-pair.ts';
import type { CertificateAuthority } from './trust-root.ts';
import type { ConfigurationKind } from './webhook-ca-bundle.ts';

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

/**
 * A write to the Secret. Beside the steps of a rotation: `create`: there was none; `restore`: it was deleted, or what it holds cannot be
 * used; `keep`: it was replaced by another CA, and the one whose leaf is still served goes into it.
 */
export type SecretWrite = RotationStep | 'create' | 'restore' | 'keep';

/** How often one kind of write went one way. */
export interface WriteCount {
  readonly step: SecretWrite | 'bundle';
  readonly result: 'done' | 'conflict' | 'error';
  readonly count: number;
}

/** How the certificates are doing. Times are in milliseconds since the epoch. */
export interface OwnCertificatesStatus {
  readonly caNotAfter: number | undefined;
  readonly nextNotAfter: number | undefined;
  readonly leafNotAfter: number | undefined;
  /** Whether each configuration trusts all that it should; undefined for one that there is none of. */
  readonly bundleSynced: Readonly<Record<ConfigurationKind, boolean | undefined>>;
  readonly writes: readonly WriteCount[];
}

/** What can be adopted of what the Secret holds. */
interface Adoptable extends SecretReading {
  /** Why clients would refuse what the CA signs, though it can be read and can sign. */
  readonly refusal: string | undefined;
}

interface DueWrite {
  readonly step: SecretWrite;
  readonly state: CaState;
}

type Part = 'secret contact' | 'webhook contact' | 'leaf' | 'secret' | 'bundle';

/**
 * Serving certificates that need nobody else: the replicas share a CA in a Secret, each mints its own leaf in memory, and one of them,
 * the leader, keeps the webhook configurations trusting the CA and replaces it in time. Nothing is mounted, so no file lags behind.
 *
 * What is in force is what the API server tells by its watches. Every round looks at that and at the clock and does what is missing, so
 * it does not matter which replica did what before, or whether it came to an end.
 */
export class OwnCertificates implements CertificateSource {
  readonly #settings: OwnCertificatesSettings;
  readonly #surroundings: CertificateSurroundings;
  readonly #secret: CaSecret;
  readonly #bundle: WebhookCaBundle;
  readonly #upkeep: CertificateUpkeep<Part>;
  readonly #names: LeafNames;
  readonly #trials: IssuanceTrials;
  readonly #writes = new Map<string, WriteCount>();
  readonly #secretLimit = new WriteLimit();
  /** The last state that was whole: a Secret that is deleted or spoilt is made good with it. */
  #state: CaState | undefined;
  #served: (ServedLeaf & { readonly root: CertificateAuthority }) | undefined;
  /** What was logged about the Secret. */
  #toldProblems = '';
  #isWaitTold = false;

  constructor(client: ApiClient, settings: OwnCertificatesSettings, surroundings: CertificateSurroundings) {
    this.#settings = settings;
    this.#surroundings = surroundings;
    const { namespace, service, secretName, configurationName } = settings;
    this.#upkeep = new CertificateUpkeep(() => this.#round(), settings.check, surroundings);
    const secret = { namespace, name: secretName };
    this.#secret = new CaSecret(client, secret, this.#upkeep.listener('secret contact'), surroundings);
    const host = `${service}.${namespace}.svc`;
    // The API server uses no other name, and each further name could break the name constraints of a CA.
    this.#names = { commonName: LEAF_NAME, dns: [host] };
    this.#trials = new IssuanceTrials(this.#names, host);
    const webhooks = { configurationName, service, namespace };
    this.#bundle = new WebhookCaBundle(client, webhooks, this.#upkeep.listener('webhook contact'), surroundings);
  }

  /**
   * Resolves with the first pair. Waits for as long as the API server cannot be reached, and says so to the listener. Rejects on stop only.
   */
  start(listener: CertificateListener): Promise<ServingPair> {
    return this.#upkeep.start(listener, [this.#secret, this.#bundle]);
  }

  stop(): void {
    this.#upkeep.stop();
  }

  /** Tells whether this replica leads, and so writes for the others. Can be called at any time, before start too. */
  lead(isLeader: boolean): void {
    this.#upkeep.lead(isLeader);
  }

  problem(): string | undefined {
    return this.#upkeep.problem();
  }

  status(): OwnCertificatesStatus {
    const wanted = this.#state && this.#wantedBundle(this.#state, this.#surroundings.now());
    const synced = (kind: ConfigurationKind): boolean | undefined => this.#bundle.isSynced(kind, wanted);
    return {
      caNotAfter: this.#state?.ca.notAfter,
      nextNotAfter: this.#state?.next?.notAfter,
      leafNotAfter: this.#served?.notAfter,
      bundleSynced: { mutating: synced('mutating'), validating: synced('validating') },
      writes: [...this.#writes.values()],
    };
  }

  /** Gives false when something failed, and is to be tried again. One part's failure does not keep the others from being done. */
  async #round(): Promise<boolean> {
    await this.#tryAuthorities();
    const isLeafKept = await this.#attempt('leaf', () => this.#keepLeaf());
    const isSecretKept = await this.#attempt('secret', () => this.#keepSecret());
    const isBundleKept = await this.#attempt('bundle', () => this.#keepBundle());
    return isLeafKept && isSecretKept && isBundleKept;
  }

  /** Nothing is waited for when all CAs were tried before: what the Secret holds now may be gone in a moment. */
  async #tryAuthorities(): Promise<void> {
    this.#look();
    const { state } = this.#secret.look().reading ?? {};
    if (state !== undefined && !this.#areTried(state)) await this.#trials.run(signers(state), this.#surroundings.now());
  }

  #areTried(state: CaState): boolean {
    return signers(state).every((signer) => this.#trials.has(signer));
  }

  /** Every part decides on what there is by then. */
  #attempt(part: Part, work: () => Promise<void>): Promise<boolean> {
    return this.#upkeep.attempt(part, () => {
      this.#look();
      return work();
    });
  }

  /** Takes over what the Secret holds, if all of it can be used and clients accept what its CAs sign. */
  #look(): void {
    const adoptable = this.#adoptable(this.#secret.look());
    if (adoptable === undefined) return;
    const problems = adoptable.problems.join('; ');
    if (problems !== this.#toldProblems && problems !== '') {
      const { namespace, secretName } = this.#settings;
      this.#surroundings.log.error({ namespace, secret: secretName, problems }, 'the Secret of the CA cannot be used');
    }
    this.#toldProblems = problems;
    if (problems === '') this.#state = adoptable.state;
  }

  /** Undefined when there is no Secret, or when it has changed during this round: the next round will have tried its CAs. */
  #adoptable({ reading }: SecretSight): Adoptable | undefined {
    if (reading?.state === undefined) return reading && { ...reading, refusal: undefined };
    const { state, problems } = reading;
    if (!this.#areTried(state)) return undefined;
    const refusal = this.#trials.problem(state.ca);
    if (refusal !== undefined)
      return { state: undefined, problems: [...problems, `ca.crt: ${REFUSED}: ${refusal}`], refusal };
    const next = state.next && this.#trials.problem(state.next);
    if (next === undefined) return { ...reading, refusal };
    const kept = { ...state, next: undefined, nextTrustedSince: undefined };
    return { state: kept, problems: [...problems, `next.crt: ${REFUSED}: ${next}`], refusal };
  }

  /** Mints a leaf when one is due. The one that is served goes on being served when that fails. */
  async #keepLeaf(): Promise<void> {
    const state = this.#state;
    if (state === undefined) return;
    const { ca } = state;
    const { now, random, log } = this.#surroundings;
    const issuedAt = now();
    const isTrusted = this.#bundle.isTrusted(ca.cert) === true;
    if (!isLeafDue(this.#served, ca, isTrusted, issuedAt)) return this.#tellWait(ca);
    const pair = await issueLeaf(ca, this.#names, issuedAt, this.#settings.leafLifetime);
    const renewAt = renewalTime(issuedAt, pair.notAfter, random());
    this.#served = { ca: ca.cert, root: ca, issuedAt, renewAt, notAfter: pair.notAfter };
    this.#isWaitTold = false;
    log.info({ notAfter: isoTime(pair.notAfter), renewAt: isoTime(renewAt) }, 'serving certificate minted');
    this.#upkeep.found(pair);
  }

  #tellWait(ca: CertificateAuthority): void {
    if (this.#served?.ca === ca.cert || this.#isWaitTold) return;
    this.#isWaitTold = true;
    const fields = { configuration: this.#settings.configurationName };
    this.#surroundings.log.info(fields, 'the CA has changed, the new leaf waits for the webhook configurations');
  }

  /** Does the one write to the Secret that is due, if any. */
  async #keepSecret(): Promise<void> {
    if (!this.#secret.isWritable) return;
    const sight = this.#secret.look();
    const adoptable = this.#adoptable(sight);
    if (sight.reading !== undefined && adoptable === undefined) return;
    this.#throwIfOthers(sight, adoptable);
    const due = await this.#secretWrite(adoptable, this.#surroundings.now());
    if (due === undefined) return;
    const { step, state } = due;
    const { log, now } = this.#surroundings;
    const { namespace, secretName } = this.#settings;
    if (this.#secretLimit.isReached(now()))
      throw new Error(
        `somebody else writes Secret ${namespace}/${secretName} over and over, so it is left alone for a while`,
      );
    this.#secretLimit.note(now());
    try {
      const result = await this.#secret.write(sight, state);
      this.#count(step, result);
      const fields = { step, result, caNotAfter: isoTime(state.ca.notAfter) };
      log.info(fields, 'the Secret of the CA written');
    } catch (error) {
      this.#count(step, 'error');
      throw error;
    }
  }

  /** What is not ours is never replaced: a serving pair, or a CA that somebody made who knows no other place for its key. */
  #throwIfOthers({ object }: SecretSight, adoptable: Adoptable | undefined): void {
    if (object === undefined || adoptable === undefined || adoptable.problems.length === 0) return;
    const where = `Secret ${this.#settings.namespace}/${this.#settings.secretName}`;
    if (isForeign(object)) throw new Error(`${where} is somebody else's: it has no ca.key. Choose another --ca-secret`);
    const beyond = isLabelled(object) ? [] : keysBeyond(dataOf(object), this.#state ?? adoptable.state);
    if (adoptable.refusal === undefined && beyond.length > 0)
      throw new Error(
        `${where} is not labelled as Probewright's, and a write would destroy what somebody put into ${beyond.join(', ')}. ` +
          `It cannot be used: ${adoptable.problems.join('; ')}. ${REMEDY}`,
      );
    // In a Secret of ours, and with the CA that was there before in memory, it is a mistake that can be put right.
    if (adoptable.refusal === undefined || (this.#state !== undefined && isLabelled(object))) return;
    throw new Error(`${where}: ca.crt: ${REFUSED}: ${adoptable.refusal}. ${REMEDY}`);
  }

  async #secretWrite(reading: Adoptable | undefined, now: number): Promise<DueWrite | undefined> {
    const state = this.#state;
    if (reading === undefined) {
      if (state !== undefined) return { step: 'restore', state };
      return { step: 'create', state: initialState(await this.#newAuthority(now)) };
    }
    if (reading.problems.length > 0) {
      const good = state ?? reading.state ?? initialState(await this.#newAuthority(now));
      return { step: 'restore', state: good };
    }
    if (state === undefined) return undefined;
    const unkept = this.#unkeptRoot(state, now);
    if (unkept !== undefined) return { step: 'keep', state: retiring(state, unkept, now) };
    // The leader alone, even when the CA has expired: one replica with a wrong clock must not replace what serves all others well.
    return this.#upkeep.isLeader ? this.#rotation(state, now) : undefined;
  }

  async #rotation(state: CaState, now: number): Promise<DueWrite | undefined> {
    const { next } = state;
    const step = nextStep(state, next && this.#bundle.isTrusted(next.cert), now, this.#settings);
    switch (step) {
      case 'stage':
        return { step, state: staged(state, await this.#newAuthority(now)) };
      case 'trust':
        return { step, state: trusted(state, now) };
      case 'distrust':
        return { step, state: distrusted(state) };
      case 'promote':
        return next && { step, state: promoted(state, next, now) };
      case 'retire':
        return { step, state: retired(state) };
      case undefined:
        return undefined;
    }
  }

  /**
   * The CA whose leaf we serve, when the Secret does not know it: somebody has put another CA there. Whichever replica sees that puts it
   * back among those that are trusted.
   */
  #unkeptRoot(state: CaState, now: number): CertificateAuthority | undefined {
    const served = this.#served;
    if (served === undefined || now >= served.notAfter) return undefined;
    return trustedBy(state).some(({ cert }) => cert === served.ca) ? undefined : served.root;
  }

  /**
   * The leader writes what clients are to trust into the webhook configurations. Where there is nothing yet, any replica does: until then no
   * call can succeed, and after a reinstallation the Lease may still be that of a leader that is gone.
   */
  async #keepBundle(): Promise<void> {
    if (this.#state === undefined) return;
    const now = this.#surroundings.now();
    const bundle = this.#wantedBundle(this.#state, now);
    // An empty bundle would mean: trust what the system trusts.
    if (bundle === '') return;
    const writes = await this.#bundle.write(bundle, this.#upkeep.isLeader ? 'all' : 'empty');
    for (const { result } of writes) this.#count('bundle', result);
    throwIfFailed(writes);
  }

  /** What clients are to trust. What we serve ourselves is among it until the Secret has it too. */
  #wantedBundle(state: CaState, now: number): string {
    const unkept = this.#unkeptRoot(state, now);
    const roots = [...trustedBy(state), ...(unkept === undefined ? [] : [unkept])];
    return bundleOf(
      roots.map(({ cert }) => cert),
      now,
    );
  }

  #newAuthority(now: number): Promise<CertificateAuthority> {
    const commonName = `probewright CA ${isoTime(now).replace(/\.\d+Z$/, 'Z')}`;
    return createAuthority(commonName, now, this.#settings.caLifetime);
  }

  #count(step: WriteCount['step'], result: WriteCount['result']): void {
    const key = `${step} ${result}`;
    this.#writes.set(key, { step, result, count: (this.#writes.get(key)?.count ?? 0) + 1 });
  }
}

/** The CAs that sign, now or next. */
function signers({ ca, next }: CaState): readonly CertificateAuthority[] {
  return next === undefined ? [ca] : [ca, next];
}

function isLabelled({ metadata: { labels } }: KubernetesObject): boolean {
  return Object.entries(SECRET_LABELS).every(([key, value]) => labels?.[key] === value);
}

/** True for a Secret that was never ours: a serving pair of somebody's, whose `ca.crt` is another thing. */
function isForeign(object: KubernetesObject): boolean {
  const keys = Object.keys(dataOf(object));
  return !isLabelled(object) && !keys.includes('ca.key') && keys.some((key) => key === 'tls.crt' || key === 'tls.key');
}

const REMEDY = "Put another CA there, or delete the Secret for one of Probewright's own";
const REFUSED = 'the API server would refuse the certificates that it signs';

/** Clients look at the alternative names only. */
const LEAF_NAME = 'probewright webhook';

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
