import { authorityName, readCaState, refuseForeign, REMEDY, secretOf, type SecretReading } from './ca-secret.ts';
import { bundleOf, type ServingPair } from './pem.ts';
import { createAuthority, issueLeaf } from './certificate-authority.ts';
import { ClusterCertificates, type CertificateWriteResult } from './cluster-certificates.ts';
import { CurrentProblem } from '../../base/text/error-message.ts';
import { hasCode } from '../../cluster/client/api-client.ts';
import { WriteLimit } from '../../cluster/client/timing.ts';
import { isLeafDue, nextStep, renewalTime, trustedBy } from './ca-state.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { CaState, CertificateAuthority, DueStep, ServedLeaf } from './ca-state.ts';
import type { CertificateStatus } from './serving-tls.ts';

/**
 * The replicas share a CA in a Secret, each makes its own leaf in memory, and the leader keeps the webhook
 * configurations trusting the CA and rotates the CA in time. Every round compares what the watches say with the clock
 * and does what is missing, so it does not matter which replica did what before, or whether a write was finished.
 * Needs: create secrets; list, watch and update the Secret.
 */
export class OwnCertificates extends ClusterCertificates {
  readonly #limit = new WriteLimit();
  readonly #unusable = new CurrentProblem();
  /** The last state that was whole. A Secret that is deleted or damaged is restored from this state. */
  #state: CaState | undefined;
  #served: (ServedLeaf & { readonly root: CertificateAuthority }) | undefined;
  #isWaitLogged = false;

