import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiError, JSON_PATCH, type ApiRequest } from '../../../src/cluster/client/api-client.ts';
import { createAuthority } from '../../../src/webhook/certificates/certificate-authority.ts';
import { ClusterCertificates } from '../../../src/webhook/certificates/cluster-certificates.ts';
import { AnsweringClient } from '../../cluster/client/answering-client.ts';
import { MUTATING, SECRETS, SETTINGS, VALIDATING, configuration } from './own-world.ts';
import type { CertificateAuthority } from '../../../src/webhook/certificates/ca-state.ts';
import type { ServingPair } from '../../../src/webhook/certificates/pem.ts';
import type { CertificateStatus } from '../../../src/webhook/certificates/serving-tls.ts';

const made = (name: string): Promise<CertificateAuthority> => createAuthority(name, Date.now(), 86_400_000);
const [{ cert: ours }, { cert: others }] = await Promise.all([made('ours'), made('others')]);
const PAIR: ServingPair = { cert: ours, key: 'key', notAfter: 1 };
const METADATA = { name: 'probewright', uid: 'uid' };
const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Writes the bundle that it is given, if any, in each round. */
class Certificates extends ClusterCertificates {
  bundle: string | undefined;
  rounds = 0;

  status(): CertificateStatus {
    return { bundleSynced: this.synced(this.bundle) };
  }

  protected round(): Promise<boolean> {
    this.rounds += 1;
    return this.attempt('bundle', async () => {
      if (this.bundle !== undefined) await this.writeBundle(this.bundle);
    });
  }

  override attempt(part: string, work: () => Promise<void>): Promise<boolean> {
    return super.attempt(part, work);
  }

  override note(...given: Parameters<ClusterCertificates['note']>): void {
    super.note(...given);
  }

  override found(pair: ServingPair): void {
    super.found(pair);
  }

  override isTrusted(cert: string): boolean | undefined {
    return super.isTrusted(cert);
  }

  get names(): string[] {
    return [this.where, this.host, this.collection];
  }
}

/** A source in a cluster whose objects a test gives. */
class World {
  now = 0;
  readonly objects = new Map<string, object>();
  readonly logged: string[] = [];
  readonly written: string[] = [];
  readonly failures: unknown[] = [];
  readonly pairs: ServingPair[] = [];
  /** Refuses requests by throwing. */
  refuse: (request: ApiRequest) => void = () => undefined;
  readonly client = new AnsweringClient((request) => {
    this.refuse(request);
    if (request.method !== 'GET') return {};
    const object = this.objects.get(`${request.path} ${request.query?.['fieldSelector']?.split('=')[1] ?? ''}`);
    return { metadata: { resourceVersion: '1' }, items: object === undefined ? [] : [structuredClone(object)] };
  });
  readonly source: Certificates;
  started: Promise<void> = Promise.resolve();

  constructor() {
    const log = (level: string) => (fields: object, message: string) =>
      void this.logged.push(`${level} ${message} ${JSON.stringify(fields)}`);
    this.source = new Certificates({ client: this.client, namespace: 'system', config: SETTINGS }, 'given', {
      now: () => this.now,
      random: () => 0,
      retry: { minimum: 1, maximum: 2 },
      log: { info: log('info'), warn: log('warn'), error: log('error') },
      written: (step, result) => void this.written.push(`${step} ${result}`),
    });
    onTestFinished(() => this.source.stop());
  }

  /** Both configurations, each with two entries of ours that have this bundle. */
  put(bundle?: string): this {
    for (const collection of [MUTATING, VALIDATING])
      this.objects.set(`${collection} probewright`, { ...configuration(bundle), metadata: METADATA });
    return this;
  }

  /** A configuration with these entries. */
  putWebhooks(webhooks: unknown): this {
    this.objects.set(`${MUTATING} probewright`, { metadata: METADATA, webhooks });
    return this;
  }

  async start(): Promise<this> {
    this.started = this.source.start({
      changed: (pair) => this.pairs.push(pair),
      failed: (problem, isPassing = false) => this.failures.push([problem, isPassing]),
    });
    this.started.catch(() => undefined);
    return this.settle();
  }

  async settle(): Promise<this> {
    for (let turn = 0; turn < 12; turn++) await setImmediate();
    return this;
  }

  /** The watch of a configuration brings it with this bundle. */
  async change(collection: string, bundle: string): Promise<void> {
    const object = { ...configuration(bundle), metadata: METADATA };
    this.client.watches
      .get(`${collection} metadata.name=probewright`)
      ?.line(JSON.stringify({ type: 'MODIFIED', object }));
    await this.settle();
  }

