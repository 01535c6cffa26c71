import { beforeEach, describe, expect, it } from 'vitest';
import { bundleHolds } from '../../../src/webhook/certificates/pem.ts';
import { aWhile, DAY, eventually, HOUR, OwnWorld, SETTINGS, type Replica } from './own-world.ts';
import { TlsService } from './tls-service.ts';
import type { OwnCertificates } from '../../../src/webhook/certificates/own-certificates.ts';

/** Two replicas, each behind a TLS server, and what a client does that holds what the configurations hold at the time. */
class Rotation {
  readonly world: OwnWorld;
  readonly replicas: readonly Replica<OwnCertificates>[];
  readonly #services: readonly TlsService[];
  connections = 0;
  #round: Promise<void> = Promise.resolve();
  readonly #connect: (service: TlsService, bundle: string) => Promise<void>;
  #isOver = false;

  private constructor(
    world: OwnWorld,
    replicas: readonly Replica<OwnCertificates>[],
    services: readonly TlsService[],
    connect: (service: TlsService, bundle: string) => Promise<void>,
  ) {
    this.world = world;
    this.replicas = replicas;
    this.#services = services;
    this.#connect = connect;
  }

  static async begin(
    world: OwnWorld,
    connect: (service: TlsService, bundle: string) => Promise<void>,
  ): Promise<Rotation> {
    world.putConfigurations();
    const replicas = [world.own(), world.own()];
    const services = replicas.map(() => new TlsService());
    for (const [index, replica] of replicas.entries()) await services[index]?.start(await replica.started);
    const rotation = new Rotation(world, replicas, services, connect);
    rotation.lead(0);
    await eventually(() => world.expectBundles(world.secret()['ca.crt']));
    return rotation;
  }

  lead(index: number): void {
    this.replicas.forEach(({ source }, other) => source.lead(other === index));
  }

  /**
   * A connection to every server with every bundle that there is now. A round waits for the one before: otherwise the
   * rotation could go on for steps while a slow round holds an old bundle.
   */
  connectToAll(): Promise<void> {
    return (this.#round = this.#round.then(() => this.#connectOnce()));
  }

  async #connectOnce(): Promise<void> {
    for (const [index, service] of this.#services.entries()) {
      const pair = this.replicas[index]?.pairs.at(-1);
      if (pair !== undefined) service.use(pair);
      for (const bundle of new Set(this.world.bundles())) {
        await this.#connect(service, bundle);
        this.connections++;
      }
    }
  }

  /** How often a step was written. The answer to a write comes after its effect. */
  count(step: string): number {
    return this.replicas.flatMap(({ written }) => written).filter((write) => write === `${step} done`).length;
  }

