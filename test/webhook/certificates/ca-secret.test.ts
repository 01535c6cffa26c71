import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authorityName, readCaState, refuseForeign, secretOf } from '../../../src/webhook/certificates/ca-secret.ts';
import { initialState, trustedBy, type CaState } from '../../../src/webhook/certificates/ca-state.ts';
import { createAuthority } from '../../../src/webhook/certificates/certificate-authority.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';

const NOW = Date.UTC(2026, 10, 21, 7, 23, 56);
const DAY = 86_400_000;
const [ca, next, first, second] = await Promise.all(
  [0, 1, 2, 3].map((seconds) => createAuthority(authorityName(NOW + seconds * 1000), NOW, DAY)),
);
if (ca === undefined || next === undefined || first === undefined || second === undefined) throw new Error('no CAs');
const root = ({ cert, notAfter }: { cert: string; notAfter: number }): { cert: string; notAfter: number } => ({
  cert,
  notAfter,
});
const full: CaState = {
  ca,
  next,
  previous: [root(first), root(second)],
  nextTrustedSince: NOW - 5000,
  promotedAt: NOW - 9000,
  rotate: true,
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface Secret extends KubernetesObject {
  readonly data: Readonly<Record<string, string>>;
}
const ADDRESS = { name: 'probewright-ca', namespace: 'system' };
const written = (state: CaState, existing?: Secret): Secret => secretOf(state, ADDRESS, existing) as Secret;

/** The Secret of `full`, but for these texts; undefined leaves a key out. */
function secret(
  texts: Readonly<Record<string, string | undefined>>,
  annotations: Readonly<Record<string, string>> = {},
  labels?: Readonly<Record<string, string>>,
): Secret {
  const { metadata, data, ...rest } = written(full);
  const changes = Object.entries(texts).map(([key, text]) => [key, text === undefined ? '' : base64(text)]);
  return {
    ...rest,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, ...annotations },
      labels: labels ?? metadata.labels ?? {},
    },
    data: { ...data, ...(Object.fromEntries(changes) as Record<string, string>) },
  };
}

describe('the state of the CAs in a Secret', () => {
  it.each<[string, CaState]>([
    ['with everything', full],
    ['with one CA only', initialState(ca)],
  ])('is read as it was written, %s', (_what, state) =>
    expect(readCaState(written(state), NOW)).toEqual({ state, problem: undefined, isForeign: false }),
  );

  it('is kept under the keys and annotations that the documentation names', () => {
    const { data, metadata } = written(full);
    const texts = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]);
    expect(Object.fromEntries(texts)).toEqual({
      'ca.crt': ca.cert,
      'ca.key': ca.key,
      'next.crt': next.cert,
      'next.key': next.key,
      'previous.crt': first.cert + second.cert,
    });
    expect(metadata.annotations).toEqual({
      'probewright.dev/next-trusted-since': '2026-11-21T07:23:51.000Z',
      'probewright.dev/promoted-at': '2026-11-21T07:23:47.000Z',
      'probewright.dev/rotate': 'true',
    });
  });

  it('leaves what others put into the Secret, and takes away what it no longer needs itself', () => {
    const existing = secret({ 'notes.txt': 'mine' }, { team: 'a', 'probewright.dev/rotate': 'now please' });
    const { data, metadata } = written(initialState(ca), existing);
    expect(Object.keys(data).sort()).toEqual(['ca.crt', 'ca.key', 'notes.txt']);
    expect(metadata.annotations).toEqual({ team: 'a' });
    expect(written(full, existing)).toEqual(existing);
  });

  it('makes clients trust the signing, the next and the previous CAs, in this order', () =>
    expect(trustedBy(full).map(({ cert }) => cert)).toEqual([ca.cert, next.cert, first.cert, second.cert]));
});

const PKCS8 = { type: 'pkcs8', format: 'pem' } as const;
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(PKCS8) as string;
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;