  get patches(): string[] {
    return this.client.requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path);
  }

  /** A round with this bundle. */
  async write(bundle: string, isLeader = true): Promise<this> {
    this.source.bundle = bundle;
    this.source.lead(isLeader);
    return this.settle();
  }
}

describe('a source of certificates in a cluster', () => {
  it('looks at its Secret and at the configurations of both names, and at nothing else', async () => {
    const world = await new World().start();
    const lists = world.client.requests.map(({ path, query }) => `${path} ${query?.['fieldSelector'] ?? ''}`);
    expect(new Set(lists)).toEqual(
      new Set([
        `${SECRETS} metadata.name=given`,
        ...[MUTATING, VALIDATING].flatMap((each) => [
          `${each} metadata.name=00-probewright`,
          `${each} metadata.name=probewright`,
        ]),
      ]),
    );
    expect(world.source.names).toEqual(['Secret system/given', 'probewright.system.svc', SECRETS]);
  });

  it('has its start end with the first pair, and with a stop', async () => {
    const world = await new World().start();
    world.source.found(PAIR);
    await world.started;
    expect(world.pairs).toEqual([PAIR]);
    world.source.stop();
    world.source.found(PAIR);
    expect(world.pairs).toHaveLength(1);
    // Nobody waits for the pair of a source that never began.
    new World().source.stop();
    const stopped = await new World().start();
    stopped.source.stop();
    await expect(stopped.started).rejects.toThrow('stopped before there was a certificate');
  });

  it('that was stopped begins nothing, and ends its watches', async () => {
    const world = new World();
    world.source.stop();
    await world.start();
    expect([world.client.requests.length, world.source.rounds]).toEqual([0, 0]);
    const running = await new World().start();
    expect(running.client.watches.size).toBe(5);
    running.source.stop();
    await running.settle();
    const { rounds } = running.source;
    running.source.lead(true);
    await running.settle();
    expect([running.client.watches.size, running.source.rounds]).toEqual([0, rounds]);
  });

  it('has a round of work after each change and when it is to lead', async () => {
    const world = await new World().put(ours).start();
    const before = world.source.rounds;
    expect(before).toBeGreaterThan(0);
    await world.change(MUTATING, others);
    expect(world.source.rounds).toBe(before + 1);
    await world.write(ours, false);
    expect(world.source.rounds).toBe(before + 2);
  });
});

