import { X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { bundleHolds } from '../../../src/webhook/certificates/pem.ts';
import { createAuthority } from '../../../src/webhook/certificates/certificate-authority.ts';
import { authorityName } from '../../../src/webhook/certificates/ca-secret.ts';
import {
  aWhile,
  configuration,
  DAY,
  eventually,
  HOST,
  HOUR,
  MUTATING,
  OwnWorld,
  SECRETS,
  SETTINGS,
  VALIDATING,
  webhooksOf,
} from './own-world.ts';
import { runs } from '../../support/runs.ts';
import { TlsService } from './tls-service.ts';
import type { Webhook } from './own-world.ts';

/** A CA that somebody else has made. */
const foreign = await createAuthority('somebody', Date.now(), 30 * DAY);

let world: OwnWorld;
beforeEach(async () => {
  world = await OwnWorld.start();
});

/** Fails unless this pair is signed by this CA. */
function expectSigned(pair: { cert: string } | undefined, ca: string | undefined): void {
  expect(new X509Certificate(pair?.cert ?? '').verify(new X509Certificate(ca ?? '').publicKey)).toBe(true);
}

describe('the first start', () => {
  it('makes a CA, keeps it in a Secret, and serves a leaf for the names of the Service', async () => {
    const { started, source, written } = world.own();
    const pair = await started;
    const object = world.api.get(SECRETS, SETTINGS.caSecret);
    expect(object?.['type']).toBe('Opaque');
    expect(object?.metadata.labels).toEqual({
      'app.kubernetes.io/name': 'probewright',
      'app.kubernetes.io/managed-by': 'probewright',
    });
    const ca = world.secret()['ca.crt'];
    expect(Object.keys(world.secret())).toEqual(['ca.crt', 'ca.key']);
    expect(new X509Certificate(ca ?? '').subject).toMatch(/^CN=probewright CA \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expectSigned(pair, ca);
    const leaf = new X509Certificate(pair.cert);
    expect(leaf.subjectAltName).toBe('DNS:probewright.system.svc');
    expect(source.status()).toMatchObject({
      nextNotAfter: undefined,
      bundleSynced: { mutating: undefined, validating: undefined },
    });
    expect(written).toEqual(['create done']);
    expect(source.problem()).toBeUndefined();
  });

  it('never asks for more than the role allows', async () => {
    await world.settled();
    world.askRotation();
    await world.nextTrusted();
    for (const { method, path, query } of world.api.requests) {
      const isByName = /^metadata\.name=(?:00-)?probewright/.test(query['fieldSelector'] ?? '');
      if (method === 'GET') expect(isByName, path).toBe(true);
      else if (method === 'POST') expect(path).toBe(SECRETS);
      else if (method === 'PUT') expect(path).toBe(`${SECRETS}/${SETTINGS.caSecret}`);
      else expect([`${MUTATING}/probewright`, `${VALIDATING}/probewright`]).toContain(path);
    }
  });

  it.each([2, 3, 4, 5])(
    'of %d replicas at the same instant ends with one CA that all of them serve from',
    async (count) => {
      for (let run = 0; run < runs(20, 5); run++) {
        world = await OwnWorld.start();
        const replicas = Array.from({ length: count }, () => world.own());
        const pairs = await Promise.all(replicas.map(({ started }) => started));
        const { 'ca.crt': ca } = world.secret();
        for (const pair of pairs) expectSigned(pair, ca);
        expect(new Set(pairs.map(({ cert }) => cert)).size).toBe(count);
        expect(world.requests('PUT')).toHaveLength(0);
        for (const { source } of replicas) source.stop();
      }
    },
  );

  it('takes the CA that is there', async () => {
    const first = await world.serving();
    first.source.stop();
    const before = world.secret();
    expectSigned(await world.own().started, before['ca.crt']);
    expect(world.secret()).toEqual(before);
  });

  it('waits for as long as the API server is away, and says so', async () => {
    await world.api.pause();
    const { source, started, failures } = world.own();
    await eventually(() => expect(failures.join()).toContain('ECONNREFUSED'));
    expect(source.problem()).toContain('ECONNREFUSED');
    await world.api.resume();
    await started;
    await eventually(() => expect(source.problem()).toBeUndefined());
  });

  it.each([
    ['the right to create the Secret', 403],
    ['its namespace', 404],
  ])('waits for %s, and says so', async (_, status) => {
    world.api.intercept(({ method }) => (method === 'POST' ? { status } : undefined));
    const { started, failures, source, written } = world.own();
    await eventually(() => expect(failures).toEqual([`POST ${SECRETS}: HTTP ${status}`]));
    world.api.intercept(undefined);
    await started;
    await eventually(() => expect(source.problem()).toBeUndefined());
    expect(written.filter((write) => write === 'create done')).toHaveLength(1);
  });

  it('can be given up', async () => {
    world.api.intercept(() => 'hang');
    const { source, started } = world.own();
    await eventually(() => expect(world.api.requests.length).toBeGreaterThan(2));
    source.stop();
    await expect(started).rejects.toThrow('stopped before there was a certificate');
    await expect(source.start({ changed: () => undefined, failed: () => undefined })).rejects.toThrow('stopped');
  });

  it('replaces a CA that has expired as soon as somebody leads, and not before', async () => {
    world.now -= 400 * DAY;
    const former = await world.serving();
    former.source.stop();
    const expired = world.secret()['ca.crt'];
    world.now += 400 * DAY;
    const { source, started } = world.own();
    await aWhile();
    // A replica whose clock is wrong may take any CA for expired.
    expect(world.secret()['ca.crt']).toBe(expired);
    expect(source.problem()).toMatch(/^the CA has expired at .*, and waits for the leader to make another$/);
    const waits = 'a new leaf waits until the webhook configurations trust its CA';
    expect(world.logged.filter((line) => line.startsWith(waits))).toHaveLength(1);
    source.lead(true);
    const pair = await started;
    expect(source.problem()).toBeUndefined();
    expect(world.secret()['ca.crt']).not.toBe(expired);
    expect(world.secret()['previous.crt']).toBeUndefined();
    expectSigned(pair, world.secret()['ca.crt']);
    expect(pair.notAfter).toBeGreaterThan(world.now);
  });
});

describe('the leaf', () => {
  it('is renewed by each replica for itself when two thirds of its life are over', async () => {
    const { pairs } = await world.serving();
    world.now += 4 * DAY;
    await aWhile();
    expect(pairs).toHaveLength(1);
    world.now += 1.5 * DAY;
    await eventually(() => expect(pairs).toHaveLength(2));
    expect(pairs[1]?.notAfter).toBeGreaterThan(world.now + 6 * DAY);
    expect(world.requests('PUT')).toHaveLength(0);
  });

  it('is renewed while the API server is away', async () => {
    const { source, pairs, failures } = await world.serving();
    await world.api.pause();
    await eventually(() => expect(source.problem()?.split('; ')).toHaveLength(5));
    expect(failures).toHaveLength(1);
    world.now += 6 * DAY;
    await eventually(() => expect(pairs).toHaveLength(2));
    expectSigned(pairs[1], world.secret()['ca.crt']);
    await world.api.resume();
    await eventually(() => expect(source.problem()).toBeUndefined());
  });

  it('is no longer renewed, nor told of, after stop', async () => {
    const { source, pairs } = await world.serving();
    source.stop();
    world.now += 6 * DAY;
    world.api.remove(SECRETS, SETTINGS.caSecret);
    await aWhile();
    expect(pairs).toHaveLength(1);
    expect(world.api.get(SECRETS, SETTINGS.caSecret)).toBeUndefined();
  });
});

describe('a Secret that is deleted', () => {
  it('comes back as it was, by whichever replica, and nothing else changes', async () => {
    const leader = await world.settled();
    const other = await world.serving();
    world.askRotation();
    await eventually(() => {
      expect(world.annotations()['probewright.dev/next-trusted-since']).toBeDefined();
      expect(leader.source.status().bundleSynced.mutating).toBe(true);
      expect(other.source.status().nextNotAfter).toBeDefined();
    });
    const [secret, annotations, bundles] = [world.secret(), world.annotations(), world.bundles()];
    for (let deletion = 0; deletion < 5; deletion++) {
      world.api.remove(SECRETS, SETTINGS.caSecret);
      await eventually(() => expect(world.secret()).toEqual(secret));
      expect(world.annotations()).toEqual(annotations);
      await aWhile();
    }
    expect(world.bundles()).toEqual(bundles);
    expect([leader.pairs.length, other.pairs.length]).toEqual([1, 1]);
  });

  it('comes back after the API server was away as well', async () => {
    const { source, pairs } = await world.serving();
    const secret = world.secret();
    await world.api.pause();
    world.api.remove(SECRETS, SETTINGS.caSecret);
    await eventually(() => expect(source.problem()).toBeDefined());
    await world.api.resume();
    await eventually(() => expect(world.secret()).toEqual(secret));
    expect(pairs).toHaveLength(1);
  });
});

describe('a Secret that is spoilt', () => {
  it.each(['ca.crt', 'ca.key'])('in its %s is put right from memory', async (key) => {
    const { pairs } = await world.settled();
    const good = world.secret();
    world.editSecret({ [key]: 'nonsense' }, { 'somebody.example.com/note': 'mine' });
    await eventually(() => expect(world.secret()).toEqual(good));
    expect(world.annotations()['somebody.example.com/note']).toBe('mine');
    expect(world.logged.join('\n')).toContain(`"problems":"${key} is not`);
    expect(pairs).toHaveLength(1);
  });

  it('before anybody has read it gets a new CA', async () => {
    world.putSecret({ 'ca.crt': 'nonsense', 'notes.txt': 'mine' });
    const replicas = [world.own(), world.own()];
    const pairs = await Promise.all(replicas.map(({ started }) => started));
    for (const pair of pairs) expectSigned(pair, world.secret()['ca.crt']);
    expect(world.secret()['notes.txt']).toBe('mine');
    expect(world.logged.join('\n')).toContain('"problems":"ca.key is missing"');
  });

  it("is left alone when it is somebody else's: a serving pair of cert-manager, say", async () => {
    const pair = { 'ca.crt': foreign.cert, 'tls.crt': foreign.cert, 'tls.key': foreign.key };
    const theirs = world.putSecret(pair, undefined, 'kubernetes.io/tls');
    const { source, failures } = world.own();
    source.lead(true);
    await eventually(() =>
      expect(source.problem()).toContain(
        "Secret system/probewright-ca is left alone, because ca.crt, tls.crt, tls.key may be somebody else's",
      ),
    );
    expect(failures.length).toBeGreaterThan(0);
    expect(world.api.get(SECRETS, SETTINGS.caSecret)?.metadata.resourceVersion).toBe(theirs.metadata.resourceVersion);
  });

  it('and has lost its labels is put right from memory', async () => {
    await world.settled();
    const good = world.secret();
    world.putSecret({ ...good, 'ca.crt': 'nonsense' }, {});
    await eventually(() => expect(world.secret()).toEqual(good));
  });

  it('in its next CA only keeps the CA, also when nobody has read it before', async () => {
    const first = await world.serving();
    first.source.stop();
    const { 'ca.crt': ca } = world.secret();
    world.editSecret({ 'next.crt': 'nonsense' });
    expectSigned(await world.own().started, ca);
    expect(Object.keys(world.secret())).toEqual(['ca.crt', 'ca.key']);
  });
});

describe('a CA that somebody else has made', () => {
  const texts = { 'ca.crt': foreign.cert, 'ca.key': foreign.key };
  const problem = 'ca.crt is a CA that Probewright has not made';

  it.each([
    ['without labels', {}],
    [
      'with the labels of ours',
      { 'app.kubernetes.io/name': 'probewright', 'app.kubernetes.io/managed-by': 'probewright' },
    ],
  ])('is refused at the first start and left alone, %s', async (_how, labels) => {
    world.putSecret(texts, labels);
    world.putConfigurations();
    const { source, pairs, failures } = world.own();
    source.lead(true);
    await eventually(() => {
      expect(source.problem()).toContain(problem);
      expect(source.problem()).toContain('set certificates.mode to cert-manager or secret');
      expect(source.problem()).toContain("For Probewright's own CA, delete the Secret");
    });
    await aWhile();
    expect(failures.join('\n')).toContain(problem);
    expect(world.logged.join('\n')).toMatch(
      /the Secret of the CA cannot be used .*"remedy":"For certificates of your own/,
    );
    expect([pairs, world.bundles()]).toEqual([[], ['', '', '', '']]);
    expect(world.secret()).toEqual(texts);
    // What the message says helps.
    world.api.remove(SECRETS, SETTINGS.caSecret);
    await eventually(() => {
      expect(pairs).toHaveLength(1);
      expect(source.problem()).toBeUndefined();
    });
  });

  it('is not adopted when it is put into our Secret, which gets its CA back', async () => {
    const { source, pairs } = await world.settled();
    const good = world.secret();
    world.editSecret(texts);
    await eventually(() => expect(world.secret()).toEqual(good));
    expect(world.logged.join('\n')).toContain(problem);
    await eventually(() => expect(source.problem()).toBeUndefined());
    expect([pairs.length, world.bundles()]).toEqual([1, Array(4).fill(good['ca.crt'])]);
  });

  it('is not adopted when somebody replaces the Secret by one of their own, and stays there', async () => {
    const { source, pairs } = await world.settled();
    const { 'ca.crt': good } = world.secret();
    world.api.remove(SECRETS, SETTINGS.caSecret);
    world.putSecret(texts, {});
    await eventually(() => expect(source.problem()).toContain(problem));
    await aWhile();
    expect(world.secret()['ca.crt']).toBe(foreign.cert);
    expect([pairs.length, world.bundles()]).toEqual([1, Array(4).fill(good)]);
    // The leaf is still renewed by the CA in memory.
    world.now += 6 * DAY;
    await eventually(() => expect(pairs).toHaveLength(2));
    expectSigned(pairs[1], good);
  });

  it('is not promoted either: a next CA like that is taken out, and the CA stays', async () => {
    const { pairs } = await world.settled();
    const good = world.secret();
    world.editSecret({ 'next.crt': foreign.cert, 'next.key': foreign.key });
    await eventually(() => expect(world.secret()).toEqual(good));
    expect(world.logged.join('\n')).toContain('next.crt is a CA that Probewright has not made');
    expect(pairs).toHaveLength(1);
  });

  it('is told from one that is only out of time, which rotation replaces', async () => {
    const old = await createAuthority(authorityName(world.now - 40 * DAY), world.now - 40 * DAY, 30 * DAY);
    world.putSecret({ 'ca.crt': old.cert, 'ca.key': old.key });
    world.putConfigurations();
    const { source, pairs } = world.own();
    source.lead(true);
    await eventually(() => expect(pairs.length).toBeGreaterThan(0));
    expect(world.secret()['ca.crt']).not.toBe(old.cert);
    expect(world.logged.join('\n')).not.toContain('cannot be used');
  });
});

describe('somebody who writes the caBundle, too', () => {
  it('is not fought for ever: it is given up for a while, and told of', async () => {
    const { source } = await world.settled();
    // As fast as the API server answers, like cert-manager's cainjector.
    let isFighting = true;
    onTestFinished(() => {
      isFighting = false;
    });
    const fight = async (): Promise<void> => {
      while (isFighting) {
        if (world.bundles().some((bundle) => bundle !== 'theirs')) world.putConfigurations('theirs');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    void fight();
    await eventually(() => expect(source.problem()).toContain('somebody else writes the caBundle over and over'));
    await aWhile();
    // Two configurations, ten writes each at most.
    expect(world.requests('PATCH').length).toBeLessThanOrEqual(20);
  });
});

describe('a Secret whose CA is replaced by another', () => {
  it('makes clients trust both until no leaf of the former is left, and the leaf waits until they do', async () => {
    const leader = await world.settled();
    const other = await world.serving();
    const replicas = [leader, other];
    const services = replicas.map(() => new TlsService());
    await Promise.all(replicas.map(async ({ started }, index) => services[index]?.start(await started)));
    const round = { isOver: false };
    let connections = 0;
    const connecting = (async () => {
      while (!round.isOver) {
        for (const [index, service] of services.entries()) {
          const pair = replicas[index]?.pairs.at(-1);
          if (pair !== undefined) service.use(pair);
          for (const bundle of new Set(world.bundles())) await service.connect(bundle);
          connections++;
        }
      }
    })();

    const { 'ca.crt': former } = world.secret();
    const ca = await createAuthority(authorityName(world.now), world.now, 365 * DAY);
    world.editSecret({ 'ca.crt': ca.cert, 'ca.key': ca.key });
    await eventually(() => {
      for (const { pairs } of replicas) expect(pairs).toHaveLength(2);
      world.expectBundles(ca.cert + (former ?? ''));
      expect(world.secret()).toMatchObject({ 'ca.crt': ca.cert, 'previous.crt': former });
    });
    expect(world.annotations()['probewright.dev/promoted-at']).toBe(new Date(world.now).toISOString());
    for (const { pairs } of replicas) expectSigned(pairs[1], ca.cert);
    const before = connections;
    await eventually(() => expect(connections).toBeGreaterThan(before + 4));
    round.isOver = true;
    await connecting;

    world.now += 7 * DAY + HOUR;
    await eventually(() => {
      expect(world.secret()['previous.crt']).toBeUndefined();
      world.expectBundles(ca.cert);
    });
  });

  it('keeps the former leaf while nobody leads, and gives it up when it has expired', async () => {
    const { source, pairs } = await world.settled();
    source.lead(false);
    const ca = await createAuthority(authorityName(world.now), world.now, 365 * DAY);
    const { 'ca.crt': former } = world.secret();
    world.editSecret({ 'ca.crt': ca.cert, 'ca.key': ca.key });
    await eventually(() => expect(world.secret()['previous.crt']).toBe(former));
    world.now += 6.9 * DAY;
    await aWhile();
    expect(pairs).toHaveLength(1);
    expect(world.logged.join('\n')).toContain('a new leaf waits until the webhook configurations trust its CA');
    expect(source.problem()).toBe(
      'the new CA waits for the caBundle of the webhook configurations 00-probewright, probewright',
    );
    world.now += 0.1 * DAY;
    await eventually(() => expect(pairs).toHaveLength(2));
    expectSigned(pairs[1], ca.cert);
  });
});

describe('the webhook configurations', () => {
  it('get the bundle from any replica where they have none, so that calls need not wait for a leader, and not otherwise', async () => {
    world.putConfigurations();
    await world.serving();
    const ca = world.secret()['ca.crt'] ?? '';
    await eventually(() => {
      for (const bundle of world.bundles()) expect(bundleHolds(bundle, ca)).toBe(true);
    });
    world.putConfigurations('theirs');
    await aWhile();
    expect(world.bundles()).toEqual(Array.from({ length: 4 }, () => 'theirs'));
  });

  it('get the bundle where they call our Service, and nowhere else', async () => {
    await world.settled();
    const bundle = Buffer.from(world.secret()['ca.crt'] ?? '').toString('base64');
    for (const collection of [MUTATING, VALIDATING]) {
      const given = webhooksOf(configuration() as never);
      expect(webhooksOf(world.api.get(collection, 'probewright'))).toEqual(
        given.map((webhook) =>
          webhook.clientConfig.service?.namespace === 'system'
            ? { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle: bundle } }
            : webhook,
        ),
      );
    }
  });

  it('are written once, by the leader only, with a field manager of their own', async () => {
    await world.settled();
    await world.own().started;
    await aWhile();
    const patches = world.requests('PATCH');
    expect(patches.map(({ path }) => path).sort()).toEqual([`${MUTATING}/probewright`, `${VALIDATING}/probewright`]);
    for (const { query, contentType, body } of patches) {
      expect(query).toEqual({ fieldManager: 'probewright-ca-bundle' });
      expect(contentType).toBe('application/json-patch+json');
      expect(body).toMatchObject([
        { op: 'test', path: '/webhooks/1/name', value: 'pods.probewright.dev' },
        { op: 'add', path: '/webhooks/1/clientConfig/caBundle' },
        { op: 'test', path: '/webhooks/3/name', value: 'workloads.probewright.dev' },
        { op: 'add', path: '/webhooks/3/clientConfig/caBundle' },
      ]);
    }
  });

  it.each([
    ['emptied', ''],
    ['filled with nonsense', 'nonsense'],
  ])('are put right when a bundle is %s, and only there', async (_how, bundle) => {
    await world.settled();
    const wanted = world.secret()['ca.crt'] ?? '';
    const before = world.requests('PATCH').length;
    const object = world.api.get(VALIDATING, 'probewright');
    const webhooks = webhooksOf(object).map((webhook): Webhook => {
      if (webhook.name !== 'workloads.probewright.dev') return webhook;
      const caBundle = Buffer.from(bundle).toString('base64');
      return { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } };
    });
    world.api.put(VALIDATING, { ...object, webhooks });
    await eventually(() => {
      for (const held of world.bundles()) expect(held).toBe(wanted);
    });
    const patches = world.requests('PATCH').slice(before);
    expect(patches).toHaveLength(1);
    expect(patches[0]?.body).toMatchObject([
      { path: '/webhooks/3/name' },
      { path: '/webhooks/3/clientConfig/caBundle' },
    ]);
  });

  it('keep a namespaceSelector that somebody has edited, and are not written because of it', async () => {
    await world.settled();
    const before = world.requests('PATCH').length;
    const object = world.api.get(MUTATING, 'probewright');
    const namespaceSelector = { matchExpressions: [{ key: 'control-plane', operator: 'DoesNotExist' }] };
    world.api.put(MUTATING, {
      ...object,
      webhooks: webhooksOf(object).map((webhook) => ({ ...webhook, namespaceSelector })),
    });
    await aWhile();
    expect(world.requests('PATCH')).toHaveLength(before);
    const kept = webhooksOf(world.api.get(MUTATING, 'probewright'));
    for (const webhook of kept) expect(webhook.namespaceSelector).toEqual(namespaceSelector);
  });

  it('get the bundle when they are made later, or again', async () => {
    const { source } = await world.serving();
    source.lead(true);
    for (let time = 0; time < 2; time++) {
      world.api.put(MUTATING, configuration());
      await eventually(() => expect(source.status().bundleSynced).toEqual({ mutating: true, validating: undefined }));
      expect(bundleHolds(world.bundles()[0] ?? '', world.secret()['ca.crt'] ?? '')).toBe(true);
      world.api.remove(MUTATING, 'probewright');
      await eventually(() => expect(source.status().bundleSynced.mutating).toBeUndefined());
    }
  });

  it('get the bundle under each of their names, from any replica while the bundle is empty', async () => {
    world.putConfigurations();
    const { source } = await world.serving();
    world.api.put(MUTATING, configuration(undefined, '00-probewright'));
    const bundleOf = (name: string): string =>
      webhooksOf(world.api.get(MUTATING, name)).find((one) => one.name === 'pods.probewright.dev')?.clientConfig
        .caBundle ?? '';
    await eventually(() => expect(bundleOf('00-probewright')).not.toBe(''));
    await eventually(() => expect(bundleOf('probewright')).toBe(bundleOf('00-probewright')));
    // As after an upgrade, a rollback and an uninstallation.
    for (const [removed, synced] of [
      ['probewright', true],
      ['00-probewright', undefined],
    ] as const) {
      world.api.remove(MUTATING, removed);
      await eventually(() => expect(source.status().bundleSynced.mutating).toBe(synced));
    }
  });

  it('are written to the right entries when entries are moved at the same moment', async () => {
    world.putConfigurations();
    const { source, written } = await world.serving();
    let isMoved = false;
    world.api.intercept(({ method, path }) => {
      if (method !== 'PATCH' || isMoved || !path.startsWith(MUTATING)) return undefined;
      isMoved = true;
      const object = world.api.get(MUTATING, 'probewright');
      world.api.put(MUTATING, { ...object, webhooks: webhooksOf(object).toReversed() });
      return undefined;
    });
    source.lead(true);
    await eventually(() => expect(source.status().bundleSynced).toEqual({ mutating: true, validating: true }));
    const [, , entry] = webhooksOf(world.api.get(MUTATING, 'probewright'));
    expect(entry?.clientConfig.caBundle).toBeDefined();
    const elsewhere = webhooksOf(world.api.get(MUTATING, 'probewright')).find(({ name }) => name === 'url.example.com');
    expect(elsewhere?.clientConfig.caBundle).toBe('QQ==');
    expect(written.filter((write) => write === 'bundle conflict')).toHaveLength(1);
  });

  it('that cannot be written are told of and tried again, while all else goes on', async () => {
    world.putConfigurations();
    const { source, failures } = await world.serving();
    world.api.intercept(({ method }) => (method === 'PATCH' ? { status: 403 } : undefined));
    source.lead(true);
    await eventually(() => expect(failures.join()).toContain('the mutating webhook configuration: PATCH'));
    expect(source.problem()).toContain('HTTP 403');
    world.api.intercept(undefined);
    await eventually(() => {
      expect(source.problem()).toBeUndefined();
      expect(source.status().bundleSynced).toEqual({ mutating: true, validating: true });
    });
  });

  it('are kept right through whatever happens to the watches', async () => {
    const { source } = await world.settled();
    for (const how of ['end', 'cut', 'gone', 'garbage', 'half-line'] as const) {
      world.api.disturbWatches(how);
      world.putConfigurations();
      await eventually(() => expect(new Set(world.bundles())).toEqual(new Set([world.secret()['ca.crt']])));
    }
    await eventually(() => expect(source.problem()).toBeUndefined());
  });

  it('name the Service by the very name that the leaf is for', async () => {
    const { pairs } = await world.settled();
    const service = new TlsService();
    if (pairs[0] !== undefined) await service.start(pairs[0]);
    for (const bundle of world.bundles()) await service.connect(bundle);
    expect(new X509Certificate(pairs[0]?.cert ?? '').checkHost(HOST)).toBe(HOST);
  });
});
