import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { certificatesIn } from './pem.ts';
import { without } from '../../base/json/json-value.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { CaState, CertificateAuthority } from './ca-state.ts';

export interface SecretReading {
  /** The parts that can be used; all parts when there is no problem. Undefined when no CA can sign. */
  readonly state: CaState | undefined;
  /** What cannot be used; undefined when all can. */
  readonly problem: string | undefined;
  /** Whether the CA is one that Probewright has not made. */
  readonly isForeign: boolean;
}

const OUR_KEYS: readonly string[] = ['ca.crt', 'ca.key', 'next.crt', 'next.key', 'previous.crt'];
/** The keys of a serving pair, which is always somebody else's. */
const PAIR_KEYS: readonly string[] = ['tls.crt', 'tls.key'];
const NEXT_TRUSTED_SINCE = 'probewright.dev/next-trusted-since';
const PROMOTED_AT = 'probewright.dev/promoted-at';
const ROTATE = 'probewright.dev/rotate';
const SECRET_LABELS = { 'app.kubernetes.io/name': 'probewright', 'app.kubernetes.io/managed-by': 'probewright' };

type Texts = Readonly<Record<string, string>>;

const NOT_OURS = 'a CA that Probewright has not made';
/** What to set instead of putting certificates into the Secret of Probewright's own CA. */
export const REMEDY =
  'For certificates of your own, set certificates.mode to cert-manager or secret in the chart; without it, give ' +
  '--tls-secret, or --tls-cert and --tls-key';

export function authorityName(now: number): string {
  return `probewright CA ${new Date(now).toISOString().replace(/\.\d+Z$/, 'Z')}`;
}

function isOwn(certificate: X509Certificate): boolean {
  const { ca, issuer, subject } = certificate;
  const isNamed = /^CN=probewright CA \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(subject);
  return isNamed && ca && issuer === subject && certificate.verify(certificate.publicKey);
}

/**
 * Reads the Secret. A part that cannot be used is left out of the state and reported. Only a CA that Probewright has
 * made counts: clients might refuse what another one signs. An unreadable time of promotion counts as `now`, so that
 * nothing is dropped too early.
 */
export function readCaState(object: KubernetesObject, now: number): SecretReading {
  const problems: string[] = [];
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      problems.push(messageOf(error));
      return undefined;
    }
  };
  const texts = secretTexts(object);
  const { annotations = {} } = object.metadata;
  const ca = attempt(() => readAuthority(texts, 'ca'));
  const hasNext = texts['next.crt'] !== undefined || texts['next.key'] !== undefined;
  const next = hasNext ? attempt(() => readAuthority(texts, 'next')) : undefined;
  const roots = texts['previous.crt'] === undefined ? [] : attempt(() => readCertificates(texts, 'previous.crt'));
  const previous = (roots ?? []).map((root) => ({ cert: root.toString(), notAfter: root.validToDate.getTime() }));
  const nextTrustedSince = attempt(() => readTime(annotations, NEXT_TRUSTED_SINCE));
  const promotedAt = attempt(() => readTime(annotations, PROMOTED_AT));
  if (previous.length > 0 && annotations[PROMOTED_AT] === undefined)
    problems.push(`${PROMOTED_AT} is missing, so nothing says how long previous.crt is needed`);
  const state = ca && {
    ca,
    next,
    previous,
    nextTrustedSince: next && nextTrustedSince,
    promotedAt: promotedAt ?? (previous.length > 0 ? now : undefined),
    rotate: ROTATE in annotations,
  };
  const problem = problems.length === 0 ? undefined : problems.join('; ');
  return { state, problem, isForeign: problems.includes(`ca.crt is ${NOT_OURS}`) };
}