describe('a Secret that is spoilt', () => {
  it.each<[string, Secret, string]>([
    ['no ca.crt', secret({ 'ca.crt': undefined }), 'ca.crt is missing'],
    ['no ca.key', secret({ 'ca.key': undefined }), 'ca.key is missing'],
    ['a ca.crt that is no PEM', secret({ 'ca.crt': 'hello' }), 'ca.crt is not PEM-encoded X.509'],
    ['two in ca.crt', secret({ 'ca.crt': ca.cert + next.cert }), 'ca.crt holds 2 certificates where one is wanted'],
    ['a ca.key that is no PEM', secret({ 'ca.key': 'hello' }), 'ca.key is not a PEM-encoded private key'],
    ['an RSA key', secret({ 'ca.key': rsaKey }), 'ca.key is no ECDSA P-256 key'],
    ['the key of another CA', secret({ 'ca.key': next.key }), 'ca.key does not belong to ca.crt'],
  ])('with %s has no state', (_what, object, problem) =>
    expect(readCaState(object, NOW)).toEqual({ state: undefined, problem, isForeign: false }),
  );

  it('that is empty has no state', () =>
    expect(readCaState({ metadata: ADDRESS }, NOW).problem).toBe('ca.crt is missing'));

  it.each<[string, Secret, string, Partial<CaState>]>([
    [
      'a next CA without its key',
      secret({ 'next.key': undefined }),
      'next.key is missing',
      { next: undefined, nextTrustedSince: undefined },
    ],
    [
      'a next CA with the key of another',
      secret({ 'next.key': ca.key }),
      'next.key does not belong to next.crt',
      { next: undefined, nextTrustedSince: undefined },
    ],
    ['bad previous CAs', secret({ 'previous.crt': 'x' }), 'previous.crt is not PEM-encoded X.509', { previous: [] }],
    [
      'a bad time of trust',
      secret({}, { 'probewright.dev/next-trusted-since': 'soon' }),
      'probewright.dev/next-trusted-since is not a time: "soon"',
      { nextTrustedSince: undefined },
    ],
    [
      'a bad time of promotion, which counts as now',
      secret({}, { 'probewright.dev/promoted-at': '?' }),
      'probewright.dev/promoted-at is not a time: "?"',
      { promotedAt: NOW },
    ],
  ])('with %s keeps what can be used', (_what, object, problem, change) => {
    const state = { ...full, ...change };
    expect(readCaState(object, NOW)).toEqual({ state, problem, isForeign: false });
  });

  it('with previous CAs that nothing says the end of keeps them, from now on', () => {
    const { metadata, ...rest } = secret({});
    const annotations = { ...metadata.annotations };
    delete annotations['probewright.dev/promoted-at'];
    const { state, problem } = readCaState({ ...rest, metadata: { ...metadata, annotations } }, NOW);
    expect(state?.promotedAt).toBe(NOW);
    expect(problem).toBe('probewright.dev/promoted-at is missing, so nothing says how long previous.crt is needed');
  });
});

describe('a Secret of somebody else', () => {
  const somebody = createAuthority('somebody', NOW, DAY);
  const foreign = async (labels?: Readonly<Record<string, string>>): Promise<Secret> => {
    const { cert, key } = await somebody;
    return secret({ 'ca.crt': cert, 'ca.key': key, 'next.crt': '', 'next.key': '', 'previous.crt': '' }, {}, labels);
  };
  const refusal = (object: Secret, inMemory?: CaState): (() => void) => {
    const reading = readCaState(object, NOW);
    return () => refuseForeign('Secret system/probewright-ca', object, reading, inMemory);
  };

  it('has no state: Probewright uses only a CA that it has made', async () => {
    const { state, problem, isForeign } = readCaState(await foreign(), NOW);
    expect(state).toBeUndefined();
    expect(problem).toContain('ca.crt is a CA that Probewright has not made');
    expect(isForeign).toBe(true);
  });

  it('is told from one that only has the name of ours', async () => {
    const { cert } = await createAuthority('probewright CA', NOW, DAY);
    expect(readCaState(secret({ 'ca.crt': cert }), NOW).isForeign).toBe(true);
  });

  it('is never overwritten, and the message says what to set instead', async () => {
    const message =
      /^Secret system\/probewright-ca is left alone, because ca\.crt, ca\.key may be somebody else's\. It cannot be used: .*certificates\.mode to cert-manager or secret .*--tls-secret, or --tls-cert and --tls-key\. .*delete the Secret, or set certificates\.own\.caSecret \(--ca-secret\) to another name$/;
    expect(refusal(await foreign({}))).toThrow(message);
    expect(refusal(await foreign({}), full)).toThrow(message);
    expect(refusal(await foreign())).toThrow(message);
  });

  it('with the labels of ours is put right from memory', async () =>
    expect(refusal(await foreign(), full)).not.toThrow());

  it('is what is not in memory, and not what was ours and got lost its labels', () => {
    expect(refusal(secret({ 'ca.crt': 'nonsense' }, {}, {}), full)).not.toThrow();
    const keys = [rsaKey, p384.export(PKCS8), p384.export({ ...PKCS8, cipher: 'aes-256-cbc', passphrase: 'secret' })];
    for (const key of keys) {
      const object = secret({ 'ca.crt': 'nonsense', 'ca.key': key as string }, {}, {});
      expect(refusal(object, full)).toThrow('because ca.key may');
    }
    expect(refusal(secret({ 'ca.crt': ca.cert + next.cert }, {}, {}), full)).toThrow('because ca.crt may');
    expect(refusal(secret({ 'ca.crt': 'nonsense', 'tls.key': rsaKey }, {}, {}), full)).toThrow('because tls.key');
  });
});