describe('the caBundle', () => {
  it('is written by the leader into each entry that calls the Service and holds something else', async () => {
    const world = await (await new World().put(others).start()).write(ours);
    expect(world.patches).toEqual([`${MUTATING}/probewright`, `${VALIDATING}/probewright`]);
    const request = world.client.requests.find(({ method }) => method === 'PATCH');
    expect(request).toMatchObject({ contentType: JSON_PATCH, query: { fieldManager: 'probewright-ca-bundle' } });
    expect(request?.body).toEqual([
      { op: 'test', path: '/webhooks/1/name', value: 'pods.probewright.dev' },
      { op: 'add', path: '/webhooks/1/clientConfig/caBundle', value: encoded(ours) },
      { op: 'test', path: '/webhooks/3/name', value: 'workloads.probewright.dev' },
      { op: 'add', path: '/webhooks/3/clientConfig/caBundle', value: encoded(ours) },
    ]);
    expect([world.written, world.source.problem(), world.failures]).toEqual([
      ['bundle done', 'bundle done'],
      undefined,
      [],
    ]);
    const fields = (kind: string): object => ({ kind, configuration: 'probewright', result: 'done' });
    expect(world.logged).toEqual([
      `info caBundle written ${JSON.stringify(fields('mutating'))}`,
      `info caBundle written ${JSON.stringify(fields('validating'))}`,
    ]);
  });

  it('is not written where it is right', async () =>
    expect((await (await new World().put(ours).start()).write(ours)).patches).toEqual([]));

  it('is filled in by any replica where it is empty, and changed by the leader only', async () => {
    expect((await (await new World().put().start()).write(ours, false)).patches).toHaveLength(2);
    expect((await (await new World().put(others).start()).write(ours, false)).patches).toEqual([]);
    const unasked = new World().put(others);
    unasked.source.bundle = ours;
    expect((await unasked.start()).patches).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['are no list', 'none'],
    ['are no objects', ['x', null, 3]],
    ['have no name', [{ clientConfig: { service: { name: 'probewright', namespace: 'system' } } }]],
    ['call no Service', [{ name: 'x' }, { name: 'y', clientConfig: { url: 'https://x' } }]],
    ['call another Service', [{ name: 'x', clientConfig: { service: { name: 'other', namespace: 'system' } } }]],
    ['call another namespace', [{ name: 'x', clientConfig: { service: { name: 'probewright', namespace: 'x' } } }]],
  ])('is not written into entries that %s', async (_, webhooks) => {
    const world = await (await new World().putWebhooks(webhooks).start()).write(ours);
    expect([world.patches, world.source.problem()]).toEqual([[], undefined]);
  });

  it('counts as empty where it is no text', async () => {
    const clientConfig = { service: { name: 'probewright', namespace: 'system' }, caBundle: 3 };
    const world = await (await new World().putWebhooks([{ name: 'x', clientConfig }]).start()).write(ours, false);
    expect(world.patches).toHaveLength(1);
  });

  it('is not written again before its change is seen, or 30 s have passed', async () => {
    const world = await (await new World().put(others).start()).write(ours);
    await world.write(ours);
    world.now = 29_999;
    await world.write(ours);
    expect(world.patches).toHaveLength(2);
    world.now = 30_000;
    await world.write(ours);
    expect(world.patches).toHaveLength(4);
    await world.change(MUTATING, ours);
    expect(world.patches).toHaveLength(4);
    await world.change(MUTATING, others);
    expect(world.patches).toHaveLength(5);
  });

  it('is left alone for a while when somebody else overwrites it again and again', async () => {
    const world = await (await new World().put(others).start()).write(ours);
    for (let change = 0; change < 12; change++) await world.change(MUTATING, others);
    expect(world.patches.filter((path) => path.startsWith(MUTATING))).toHaveLength(10);
    expect(world.source.problem()).toMatch(/^the mutating webhook configuration: somebody else writes the caBundle/);
    expect(world.written.at(-1)).toBe('bundle error');
    world.now = 30_000;
    await world.change(MUTATING, others);
    expect(world.patches.filter((path) => path.startsWith(MUTATING))).toHaveLength(11);
    expect(world.source.problem()).toBeUndefined();
  });
});

describe('a caBundle that the API server refuses', () => {
  const refusing = async (code: number): Promise<World> => {
    const world = new World().put(others);
    world.refuse = ({ method, path }) => {
      if (method === 'PATCH' && path.startsWith(MUTATING)) throw new ApiError(code, '', `HTTP ${code}`);
    };
    return (await world.start()).write(ours);
  };

  it.each([404, 409, 422])('with %i is a conflict: the watch will bring the change', async (code) => {
    const world = await refusing(code);
    expect([world.written, world.source.problem()]).toEqual([['bundle conflict', 'bundle done'], undefined]);
    expect(world.logged[0]).toBe(
      `warn caBundle not written ${JSON.stringify({ kind: 'mutating', configuration: 'probewright', result: 'conflict', problem: `HTTP ${code}` })}`,
    );
    await world.write(ours);
    expect(world.patches).toHaveLength(2);
  });

  it('with 422 a second time, without a change, is a problem, and with 409 is none', async () => {
    const [invalid, conflict] = [await refusing(422), await refusing(409)];
    for (const world of [invalid, conflict]) {
      world.now = 30_000;
      await world.write(ours);
    }
    expect(invalid.source.problem()).toBe('the mutating webhook configuration: HTTP 422');
    expect([invalid.written[2], conflict.written[2]]).toEqual(['bundle error', 'bundle conflict']);
    expect(conflict.source.problem()).toBeUndefined();
    await invalid.change(MUTATING, others);
    expect([invalid.written.at(-1), invalid.source.problem()]).toEqual(['bundle conflict', undefined]);
  });

  it('with 500 is a problem, is tried again, and the other configuration is written', async () => {
    const world = await refusing(500);
    expect(world.written).toEqual(['bundle error', 'bundle done']);
    const problem = 'the mutating webhook configuration: HTTP 500';
    expect([world.source.problem(), world.failures]).toEqual([problem, [[problem, false]]]);
    world.refuse = () => undefined;
    await world.write(ours);
    expect([world.written.at(-1), world.source.problem()]).toEqual(['bundle done', undefined]);
  });
});