  status(): CertificateStatus {
    return {
      caNotAfter: this.#state?.ca.notAfter,
      nextNotAfter: this.#state?.next?.notAfter,
      bundleSynced: this.synced(this.#state && this.#bundleOf(this.#state)),
    };
  }

  /** The failure of one part does not keep the others from being done. Every part decides on what is there by then. */
  protected async round(): Promise<boolean> {
    const isLeafKept = await this.attempt('leaf', () => this.#keepLeaf());
    const isSecretKept = await this.attempt('secret', () => this.#keepSecret());
    const isBundleKept = await this.attempt('bundle', () => this.#keepBundle());
    return isLeafKept && isSecretKept && isBundleKept;
  }

  /** Takes over what the Secret holds now, if all of that can be used. Logs why not, once for each reason. */
  #adopt(): SecretReading | undefined {
    const reading = this.secret.object && readCaState(this.secret.object, this.dependencies.now());
    if (reading === undefined) return undefined;
    const { state, problem, isForeign } = reading;
    const news = this.#unusable.note(problem);
    if (problem === undefined) this.#state = state;
    else if (news !== undefined) {
      const { namespace, config } = this;
      const fields = { namespace, secret: config.caSecret, problems: problem, ...(isForeign && { remedy: REMEDY }) };
      this.dependencies.log.error(fields, 'the Secret of the CA cannot be used');
    }
    return reading;
  }

  /** Makes a leaf when one is due. When the CA cannot sign, the leaf from before goes on being served. */
  async #keepLeaf(): Promise<void> {
    this.#adopt();
    const ca = this.#state?.ca;
    if (ca === undefined) return;
    const now = this.dependencies.now();
    if (isLeafDue(this.#served, ca, this.isTrusted(ca.cert) === true, now)) {
      const pair = await this.#newLeaf(ca, now);
      this.note('waiting', undefined);
      return this.found(pair);
    }
    const isWaiting = this.#served?.ca !== ca.cert;
    const configurations = this.config.webhookConfigurations;
    const fields = { configurations };
    const reason =
      now >= ca.notAfter
        ? `the CA has expired at ${new Date(ca.notAfter).toISOString()}, and waits for the leader to make another`
        : `the new CA waits for the caBundle of the webhook configurations ${configurations.join(', ')}`;
    this.note('waiting', isWaiting ? reason : undefined, 'never');
    if (isWaiting && !this.#isWaitLogged)
      this.dependencies.log.info(fields, 'a new leaf waits until the webhook configurations trust its CA');
    this.#isWaitLogged = isWaiting;
  }

  async #newLeaf(ca: CertificateAuthority, now: number): Promise<ServingPair> {
    const names = { commonName: 'probewright webhook', dns: [this.host] };
    const pair = await issueLeaf(ca, names, now, this.config.leafLifetime);
    const renewAt = renewalTime(now, pair.notAfter, this.dependencies.random());
    this.#served = { ca: ca.cert, root: ca, issuedAt: now, renewAt, notAfter: pair.notAfter };
    this.#isWaitLogged = false;
    const times = { notAfter: new Date(pair.notAfter), renewAt: new Date(renewAt) };
    this.dependencies.log.info(times, 'serving certificate minted');
    return pair;
  }

  /** The CA of the served leaf, when somebody has put another CA into the Secret: this replica adds it there. */
  #unkeptRoot(state: CaState, now: number): CertificateAuthority | undefined {
    const served = this.#served;
    if (served === undefined || now >= served.notAfter) return undefined;
    return trustedBy(state).some(({ cert }) => cert === served.ca) ? undefined : served.root;
  }

  /** Does the one write that is due. A state is in force once the watch has delivered it, also one of this replica. */
  async #keepSecret(): Promise<void> {
    const reading = this.#adopt();
    const state = this.#state;
    const now = this.dependencies.now();
    const { object, generation } = this.secret;
    if (!this.secret.isKnown || this.secret.isAwaited(now)) return;
    const isDamaged = reading?.problem !== undefined;
    if (object !== undefined && isDamaged) refuseForeign(this.where, object, reading, state);
    const situation = {
      secret: reading === undefined ? 'absent' : isDamaged ? 'damaged' : 'whole',
      state: state ?? reading?.state,
      unkeptRoot: state && this.#unkeptRoot(state, now),
      isLeader: this.isLeader,
      isNextTrusted: state?.next && this.isTrusted(state.next.cert),
    } as const;
    const due = nextStep(situation, now, this.config);
    if (due !== undefined) await this.#write(due, object, generation);
  }

  async #write({ step, state: due }: DueStep, object: KubernetesObject | undefined, generation: number): Promise<void> {
    const { log, now, written } = this.dependencies;
    const made = now();
    const state =
      typeof due === 'object' ? due : due(await createAuthority(authorityName(made), made, this.config.caLifetime));
    if (!this.#limit.take(now()))
      throw new Error(`somebody else writes ${this.where} over and over, so it is left alone for a while`);
    let result: CertificateWriteResult = 'error';
    try {
      result = await this.#put(state, object);
    } finally {
      written?.(step, result);
    }
    this.secret.awaitChange(generation, now());
    const caNotAfter = new Date(state.ca.notAfter).toISOString();
    log.info({ step, result, caNotAfter }, 'the Secret of the CA written');
  }

  /** Creates the Secret, or replaces the one that was seen: a conflict when the Secret has changed since then. */
  async #put(state: CaState, object: KubernetesObject | undefined): Promise<CertificateWriteResult> {
    const { caSecret: name } = this.config;
    const body = secretOf(state, { name, namespace: this.namespace }, object);
    const path = object === undefined ? this.collection : `${this.collection}/${name}`;
    try {
      await this.client.request({ method: object === undefined ? 'POST' : 'PUT', path, body, signal: this.signal });
      return 'done';
    } catch (error) {
      // AlreadyExists and Conflict are 409; 404 is a Secret that was deleted meanwhile.
      if (hasCode(error, 409) || (object !== undefined && hasCode(error, 404))) return 'conflict';
      throw error;
    }
  }

  async #keepBundle(): Promise<void> {
    this.#adopt();
    const bundle = this.#state === undefined ? '' : this.#bundleOf(this.#state);
    // An empty bundle would mean: trust what the system trusts.
    if (bundle !== '') await this.writeBundle(bundle);
  }

  /** The CAs that clients are to trust. The CA of the served leaf is among them also while the Secret lacks that CA. */
  #bundleOf(state: CaState): string {
    const now = this.dependencies.now();
    const pems = [...trustedBy(state), this.#unkeptRoot(state, now)].flatMap((root) => root?.cert ?? []);
    return bundleOf(pems, now);
  }
}
