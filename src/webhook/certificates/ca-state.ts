import { createPrivateKey } from 'node:crypto';
import { certificatesIn } from './ca-bundle.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { KeyObject, X509Certificate } from 'node:crypto';
import type { CertificateAuthority, TrustRoot } from './trust-root.ts';

/** The state that the replicas share: the CAs, and the progress of a rotation. */
export interface CaState {
  /** Signs leaves. */
  readonly ca: CertificateAuthority;
  /** Will sign leaves once clients have trusted it for long enough. */
  readonly next: CertificateAuthority | undefined;
  /** Have signed leaves that may still be served. */
  readonly previous: readonly TrustRoot[];
  /** Since when every client has been seen to trust `next`, in milliseconds since the epoch. */
  readonly nextTrustedSince: number | undefined;
  /** When `ca` began to sign, in milliseconds since the epoch. Known whenever there is a `previous`. */
  readonly promotedAt: number | undefined;
  /** Whether the annotation asks for a rotation now. */
  readonly rotate: boolean;
}

/** The part of a Secret that a state is kept in. */
export interface SecretContent {
  /** Base64, as in the Secret. */
  readonly data: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The result of reading a Secret. */
export interface SecretReading {
  /** The parts that can be used; all parts when there is no problem. Undefined when no CA can sign. */
  readonly state: CaState | undefined;
  /** The problems, a sentence each. A sentence begins with the key or the annotation. */
  readonly problems: readonly string[];
}

const NEXT_TRUSTED_SINCE = 'probewright.dev/next-trusted-since';
const PROMOTED_AT = 'probewright.dev/promoted-at';
const ROTATE = 'probewright.dev/rotate';

/** The labels of the Secret. */
export const SECRET_LABELS = {
  'app.kubernetes.io/name': 'probewright',
  'app.kubernetes.io/managed-by': 'probewright',
} as const;

const OUR_KEYS = ['ca.crt', 'ca.key', 'next.crt', 'next.key', 'previous.crt'] as const;
const OUR_ANNOTATIONS = [NEXT_TRUSTED_SINCE, PROMOTED_AT, ROTATE] as const;
type OurKey = (typeof OUR_KEYS)[number];

/** A state that begins with this CA. */
export function initialState(ca: CertificateAuthority): CaState {
  return { ca, next: undefined, previous: [], nextTrustedSince: undefined, promotedAt: undefined, rotate: false };
}

/**
 * Everything that clients are to trust, the signing CA first.
 */
export function trustedBy(state: CaState): readonly TrustRoot[] {
  return [state.ca, ...(state.next === undefined ? [] : [state.next]), ...state.previous];
}

/**
 * Reads a Secret's content. A part that cannot be used is left out of the state and reported; the rest can be used.
 * IssuanceTrials says whether clients accept what the CAs sign.
 *
 * @param now the wall clock, in milliseconds since the epoch: an unreadable time of promotion counts as now, so that
 * nothing is dropped too early
 */
export function readCaState(content: SecretContent, now: number): SecretReading {
  const problems: string[] = [];
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      problems.push(messageOf(error));
      return undefined;
    }
  };
  const text = (key: OurKey): string | undefined => {
    const value = content.data[key];
    return value === undefined || value === '' ? undefined : Buffer.from(value, 'base64').toString('utf8');
  };

  const ca = attempt(() => readAuthority('ca.crt', text('ca.crt'), 'ca.key', text('ca.key')));
  const hasNext = text('next.crt') !== undefined || text('next.key') !== undefined;
  const next = hasNext
    ? attempt(() => readAuthority('next.crt', text('next.crt'), 'next.key', text('next.key')))
    : undefined;
  const previous = attempt(() => readRoots('previous.crt', text('previous.crt'))) ?? [];
  const nextTrustedSince = attempt(() => readTime(NEXT_TRUSTED_SINCE, content.annotations[NEXT_TRUSTED_SINCE]));
  const promotedAt = attempt(() => {
    const time = readTime(PROMOTED_AT, content.annotations[PROMOTED_AT]);
    if (time === undefined && previous.length > 0)
      throw new Error(`${PROMOTED_AT} is missing, so nothing says how long previous.crt is needed`);
    return time;
  });
  if (ca === undefined) return { state: undefined, problems };
  const state = {
    ca,
    next,
    previous,
    nextTrustedSince: next && nextTrustedSince,
    promotedAt: promotedAt ?? (previous.length > 0 ? now : undefined),
    rotate: content.annotations[ROTATE] !== undefined,
  };
  return { state, problems };
}