describe('the trust of the configurations', () => {
  it('is unknown while a watch is not open, and there where no configuration exists', async () => {
    const world = new World();
    expect(world.source.isTrusted(ours)).toBeUndefined();
    await world.start();
    expect(world.source.isTrusted(ours)).toBe(true);
    world.source.stop();
    await world.settle();
    expect(world.source.isTrusted(ours)).toBeUndefined();
    const half = new World();
    half.refuse = ({ path }) => {
      if (path === VALIDATING) throw new ApiError(503, '', 'no');
    };
    await half.start();
    expect(half.source.isTrusted(ours)).toBeUndefined();
  });

  it('is there when each entry of each configuration holds the certificate', async () => {
    const world = await new World().put(`${ours}${others}`).start();
    expect([world.source.isTrusted(ours), world.source.isTrusted(others)]).toEqual([true, true]);
    await world.change(VALIDATING, others);
    expect([world.source.isTrusted(ours), world.source.isTrusted(others)]).toEqual([false, true]);
    const service = { name: 'probewright', namespace: 'system' };
    const webhooks = [ours, others].map((bundle) => {
      return { name: 'x', clientConfig: { service, caBundle: encoded(bundle) } };
    });
    expect((await new World().putWebhooks(webhooks).start()).source.isTrusted(ours)).toBe(false);
  });

  it('is shown by kind, and unknown without a configuration or a bundle', async () => {
    const world = await new World().put(ours).start();
    world.objects.clear();
    expect(world.source.status().bundleSynced).toEqual({ mutating: undefined, validating: undefined });
    world.source.bundle = ours;
    expect(world.source.status().bundleSynced).toEqual({ mutating: true, validating: true });
    await world.change(VALIDATING, others);
    world.source.bundle = ours;
    expect(world.source.status().bundleSynced).toEqual({ mutating: true, validating: false });
    world.objects.set(`${MUTATING} 00-probewright`, { ...configuration(others), metadata: METADATA });
    world.put(ours);
    const two = new World();
    for (const [key, object] of world.objects) two.objects.set(key, object);
    await two.start();
    two.source.bundle = ours;
    expect(two.source.status().bundleSynced).toEqual({ mutating: false, validating: true });
    const none = await new World().start();
    none.source.bundle = ours;
    expect(none.source.status().bundleSynced).toEqual({ mutating: undefined, validating: undefined });
  });
});

describe('the problems of a source', () => {
  it('are those of all parts, and each is reported when it is news', async () => {
    const { source, failures } = await new World().start();
    expect(source.problem()).toBeUndefined();
    source.note('a', 'first');
    source.note('a', 'first');
    source.note('b', 'second', 'never');
    expect([source.problem(), failures]).toEqual(['first; second', [['first', false]]]);
    source.note('a', 'third');
    source.note('b', undefined);
    expect([source.problem(), failures]).toEqual([
      'third',
      [
        ['first', false],
        ['third', false],
      ],
    ]);
    source.note('a', undefined);
    source.note('a', undefined);
    expect([source.problem(), failures.length]).toEqual([undefined, 2]);
  });

  it('have lost contact with several collections reported once, as passing', async () => {
    const world = new World();
    world.refuse = ({ path }) => {
      throw new ApiError(503, '', `HTTP 503 of ${path.split('/').at(-1) ?? ''}`);
    };
    await world.start();
    await world.settle();
    expect(world.source.problem()?.split('; ')).toHaveLength(5);
    expect(world.failures).toEqual([['HTTP 503 of secrets', true]]);
    expect(world.source.rounds).toBeGreaterThan(1);
    world.refuse = () => undefined;
    await expect.poll(() => world.source.problem()).toBeUndefined();
    expect(world.failures).toHaveLength(1);
  });

  it('are reported although contact is lost, if they are others', async () => {
    const { source, failures } = await new World().start();
    source.note('contact with secret', 'lost', 'passing');
    source.note('contact with x', 'lost, too', 'passing');
    source.note('pair', 'bad');
    expect(failures).toEqual([
      ['lost', true],
      ['bad', false],
    ]);
  });

  it('of a part end its attempt and no other, and nothing is attempted or reported after a stop', async () => {
    const { source, failures } = await new World().start();
    const fail = (): Promise<void> => Promise.reject(new Error('no'));
    expect([await source.attempt('a', fail), source.problem()]).toEqual([false, 'no']);
    expect([await source.attempt('a', () => Promise.resolve()), source.problem()]).toEqual([true, undefined]);
    source.stop();
    expect([await source.attempt('a', fail), source.problem()]).toEqual([true, undefined]);
    source.note('b', 'late');
    expect(failures).toEqual([['no', false]]);
  });
});