/** The Secret that keeps this state. Keys, labels and annotations of others stay. */
export function secretOf(
  state: CaState,
  address: { readonly name: string; readonly namespace: string },
  existing: KubernetesObject | undefined,
): object {
  const { nextTrustedSince, promotedAt, rotate } = state;
  const { labels, annotations = {} } = existing?.metadata ?? {};
  const time = (milliseconds: number): string => new Date(milliseconds).toISOString();
  const encoded = Object.entries(textsOf(state)).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return {
    // An existing Secret keeps its type, which cannot be changed.
    type: 'Opaque',
    ...existing,
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...(existing?.metadata ?? address),
      labels: { ...labels, ...SECRET_LABELS },
      annotations: {
        ...without(annotations, NEXT_TRUSTED_SINCE, PROMOTED_AT, ROTATE),
        ...(nextTrustedSince !== undefined && { [NEXT_TRUSTED_SINCE]: time(nextTrustedSince) }),
        ...(promotedAt !== undefined && { [PROMOTED_AT]: time(promotedAt) }),
        // The existing value is kept, so that writing a state back changes nothing.
        ...(rotate && { [ROTATE]: annotations[ROTATE] ?? 'true' }),
      },
    },
    data: {
      ...(existing && without(dataOf(existing), ...OUR_KEYS)),
      ...(Object.fromEntries(encoded) as Texts),
    },
  };
}

/**
 * Throws when a write would destroy a certificate or a key of somebody else, which may be nowhere else. A foreign CA
 * in a Secret with Probewright's labels is a mistake that can be undone when the CA is in memory (`inMemory`).
 */
export function refuseForeign(
  where: string,
  object: KubernetesObject,
  { problem, isForeign, state }: SecretReading,
  inMemory: CaState | undefined,
): void {
  const known = inMemory ?? state;
  const ours = known === undefined ? [] : Object.values(textsOf(known));
  const texts = secretTexts(object);
  const foreign = [...OUR_KEYS, ...PAIR_KEYS].filter((key) => {
    const text = texts[key] ?? '';
    return text.includes('-----BEGIN ') && !ours.includes(text);
  });
  const { labels = {} } = object.metadata;
  const isLabelled = Object.entries(SECRET_LABELS).every(([key, value]) => labels[key] === value);
  if (foreign.length === 0 || (isLabelled && (inMemory !== undefined || !isForeign))) return;
  throw new Error(
    `${where} is left alone, because ${foreign.join(', ')} may be somebody else's. It cannot be used: ` +
      `${problem ?? ''}. ${REMEDY}. For Probewright's own CA, delete the Secret, or set ` +
      'certificates.own.caSecret (--ca-secret) to another name',
  );
}

/** The texts of a Secret, decoded; none for empty ones. */
export function secretTexts(object: KubernetesObject): Texts {
  const texts = Object.entries(dataOf(object)).filter(([, value]) => value !== '');
  return Object.fromEntries(texts.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

function dataOf(object: KubernetesObject): Texts {
  return (object as { data?: Texts | null }).data ?? {};
}

function textsOf({ ca, next, previous }: CaState): Texts {
  return {
    'ca.crt': ca.cert,
    'ca.key': ca.key,
    ...(next && { 'next.crt': next.cert, 'next.key': next.key }),
    ...(previous.length > 0 && { 'previous.crt': previous.map(({ cert }) => cert).join('') }),
  };
}

function readAuthority(texts: Texts, prefix: 'ca' | 'next'): CertificateAuthority {
  const [certKey, keyKey] = [`${prefix}.crt`, `${prefix}.key`];
  if (texts[keyKey] === undefined && texts[certKey] !== undefined) throw new Error(`${keyKey} is missing`);
  const certificates = readCertificates(texts, certKey);
  const [certificate] = certificates;
  if (certificate === undefined || certificates.length > 1)
    throw new Error(`${certKey} holds ${certificates.length} certificates where one is wanted`);
  if (!isOwn(certificate)) throw new Error(`${certKey} is ${NOT_OURS}`);
  const key = readKey(keyKey, texts[keyKey] ?? '');
  if (!certificate.checkPrivateKey(key)) throw new Error(`${keyKey} does not belong to ${certKey}`);
  return {
    cert: certificate.toString(),
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
  };
}

function readCertificates(texts: Texts, key: string): readonly X509Certificate[] {
  const text = texts[key];
  if (text === undefined) throw new Error(`${key} is missing`);
  const certificates = certificatesIn(text);
  if (certificates.length === 0) throw new Error(`${key} is not PEM-encoded X.509`);
  return certificates;
}

function readKey(name: string, text: string): KeyObject {
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

function readTime(annotations: Texts, name: string): number | undefined {
  const text = annotations[name];
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Error(`${name} is not a time: ${JSON.stringify(text)}`);
  return time;
}
