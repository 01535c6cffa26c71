import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { initialState, readCaState, trustedBy, writeCaState } from '../../../src/webhook/certificates/ca-state.ts';
import { createAuthority } from '../../../src/webhook/certificates/certificate-authority.ts';
import type { CaState, SecretContent } from '../../../src/webhook/certificates/ca-state.ts';

const NOW = Date.UTC(2026, 10, 21, 7, 23, 56);
const DAY = 86_400_000;
const [ca, next, first, second] = await Promise.all(
  ['ca', 'next', 'first', 'second'].map((name) => createAuthority(name, NOW, DAY)),
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

/** The content of `full`, but for these texts; undefined leaves a key out. */
function content(
  texts: Readonly<Record<string, string | undefined>>,
  annotations: SecretContent['annotations'] = {},
): SecretContent {
  const whole = writeCaState(full);
  const changes = Object.entries(texts).map(([key, text]) => [key, text === undefined ? '' : base64(text)]);
  return {
    data: { ...whole.data, ...(Object.fromEntries(changes) as Record<string, string>) },
    annotations: { ...whole.annotations, ...annotations },
  };
}

describe('the state of the CAs in a Secret', () => {
  it.each<[string, CaState]>([
    ['with everything', full],
    ['with one CA only', initialState(ca)],
  ])('is read as it was written, %s', (_what, state) => {
    expect(readCaState(writeCaState(state), NOW)).toEqual({ state, problems: [] });
  });

  it('is kept under the keys and annotations that the documentation names', () => {
    const { data, annotations } = writeCaState(full);
    const texts = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]);
    expect(Object.fromEntries(texts)).toEqual({
      'ca.crt': ca.cert,
      'ca.key': ca.key,
      'next.crt': next.cert,
      'next.key': next.key,
      'previous.crt': first.cert + second.cert,
    });
    expect(annotations).toEqual({
      'probewright.dev/next-trusted-since': '2026-11-21T07:23:51.000Z',
      'probewright.dev/promoted-at': '2026-11-21T07:23:47.000Z',
      'probewright.dev/rotate': 'true',
    });
  });

  it('leaves what others put into the Secret, and takes away what it no longer needs itself', () => {
    const existing = content({ 'notes.txt': 'mine' }, { team: 'a', 'probewright.dev/rotate': 'now please' });
    const written = writeCaState(initialState(ca), existing);
    expect(Object.keys(written.data).sort()).toEqual(['ca.crt', 'ca.key', 'notes.txt']);
    expect(written.annotations).toEqual({ team: 'a' });
    expect(writeCaState(full, existing)).toEqual(existing);
  });

  it('makes clients trust the signing, the next and the previous CAs, in this order', () => {
    expect(trustedBy(full).map(({ cert }) => cert)).toEqual([ca.cert, next.cert, first.cert, second.cert]);
  });
});

const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });

describe('a Secret that is spoilt', () => {
  it.each<[string, SecretContent, string]>([
    ['no ca.crt', content({ 'ca.crt': undefined }), 'ca.crt is missing'],
    ['no ca.key', content({ 'ca.key': undefined }), 'ca.key is missing'],
    ['a ca.crt that is no PEM', content({ 'ca.crt': 'hello' }), 'ca.crt is not PEM-encoded X.509'],
    ['two in ca.crt', content({ 'ca.crt': ca.cert + next.cert }), 'ca.crt holds 2 certificates where one is wanted'],
    ['a ca.key that is no PEM', content({ 'ca.key': 'hello' }), 'ca.key is not a PEM-encoded private key'],
    ['an RSA key', content({ 'ca.key': rsaKey as string }), 'ca.key is no ECDSA P-256 key'],
    ['the key of another CA', content({ 'ca.key': next.key }), 'ca.key does not belong to ca.crt'],
  ])('with %s has no state', (_what, secret, problem) => {
    expect(readCaState(secret, NOW)).toEqual({ state: undefined, problems: [problem] });
  });

  it('that is empty has no state', () => {
    expect(readCaState({ data: {}, annotations: {} }, NOW).problems).toEqual(['ca.crt is missing']);
  });

  it.each<[string, SecretContent, string, Partial<CaState>]>([
    [
      'a next CA without its key',
      content({ 'next.key': undefined }),
      'next.key is missing',
      { next: undefined, nextTrustedSince: undefined },
    ],
    [
      'a next CA with the key of another',
      content({ 'next.key': ca.key }),
      'next.key does not belong to next.crt',
      { next: undefined, nextTrustedSince: undefined },
    ],
    ['bad previous CAs', content({ 'previous.crt': 'x' }), 'previous.crt is not PEM-encoded X.509', { previous: [] }],
    [
      'a bad time of trust',
      content({}, { 'probewright.dev/next-trusted-since': 'soon' }),
      'probewright.dev/next-trusted-since is not a time: "soon"',
      { nextTrustedSince: undefined },
    ],
    [
      'a bad time of promotion, which counts as now',
      content({}, { 'probewright.dev/promoted-at': '?' }),
      'probewright.dev/promoted-at is not a time: "?"',
      { promotedAt: NOW },
    ],
  ])('with %s keeps what can be used', (_what, secret, problem, change) => {
    expect(readCaState(secret, NOW)).toEqual({ state: { ...full, ...change }, problems: [problem] });
  });

  it('with previous CAs that nothing says the end of keeps them, from now on', () => {
    const { data, annotations } = content({});
    const rest = { ...annotations };
    delete rest['probewright.dev/promoted-at'];
    const { state, problems } = readCaState({ data, annotations: rest }, NOW);
    expect(state?.promotedAt).toBe(NOW);
    expect(problems).toEqual([
      'probewright.dev/promoted-at is missing, so nothing says how long previous.crt is needed',
    ]);
  });
});
