import { beforeEach, describe, expect, it } from 'vitest';
import { createAuthority, issueLeaf } from '../../../src/webhook/certificates/certificate-authority.ts';
import { aWhile, configuration, encodedAll, eventually, MUTATING, OwnWorld, SECRETS } from './own-world.ts';
import { TlsService } from './tls-service.ts';
import type { CertificateAuthority } from '../../../src/webhook/certificates/ca-state.ts';
import type { ServingPair } from '../../../src/webhook/certificates/pem.ts';

const DAY = 86_400_000;

function makeAuthority(name: string): Promise<CertificateAuthority> {
  return createAuthority(name, Date.now(), 365 * DAY);
}

function makePair(ca: CertificateAuthority): Promise<ServingPair> {
  return issueLeaf(ca, { commonName: 'x', dns: ['probewright.system.svc'] }, Date.now(), 90 * DAY);
}

function putSecret(texts: Readonly<Record<string, string>>): void {
  world.api.put(SECRETS, { metadata: { name: 'given' }, type: 'kubernetes.io/tls', data: encodedAll(texts) });
}

function texts(pair: ServingPair, ca?: string): Readonly<Record<string, string>> {
  return { 'tls.crt': pair.cert, 'tls.key': pair.key, ...(ca !== undefined && { 'ca.crt': ca }) };
}

let world: OwnWorld;
beforeEach(async () => {
  world = await OwnWorld.start();
});

const ca = await makeAuthority('given');
const other = await makeAuthority('other');
const [first, second, foreign] = await Promise.all([makePair(ca), makePair(ca), makePair(other)]);

describe('a Secret of the user’s', () => {
  it('is served', async () => {
    putSecret(texts(first));
    const { source, started } = world.given();
    expect(await started).toEqual(first);
    expect(source.problem()).toBeUndefined();
    expect(source.status()).toEqual({ bundleSynced: { mutating: undefined, validating: undefined } });
  });

  it('is waited for until it is there and good, and it is said why', async () => {
    const { source, started, failures } = world.given();
    const expectFailure = (problem: string): Promise<void> => eventually(() => expect(failures.at(-1)).toBe(problem));
    await expectFailure('Secret system/given: it does not exist');
    putSecret({});
    await expectFailure('Secret system/given: tls.crt is missing');
    putSecret({ 'tls.crt': first.cert });
    await expectFailure('Secret system/given: tls.key is missing');
    putSecret({ 'tls.crt': first.cert, 'tls.key': second.key });
    await expectFailure('Secret system/given: the certificate and the key do not belong together');
    putSecret(texts(first));
    expect(await started).toEqual(first);
    expect(source.problem()).toBeUndefined();
    expect(failures).toHaveLength(4);
  });

  it('is waited for while the API server is away', async () => {
    putSecret(texts(first));
    await world.api.pause();
    const { started, failures } = world.given();
    await eventually(() => expect(failures.join()).toContain('ECONNREFUSED'));
    await world.api.resume();
    expect(await started).toEqual(first);
  });

  it('is no longer waited for after stop', async () => {
    const { source, started } = world.given();
    source.stop();
    await expect(started).rejects.toThrow('stopped before there was a certificate');
  });

  it('is served anew when it changes, and only then', async () => {
    putSecret(texts(first));
    const { started, pairs } = world.given();
    await started;
    putSecret(texts(first, ca.cert));
    putSecret(texts(second));
    await eventually(() => expect(pairs).toEqual([first, second]));
  });

  it('that becomes bad or is deleted leaves the last good pair in service', async () => {
    putSecret(texts(first));
    const { source, started, pairs, failures } = world.given();
    await started;
    putSecret({ ...texts(first), 'tls.crt': 'nonsense' });
    await eventually(() =>
      expect(source.problem()).toContain('Secret system/given: the certificate is not PEM-encoded X.509'),
    );
    world.api.remove(SECRETS, 'given');
    await eventually(() => expect(source.problem()).toBe('Secret system/given: it does not exist'));
    expect(pairs).toEqual([first]);
    putSecret(texts(second));
    await eventually(() => expect(pairs).toEqual([first, second]));
    expect(source.problem()).toBeUndefined();
    expect(failures).toHaveLength(2);
  });
});