  /** Connects over and over while something else goes on. */
  async keepConnecting(): Promise<void> {
    while (!this.#isOver) await this.connectToAll();
  }

  end(): void {
    this.#isOver = true;
  }

  /** Lets time go by, then waits for what follows from it. */
  async after(milliseconds: number, assertion: () => void): Promise<void> {
    this.world.now += milliseconds;
    await eventually(assertion);
    await this.connectToAll();
  }

  async run(first: string | undefined, stage: () => Promise<void>, handOver: boolean): Promise<string | undefined> {
    const { world } = this;
    const [trusted, promoted, retired] = ['trust', 'promote', 'retire'].map((step) => this.count(step) + 1);
    await stage();
    const next = world.secret()['next.crt'];
    await eventually(() => {
      world.expectBundles(`${first}${next}`);
      expect(world.annotations()['probewright.dev/next-trusted-since']).toBeDefined();
      expect(this.count('trust')).toBe(trusted);
      // A leader that has not seen the bundles yet would rather begin the overlap anew.
      for (const { source } of this.replicas) {
        expect(source.status().nextNotAfter).toBeDefined();
        expect(source.status().bundleSynced).toEqual({ mutating: true, validating: true });
      }
    });
    await this.connectToAll();
    if (handOver) this.lead(1);
    await this.after(SETTINGS.caOverlap - 1000, () => expect(world.secret()['ca.crt']).toBe(first));
    const served = this.replicas.map(({ pairs }) => pairs.length);
    await this.after(1000, () => {
      expect(world.secret()).toMatchObject({ 'ca.crt': next, 'previous.crt': first });
      this.replicas.forEach(({ pairs }, index) => expect(pairs).toHaveLength((served[index] ?? 0) + 1));
      world.expectBundles(`${next}${first}`);
      expect(this.count('promote')).toBe(promoted);
    });
    expect(world.secret()['next.crt']).toBeUndefined();
    if (handOver) this.lead(0);
    const day = Math.floor(SETTINGS.leafLifetime / DAY);
    for (let past = 0; past < day; past++) {
      await this.after(DAY, () => {
        for (const { pairs } of this.replicas) expect(pairs.at(-1)?.notAfter).toBeGreaterThan(world.now + DAY);
      });
      world.expectBundles(`${next}${first}`);
    }
    await this.after(SETTINGS.caOverlap, () => {
      expect(world.secret()['previous.crt']).toBeUndefined();
      world.expectBundles(next);
      expect(this.count('retire')).toBe(retired);
    });
    return next;
  }
}

let world: OwnWorld;
beforeEach(async () => {
  world = await OwnWorld.start();
});

describe('a whole rotation', () => {
  it('goes by, at request, without a connection that fails for a client that holds the bundle of the moment', async () => {
    // Leaves last for seven days: every one that is served while this rotation goes by is valid by the real clock.
    const real = world.now;
    world.now = real - 6.5 * DAY;
    const rotation = await Rotation.begin(world, (service, bundle) => service.connect(bundle));
    const connecting = rotation.keepConnecting();
    const first = world.secret()['ca.crt'];
    const second = await rotation.run(
      first,
      async () => {
        world.askRotation();
        await eventually(() => expect(world.secret()['next.crt']).toBeDefined());
      },
      false,
    );
    rotation.end();
    await connecting;
    expect(second).not.toBe(first);
    expect(world.annotations()['probewright.dev/rotate']).toBeUndefined();
    // Each of the 11 stops of the rotation connects to both servers. How many come between depends on the machine.
    expect(rotation.connections).toBeGreaterThanOrEqual(22);
  });

  it('goes by, by age, three times over and with leaders that change in the middle of it', async () => {
    world = await OwnWorld.start({ caLifetime: 60 * DAY });
    const rotation = await Rotation.begin(world, async (service, bundle) =>
      expect(await service.complaint(bundle, world.now)).toBeUndefined(),
    );
    let ca = world.secret()['ca.crt'];
    for (let generation = 0; generation < 3; generation++) {
      ca = await rotation.run(
        ca,
        async () => {
          // Leaves are renewed on the way.
          for (let past = 0; past < 100; past++) {
            if (world.secret()['next.crt'] !== undefined) break;
            await rotation.after(3 * DAY, () => {
              for (const { pairs } of rotation.replicas)
                expect(pairs.at(-1)?.notAfter).toBeGreaterThan(world.now + DAY);
            });
          }
          await eventually(() => expect(world.secret()['next.crt']).toBeDefined());
        },
        true,
      );
    }
    const steps = ['stage', 'trust', 'distrust', 'promote', 'retire'];
    expect(steps.map((step) => rotation.count(step))).toEqual([3, 3, 0, 3, 3]);
  });

  it('starts the overlap anew when a bundle has lost the next CA', async () => {
    world.putConfigurations();
    const { source, written } = await world.serving();
    world.askRotation();
    source.lead(true);
    await world.nextTrusted();
    // No leader puts right what is taken out; the next one notices.
    source.lead(false);
    world.putConfigurations(world.secret()['ca.crt']);
    world.now += 2 * HOUR;
    await aWhile();
    source.lead(true);
    await eventually(() =>
      expect(world.annotations()['probewright.dev/next-trusted-since']).toBe(new Date(world.now).toISOString()),
    );
    expect(world.secret()['previous.crt']).toBeUndefined();
    for (const bundle of world.bundles()) expect(bundleHolds(bundle, world.secret()['next.crt'] ?? '')).toBe(true);
    await eventually(() => expect(written.filter((write) => write === 'distrust done')).toHaveLength(1));
  });

  it('waits while it cannot be seen what clients trust, and loses nothing by it', async () => {
    world.putConfigurations();
    const { source } = await world.serving();
    source.lead(true);
    world.askRotation();
    await world.nextTrusted();
    const before = [world.secret(), world.annotations()];
    world.api.intercept(({ path }) => (path.includes('webhookconfigurations') ? { status: 403 } : undefined));
    world.api.disturbWatches('cut');
    await eventually(() => expect(source.problem()).toContain('webhookconfigurations'));
    world.now += 2 * HOUR;
    await aWhile();
    expect([world.secret(), world.annotations()]).toEqual(before);
    world.api.intercept(undefined);
    await eventually(() => expect(world.secret()['previous.crt']).toBe(before[0]?.['ca.crt']));
  });

  it('goes by when there are no webhook configurations', async () => {
    const { source, pairs } = await world.serving();
    const first = world.secret()['ca.crt'];
    source.lead(true);
    world.askRotation();
    await world.nextTrusted();
    world.now += HOUR;
    await eventually(() => {
      expect(world.secret()['previous.crt']).toBe(first);
      expect(pairs).toHaveLength(2);
    });
    expect(source.status().bundleSynced).toEqual({ mutating: undefined, validating: undefined });
  });
});
