import { collectionPath, webhookConfigurations } from '../../cluster/client/api-path.ts';
import { JSON_PATCH, hasCode, type ApiClient } from '../../cluster/client/api-client.ts';
import type { ReflectorContext } from '../../cluster/client/reflector.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { MirroredObject, type MirrorListener } from '../../cluster/client/mirrored-object.ts';
import { RepeatedWork, WriteLimit } from '../../cluster/client/timing.ts';
import { isJsonObject } from '../../base/json/json-value.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { bundleHolds, type ServingPair } from './pem.ts';
import type { ClusterConfig, ServeConnection } from '../config.ts';
import type { CaStep } from './ca-state.ts';
import type { CertificateListener, CertificateSource, CertificateStatus } from './serving-tls.ts';

export interface CertificateDependencies extends Omit<ReflectorContext, 'client'> {
  readonly log: Readonly<Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>>;
  /** Counts a write of the Secret of the own CA, or of a caBundle with the own CA. */
  readonly written?: ((step: CaStep | 'bundle', result: CertificateWriteResult) => void) | undefined;
}

/** The webhook configurations and the Service have their names in the settings. */
export type CertificateConnection = Pick<ServeConnection, 'client' | 'namespace' | 'config'>;

/** A conflict: the object has changed since it was read, and the watch will deliver the change. */
export type CertificateWriteResult = 'done' | 'conflict' | 'error';

const FOUGHT_OVER =
  "somebody else writes the caBundle over and over (cert-manager's inject-ca-from?), so it is left alone for a while";
const CONTACT = 'contact with';
const FIELD_MANAGER = 'probewright-ca-bundle';
const KINDS = ['mutating', 'validating'] as const;

interface Configuration {
  readonly kind: (typeof KINDS)[number];
  readonly name: string;
  readonly path: string;
  readonly mirror: MirroredObject;
  readonly limit: WriteLimit;
  /** The generation at which the API server last refused a patch as invalid. */
  refused: number | undefined;
}

/**
 * A pair from a Secret of the cluster, and the caBundle of Probewright's entries; no other field of the webhook
 * configurations is written. A round of work runs at each change of what is watched, and at each check. Needs: list,
 * watch and patch of both configurations; list and watch of the Secret.
 */
export abstract class ClusterCertificates implements CertificateSource {
  protected readonly client: ApiClient;
  protected readonly config: ClusterConfig;
  protected readonly namespace: string;
  protected readonly dependencies: CertificateDependencies;
  protected readonly secret: MirroredObject;
  protected readonly collection: string;
  protected readonly where: string;
  /** The name that the API server calls the webhook by. */
  protected readonly host: string;
  protected isLeader = false;
  readonly #configurations: readonly Configuration[];
  readonly #rounds: RepeatedWork;
  readonly #problems = new Map<string, string>();
  readonly #hasPair = Promise.withResolvers<undefined>();
  #listener: CertificateListener | undefined;
  readonly #stopped = new AbortController();
  protected readonly signal = this.#stopped.signal;

  constructor(connection: CertificateConnection, secretName: string, dependencies: CertificateDependencies) {
    const { client, namespace, config } = connection;
    const context = { ...dependencies, client, watchRenewal: config.watchRenewal };
    this.client = client;
    this.config = config;
    this.namespace = namespace;
    this.dependencies = dependencies;
    this.collection = collectionPath({ apiVersion: 'v1', resource: 'secrets' }, namespace);
    this.where = `Secret ${namespace}/${secretName}`;
    this.host = `${config.serviceName}.${namespace}.svc`;
    this.#rounds = new RepeatedWork(() => this.round(), config.certificateCheck, dependencies.random);
    this.secret = new MirroredObject(context, this.collection, secretName, this.#listenTo('secret'));
    // The mutating configuration has another name than the validating one, and had that of the validating one once.
    this.#configurations = KINDS.flatMap((kind) => {
      const collection = collectionPath(webhookConfigurations(kind));
      return config.webhookConfigurations.map((name) => {
        const mirror = new MirroredObject(context, collection, name, this.#listenTo(`${kind} ${name}`));
        return { kind, name, path: `${collection}/${name}`, mirror, limit: new WriteLimit(), refused: undefined };
      });
    });
    this.#hasPair.promise.catch(() => undefined);
  }

  abstract status(): CertificateStatus;

  /** Does what is due. False when a part has failed and is to be tried again; must not reject. */
  protected abstract round(): Promise<boolean>;