describe('a pair in a Secret of the user’s that the API server would refuse', () => {
  const told = 'Secret system/given: the API server would refuse tls.crt: ';

  it.each([undefined, ca])(
    'is told of when it is not for the Service, with a ca.crt and without one',
    async (given) => {
      const pair = await issueLeaf(ca, { commonName: 'probewright.system.svc', dns: ['example.com'] }, Date.now(), DAY);
      putSecret(texts(pair, given?.cert));
      const { source, started } = world.given();
      await started;
      await eventually(() =>
        expect(source.problem()).toBe(
          `${told}it is not for probewright.system.svc: its subject alternative names are example.com`,
        ),
      );
    },
  );

  it('is told of when its time comes', async () => {
    putSecret(texts(first));
    const { source, started } = world.given();
    await started;
    expect(source.problem()).toBeUndefined();
    world.now += 91 * DAY;
    await eventually(() => expect(source.problem()).toContain(`${told}it has expired at `));
  });
});

describe('the CA in a Secret of the user’s', () => {
  it('is what the leader makes clients trust, byte for byte, and puts right', async () => {
    world.putConfigurations(other.cert);
    const roots = `# ours\n${ca.cert}\n`;
    putSecret(texts(first, roots));
    const { source, started } = world.given();
    const service = new TlsService();
    await service.start(await started);
    await aWhile();
    expect(world.requests('PATCH')).toHaveLength(0);
    source.lead(true);
    const expectWritten = (): Promise<void> =>
      eventually(() => {
        world.expectBundles(roots);
        expect(source.status().bundleSynced).toEqual({ mutating: true, validating: true });
      });
    await expectWritten();
    expect(world.requests('PATCH')).toHaveLength(2);
    for (const bundle of world.bundles()) await service.connect(bundle);
    world.api.put(MUTATING, configuration(other.cert));
    await expectWritten();
    expect(world.requests('PATCH')).toHaveLength(3);
  });

  it('is put where there is nothing yet by any replica', async () => {
    world.putConfigurations();
    putSecret(texts(first, ca.cert));
    await world.given().started;
    await eventually(() => world.expectBundles(ca.cert));
  });

  it('is changed for clients when the Secret holds the former and the next one', async () => {
    world.putConfigurations();
    putSecret(texts(first, ca.cert));
    const { source, started, pairs } = world.given();
    await started;
    source.lead(true);
    const steps: [Readonly<Record<string, string>>, string][] = [
      [texts(first, ca.cert), ca.cert],
      [texts(first, ca.cert + other.cert), ca.cert + other.cert],
      [texts(foreign, ca.cert + other.cert), ca.cert + other.cert],
      [texts(foreign, other.cert), other.cert],
    ];
    for (const [content, wanted] of steps) {
      putSecret(content);
      await eventually(() => world.expectBundles(wanted));
    }
    await eventually(() => expect(pairs).toEqual([first, foreign]));
  });

  it.each([
    ['has not signed the certificate', other.cert],
    ['cannot be read', 'nonsense'],
  ])('that %s is not written', async (_what, roots) => {
    world.putConfigurations(ca.cert);
    putSecret(texts(first, roots));
    const { source, started, failures } = world.given();
    await started;
    source.lead(true);
    await eventually(() =>
      expect(failures).toEqual(['the caBundle is left alone: tls.crt is not signed by what ca.crt holds']),
    );
    await aWhile();
    expect(world.requests('PATCH')).toHaveLength(0);
    putSecret(texts(first, ca.cert));
    await eventually(() => expect(source.problem()).toBeUndefined());
  });

  it('that is missing leaves the configurations alone', async () => {
    world.putConfigurations('nonsense');
    putSecret(texts(first));
    const { source, started } = world.given();
    await started;
    source.lead(true);
    await aWhile();
    expect(world.requests('PATCH')).toHaveLength(0);
    expect(source.problem()).toBeUndefined();
  });
});