/** The content of a Secret that keeps this state. Keys and annotations of others stay. */
export function writeCaState(state: CaState, existing?: SecretContent): SecretContent {
  const previous = state.previous.map(({ cert }) => cert).join('');
  const texts: Partial<Record<OurKey, string>> = {
    'ca.crt': state.ca.cert,
    'ca.key': state.ca.key,
    ...(state.next && { 'next.crt': state.next.cert, 'next.key': state.next.key }),
    ...(previous !== '' && { 'previous.crt': previous }),
  };
  const data = Object.entries(texts).map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const);
  return {
    data: { ...without(existing?.data, OUR_KEYS), ...Object.fromEntries(data) },
    annotations: {
      ...without(existing?.annotations, OUR_ANNOTATIONS),
      ...(state.nextTrustedSince !== undefined && { [NEXT_TRUSTED_SINCE]: isoTime(state.nextTrustedSince) }),
      ...(state.promotedAt !== undefined && { [PROMOTED_AT]: isoTime(state.promotedAt) }),
      // The existing value is kept, so that writing a state back changes nothing.
      ...(state.rotate && { [ROTATE]: existing?.annotations[ROTATE] ?? 'true' }),
    },
  };
}

/**
 * The keys of a Secret under which there is a certificate or a private key that a state lacks. They count even when
 * they cannot be used.
 */
export function keysBeyond(data: SecretContent['data'], state: CaState | undefined): readonly string[] {
  const authorities = state === undefined ? [] : [state.ca, ...(state.next === undefined ? [] : [state.next])];
  const certificates = new Set((state === undefined ? [] : trustedBy(state)).map(({ cert }) => cert.trim()));
  const privateKeys = authorities.map(({ key }) => createPrivateKey(key));
  return OUR_KEYS.filter((name) => {
    const text = Buffer.from(data[name] ?? '', 'base64').toString('utf8');
    if (PRIVATE_KEY.test(text)) return !privateKeys.some((known) => isKey(text, known));
    const found = certificatesIn(text);
    const areKnown = found.length > 0 && found.every((certificate) => certificates.has(certificate.toString().trim()));
    return text.includes('-----BEGIN CERTIFICATE-----') && !areKnown;
  });
}

/** Of a private key of any kind, also an encrypted one. */
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]{1,20} ){0,2}PRIVATE KEY-----/;

/** False for a text that cannot be read, or that needs a passphrase. */
function isKey(text: string, known: KeyObject): boolean {
  try {
    return createPrivateKey(text).equals(known);
  } catch {
    return false;
  }
}

function readAuthority(
  certKey: OurKey,
  certText: string | undefined,
  keyKey: OurKey,
  keyText: string | undefined,
): CertificateAuthority {
  if (certText === undefined) throw new Error(`${certKey} is missing`);
  if (keyText === undefined) throw new Error(`${keyKey} is missing`);
  const certificates = readCertificates(certKey, certText);
  const [certificate] = certificates;
  if (certificate === undefined || certificates.length > 1)
    throw new Error(`${certKey} holds ${certificates.length} certificates where one is wanted`);
  const key = readKey(keyKey, keyText);
  if (!certificate.checkPrivateKey(key)) throw new Error(`${keyKey} does not belong to ${certKey}`);
  return {
    cert: certificate.toString(),
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
  };
}

function readRoots(key: OurKey, text: string | undefined): readonly TrustRoot[] {
  if (text === undefined) return [];
  return readCertificates(key, text).map((certificate) => ({
    cert: certificate.toString(),
    notAfter: certificate.validToDate.getTime(),
  }));
}

function readCertificates(key: OurKey, text: string): readonly X509Certificate[] {
  const certificates = certificatesIn(text);
  if (certificates.length === 0) throw new Error(`${key} is not PEM-encoded X.509`);
  return certificates;
}

function readKey(name: OurKey, text: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch (error) {
    throw new Error(`${name} is not a PEM-encoded private key`, { cause: error });
  }
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error(`${name} is no ECDSA P-256 key`);
  return key;
}

function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Error(`${name} is not a time: ${JSON.stringify(text)}`);
  return time;
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function without(
  record: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(record ?? {}).filter(([key]) => !keys.includes(key)));
}