  /** Waits for as long as there is no pair, and reports the reason to the listener. Rejects on stop only. */
  async start(listener: CertificateListener): Promise<void> {
    this.#listener = listener;
    if (!this.signal.aborted) for (const part of [...this.#mirrors(), this.#rounds]) void part.start();
    await this.#hasPair.promise;
  }

  stop(): void {
    this.#stopped.abort();
    for (const part of [this.#rounds, ...this.#mirrors()]) part.stop();
    this.#hasPair.reject(new Error('stopped before there was a certificate'));
  }

  lead(isLeader: boolean): void {
    this.isLeader = isLeader;
    this.#rounds.ask();
  }

  problem(): string | undefined {
    return this.#problems.size === 0 ? undefined : [...this.#problems.values()].join('; ');
  }

  protected found(pair: ServingPair): void {
    if (this.signal.aborted) return;
    this.#listener?.changed(pair);
    this.#hasPair.resolve(undefined);
  }

  /** Notes what is wrong with a part, and reports it if that is news; undefined when nothing is wrong. */
  protected note(part: string, problem: string | undefined, report: 'always' | 'passing' | 'never' = 'always'): void {
    if (problem === this.#problems.get(part)) return;
    // Contact with several collections is lost and found again together.
    const isKnown = report === 'passing' && [...this.#problems.keys()].some((known) => known.startsWith(CONTACT));
    if (problem === undefined) this.#problems.delete(part);
    else this.#problems.set(part, problem);
    if (problem === undefined || isKnown || report === 'never' || this.signal.aborted) return;
    this.#listener?.failed(problem, report === 'passing');
  }

  /** Does the work of one part and notes its failure, so that the other parts are still done. False when it failed. */
  protected async attempt(part: string, work: () => Promise<void>): Promise<boolean> {
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

  /** True when every entry of Probewright holds the certificate, or there is none. Undefined when not known now. */
  protected isTrusted(cert: string): boolean | undefined {
    if (this.#configurations.some(({ mirror }) => !mirror.isCurrent)) return undefined;
    return this.#configurations.every(({ mirror: { object } }) => object === undefined || this.#holds(object, cert));
  }

  protected synced(bundle: string | undefined): CertificateStatus['bundleSynced'] {
    const ofKind = (wanted: Configuration['kind']): boolean | undefined => {
      const objects = this.#configurations.flatMap(({ kind, mirror: { object } }) => (kind === wanted && object) || []);
      return objects.length === 0 || bundle === undefined
        ? undefined
        : objects.every((object) => this.#holds(object, bundle));
    };
    return { mutating: ofKind('mutating'), validating: ofKind('validating') };
  }

  /**
   * The leader puts the bundle into every entry of ours that differs. Any replica fills an empty one: until then no
   * call can succeed, and after a reinstallation the Lease may still belong to a leader that is gone. Rejects for
   * failures other than a conflict.
   */
  protected async writeBundle(bundle: string): Promise<void> {
    const writes = this.#configurations.map((each) => this.#writeTo(each, Buffer.from(bundle)));
    const failed = (await Promise.allSettled(writes)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #writeTo(configuration: Configuration, wanted: Buffer): Promise<void> {
    const { kind, name: configurationName, path, mirror, limit } = configuration;
    const { object, generation } = mirror;
    const { log, now, written } = this.dependencies;
    const isStale = ({ bundle }: Entry): boolean => (this.isLeader ? !bundle.equals(wanted) : bundle.length === 0);
    const stale = object === undefined ? [] : this.#entriesOf(object).filter(isStale);
    if (stale.length === 0 || mirror.isAwaited(now())) return;
    const body = stale.flatMap(({ index, name }) => [
      // When entries have moved, the test fails and nothing is written.
      { op: 'test', path: `/webhooks/${index}/name`, value: name },
      { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: wanted.toString('base64') },
    ]);
    const patch = { method: 'PATCH', path, query: { fieldManager: FIELD_MANAGER }, contentType: JSON_PATCH } as const;
    const fields = { kind, configuration: configurationName };
    try {
      if (!limit.take(now())) throw new Error(FOUGHT_OVER);
      await this.client.request({ ...patch, body, signal: this.signal });
      mirror.awaitChange(generation, now());
      log.info({ ...fields, result: 'done' }, 'caBundle written');
      written?.('bundle', 'done');
    } catch (error) {
      const [isRefused, isInvalid] = [[404, 409, 422].some((code) => hasCode(error, code)), hasCode(error, 422)];
      // A 422 means that entries have moved, as the watch will tell, or that something else in it is invalid.
      const result = isRefused && !(isInvalid && configuration.refused === generation) ? 'conflict' : 'error';
      if (isInvalid) configuration.refused = generation;
      if (isRefused) mirror.awaitChange(generation, now());
      const problem = messageOf(error);
      log.warn({ ...fields, result, problem }, 'caBundle not written');
      written?.('bundle', result);
      if (result === 'error') throw new Error(`the ${kind} webhook configuration: ${problem}`, { cause: error });
    }
  }

  #holds(object: KubernetesObject, certs: string): boolean {
    return this.#entriesOf(object).every(({ bundle }) => bundleHolds(bundle.toString(), certs));
  }

  /** Entries that call a URL or another Service are not Probewright's. */
  #entriesOf(object: KubernetesObject): readonly Entry[] {
    const { webhooks } = object as { webhooks?: unknown };
    if (!Array.isArray(webhooks)) return [];
    return webhooks.flatMap((webhook: unknown, index) => {
      const { name, clientConfig } = isJsonObject(webhook) ? webhook : {};
      const { service: called, caBundle } = isJsonObject(clientConfig) ? clientConfig : {};
      if (!isJsonObject(called) || typeof name !== 'string') return [];
      if (called['name'] !== this.config.serviceName || called['namespace'] !== this.namespace) return [];
      return [{ index, name, bundle: Buffer.from(typeof caBundle === 'string' ? caBundle : '', 'base64') }];
    });
  }

  #mirrors(): readonly MirroredObject[] {
    return [this.secret, ...this.#configurations.map(({ mirror }) => mirror)];
  }

  /** Each change asks for a round, and so does contact that is lost or restored. */
  #listenTo(what: string): MirrorListener {
    return {
      changed: () => this.#rounds.ask(),
      troubled: (problem) => {
        this.note(`${CONTACT} ${what}`, problem, 'passing');
        this.#rounds.ask();
      },
    };
  }
}

/** An entry of a webhook configuration that calls our Service, and the CAs that clients trust when they call it. */
interface Entry {
  readonly index: number;
  readonly name: string;
  readonly bundle: Buffer;
}
