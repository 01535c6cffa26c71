import { expect, onTestFinished, vi } from 'vitest';
import { OwnCertificates } from '../../../src/webhook/certificates/own-certificates.ts';
import { SecretCertificates } from '../../../src/webhook/certificates/secret-certificates.ts';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { startFakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { CLUSTER_CONFIG } from './cluster-config.ts';
import type { ClusterConfig } from '../../../src/webhook/config.ts';
import type {
  CertificateConnection,
  CertificateDependencies,
} from '../../../src/webhook/certificates/cluster-certificates.ts';
import type { CertificateSource } from '../../../src/webhook/certificates/serving-tls.ts';
import type { ServingPair } from '../../../src/webhook/certificates/pem.ts';
import type { FakeApiServer, FakeObject, SeenRequest } from '../../cluster/client/fake-api-server.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const SECRETS = '/api/v1/namespaces/system/secrets';
export const MUTATING = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
export const VALIDATING = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
export const SETTINGS: ClusterConfig = {
  ...CLUSTER_CONFIG,
  namespace: 'system',
  webhookConfigurations: ['00-probewright', 'probewright'],
  certificateCheck: 10,
};
/** The name that the API server checks. */
export const HOST = 'probewright.system.svc';

/** A source with what it has told so far. */
export interface Replica<Source extends CertificateSource> {
  readonly source: Source;
  readonly started: Promise<ServingPair>;
  /** Every pair, the first one included. */
  readonly pairs: readonly ServingPair[];
  readonly failures: readonly string[];
  /** Each write of the Secret and of a caBundle: its step and its result. */
  readonly written: readonly string[];
}

/** A fake API server, a clock that goes by hand, and replicas. All is stopped when the test is over. */
export class OwnWorld {
  readonly api: FakeApiServer;
  readonly logged: string[] = [];
  now = Date.now();
  readonly #settings: ClusterConfig;
  readonly #dependencies: CertificateDependencies;

  private constructor(api: FakeApiServer, settings: ClusterConfig) {
    this.api = api;
    this.#settings = settings;
    const log = (fields: object, message: string): void => {
      this.logged.push(`${message} ${JSON.stringify(fields)}`);
    };
    this.#dependencies = { now: () => this.now, random: Math.random, log: { info: log, warn: log, error: log } };
  }

  static async start(settings: Partial<ClusterConfig> = {}): Promise<OwnWorld> {
    const api = await startFakeApiServer();
    onTestFinished(() => api.stop());
    return new OwnWorld(api, { ...SETTINGS, ...settings });
  }

  own(): Replica<OwnCertificates> {
    const all: string[] = [];
    const written: CertificateDependencies['written'] = (step, result) => void all.push(`${step} ${result}`);
    return begin(new OwnCertificates(this.#connection(), SETTINGS.caSecret, { ...this.#dependencies, written }), all);
  }

  /** A replica that serves. */
  async serving(): Promise<Replica<OwnCertificates>> {
    const replica = this.own();
    await replica.started;
    return replica;
  }

  /** A replica that leads, with a CA that all configurations hold. */
  async settled(): Promise<Replica<OwnCertificates>> {
    this.putConfigurations();
    const replica = await this.serving();
    replica.source.lead(true);
    await eventually(() => expect(replica.source.status().bundleSynced).toEqual({ mutating: true, validating: true }));
    return replica;
  }

  /** In own-Secret mode. */
  given(): Replica<SecretCertificates> {
    return begin(new SecretCertificates(this.#connection(), 'given', this.#dependencies));
  }

  #connection(): CertificateConnection {
    return { client: new ApiClient(this.api.access, 'test'), namespace: 'system', config: this.#settings };
  }

  /** Both configurations as a chart makes them: without a caBundle. */
  putConfigurations(bundle?: string): void {
    for (const collection of [MUTATING, VALIDATING]) this.api.put(collection, configuration(bundle));
  }

  /** The texts in the Secret. */
  secret(name = SETTINGS.caSecret): Readonly<Record<string, string>> {
    const data = this.api.get(SECRETS, name)?.['data'];
    const texts = Object.entries((data ?? {}) as Record<string, string>).map(([key, value]) => [key, decoded(value)]);
    return Object.fromEntries(texts) as Record<string, string>;
  }

  annotations(): Readonly<Record<string, string>> {
    return this.api.get(SECRETS, SETTINGS.caSecret)?.metadata.annotations ?? {};
  }

  /** Puts a Secret of somebody else in the place of ours. */
  putSecret(texts: Readonly<Record<string, string>>, labels?: object, type = 'Opaque'): FakeObject {
    const metadata = { name: SETTINGS.caSecret, ...(labels && { labels }) };
    return this.api.put(SECRETS, { metadata, type, data: encodedAll(texts) }) as FakeObject;
  }

  /** Asks for a rotation. */
  askRotation(): void {
    this.editSecret({}, { 'probewright.dev/rotate': 'please' });
  }

  /** Until the leader has noted that all clients trust the next CA. */
  nextTrusted(): Promise<void> {
    return eventually(() => expect(this.annotations()['probewright.dev/next-trusted-since']).toBeDefined());
  }

  /** Fails unless all bundles are this one, and the only one. */
  expectBundles(bundle: string | undefined): void {
    for (const held of this.bundles()) expect(held).toBe(bundle);
  }

  /** Changes the Secret as somebody with kubectl would. */
  editSecret(texts: Readonly<Record<string, string>>, annotations: Readonly<Record<string, string>> = {}): void {
    const object = this.api.get(SECRETS, SETTINGS.caSecret);
    if (object === undefined) throw new Error('there is no Secret');
    const { metadata } = object;
    const data = { ...(object['data'] as object), ...encodedAll(texts) };
    const merged = { ...metadata.annotations, ...annotations };
    this.api.put(SECRETS, { ...object, data, metadata: { ...metadata, annotations: merged } });
  }

  /** What clients trust, for each entry of both configurations that calls our Service. */
  bundles(): readonly string[] {
    return [MUTATING, VALIDATING].flatMap((collection) =>
      webhooksOf(this.api.get(collection, 'probewright'))
        .filter(({ clientConfig }) => clientConfig.service?.namespace === 'system')
        .map(({ clientConfig }) => decoded(clientConfig.caBundle ?? '')),
    );
  }

  requests(method: string): readonly SeenRequest[] {
    return this.api.requests.filter((request) => request.method === method);
  }
}

function begin<Source extends CertificateSource>(source: Source, written: readonly string[] = []): Replica<Source> {
  const pairs: ServingPair[] = [];
  const failures: string[] = [];
  const started = source.start({ changed: (pair) => pairs.push(pair), failed: (problem) => failures.push(problem) });
  const first = started.then(() => pairs[0] as ServingPair);
  first.catch(() => undefined);
  onTestFinished(() => source.stop());
  return { source, started: first, pairs, failures, written };
}

/** Waits until what is asserted holds. */
export function eventually(assertion: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(assertion, { timeout: 120_000, interval: 3 });
}

/** Gives the replicas the time to do what they should not do. */
export async function aWhile(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 100));
}

export interface Webhook {
  readonly name: string;
  readonly clientConfig: {
    readonly url?: string;
    readonly service?: { readonly name: string; readonly namespace: string };
    readonly caBundle?: string;
  };
  readonly namespaceSelector?: object;
}

export function webhooksOf(object: FakeObject | undefined): readonly Webhook[] {
  return (object?.['webhooks'] ?? []) as readonly Webhook[];
}

/** A configuration with two entries of ours, one that calls another Service, and one that calls an URL. */
export function configuration(bundle?: string, name = 'probewright'): object {
  const service = { name: 'probewright', namespace: 'system', path: '/mutate' };
  const caBundle = bundle === undefined ? {} : { caBundle: Buffer.from(bundle).toString('base64') };
  return {
    metadata: { name },
    webhooks: [
      { name: 'url.example.com', clientConfig: { url: 'https://elsewhere/', caBundle: 'QQ==' } },
      { name: 'pods.probewright.dev', clientConfig: { service, ...caBundle }, namespaceSelector: {} },
      { name: 'other.example.com', clientConfig: { service: { ...service, namespace: 'default' } } },
      { name: 'workloads.probewright.dev', clientConfig: { service, ...caBundle } },
    ],
  };
}

export function encodedAll(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const),
  );
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
