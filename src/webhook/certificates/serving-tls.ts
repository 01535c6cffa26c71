import { constants } from 'node:crypto';
import { TLSSocket, type SecureContextOptions } from 'node:tls';
import { repeat } from '../../cluster/client/timing.ts';
import { isoTimeOrNull } from '../../process/policies.ts';
import type { Socket } from 'node:net';
import type { Server } from 'node:https';
import type { Logger } from 'pino';
import type { Part } from '../../process/part.ts';
import type { ServingPair } from './pem.ts';

/** What a server is to serve with. A listener gets the first value and each change. */
export interface CertificateSource<T = ServingPair> {
  /** Resolves once the listener has the first value. Rejects without one, as a server needs a certificate. */
  start(listener: CertificateListener<T>): Promise<void>;
  stop(): void;
  /** Why the newest value cannot be used; the last good one is used meanwhile. Undefined when nothing is wrong. */
  problem(): string | undefined;
  /** Says whether this replica leads. Can be called at any time, also before start. Absent outside a cluster. */
  lead?(isLeader: boolean): void;
  status?(): CertificateStatus;
}

export interface CertificateListener<T = ServingPair> {
  readonly changed: (value: T) => void;
  /** @param isPassing true for contact that is lost: until a renewal is due, nothing is missing */
  readonly failed: (problem: string, isPassing?: boolean) => void;
}

/** How the certificates of a cluster are doing. Times are in milliseconds since the epoch. */
export interface CertificateStatus {
  readonly caNotAfter?: number | undefined;
  readonly nextNotAfter?: number | undefined;
  /** Whether each configuration trusts all that it should; undefined for one that does not exist, or without a CA. */
  readonly bundleSynced: Readonly<Record<'mutating' | 'validating', boolean | undefined>>;
}

/** What the metrics show. */
export interface CertificateFigures extends Partial<CertificateStatus> {
  readonly leafNotAfter: number | undefined;
  readonly problem?: string | undefined;
}

export interface ServingTls {
  /** What the app starts with: the pair that there is by now, and the CAs of callers, in PEM. */
  readonly settings: () => ServingPair & { readonly clientCa: string | undefined };
  /** The entry about the certificate in the answer of `/readyz`. */
  readonly details: (now: number) => Readonly<{ notAfter: string | null; expired: boolean; problems: string[] }>;
  readonly figures: (now: number) => CertificateFigures;
  /** They keep both up to date. The last one starts once there is a pair, which may take a while. */
  readonly parts: readonly Part[];
}

/** How often the log repeats that time is short. */
const REMINDER_MILLISECONDS = 60_000;
/** A renewal is tried after two thirds of a life. When less than this share is left, tries have failed for long. */
const SHORT_SHARE = 1 / 6;

/** The serving pair and the CAs of callers, swapped while the server runs. Open connections keep the old ones. */
export function servingTls(
  log: Logger,
  source: CertificateSource,
  callerCas: CertificateSource<string> | undefined,
  server: () => Server | undefined,
  now: () => number,
  reminderMilliseconds = REMINDER_MILLISECONDS,
): ServingTls {
  let pair: ServingPair | undefined;
  let servedSince = 0;
  let clientCa: string | undefined;
  const serveWith = (wanted: ServingPair): void => server()?.setSecureContext(secureContextOptions(wanted, clientCa));
  const replaceCas = (cas: string): void => {
    if (clientCa !== undefined) log.info('CAs of callers changed');
    clientCa = cas;
    if (pair !== undefined) serveWith(pair);
  };
  const replacePair = (wanted: ServingPair): void => {
    try {
      serveWith(wanted);
      if (pair !== undefined) log.info({ notAfter: new Date(wanted.notAfter).toISOString() }, 'certificate changed');
      pair = wanted;
      servedSince = now();
      remind();
    } catch (error) {
      log.error({ err: error }, 'the certificate cannot be used; the last good one stays in use');
    }
  };
  const problemsAt = (time: number): string[] =>
    [expiryProblem(pair, time), source.problem()].filter((problem) => problem !== undefined);
  const isShort = (): boolean => isTimeShort(pair, servedSince, now());
  const remind = (): void => {
    const [problem] = problemsAt(now());
    if (expiryProblem(pair, now()) !== undefined)
      log.error({ problem }, 'the certificate has expired, so every call of the API server fails');
    else if (problem !== undefined && source.status && isShort())
      log.error({ problem }, 'the certificate cannot be renewed; the last good one stays in use');
  };
  const casFailed = (problem: string): void =>
    log.error({ problem }, 'the CAs of callers cannot be used; the last good ones stay in use');
  const pairFailed = (problem: string, isPassing = false): void => {
    if (pair === undefined) log.warn({ problem }, 'no serving certificate yet');
    else if (source.status && isPassing && !isShort())
      log.warn({ problem }, 'the certificate cannot be renewed; the last good one stays in use');
    else if (source.status) log.error({ problem }, 'the certificate cannot be renewed; the last good one stays in use');
    else log.error({ problem }, 'the certificate cannot be used; the last good one stays in use');
  };
  const casPart: Part = {
    start: () => callerCas?.start({ changed: replaceCas, failed: casFailed }),
    stop: () => callerCas?.stop(),
  };
  const pairPart: Part = {
    start: () => source.start({ changed: replacePair, failed: pairFailed }),
    stop: () => source.stop(),
    lead: (isLeader) => source.lead?.(isLeader),
  };
  return {
    settings: () => {
      if (pair === undefined) throw new Error('there is no certificate to serve with');
      return { ...pair, clientCa };
    },
    details: (time) => ({
      notAfter: isoTimeOrNull(pair?.notAfter),
      expired: expiryProblem(pair, time) !== undefined,
      problems: [...problemsAt(time), callerCas?.problem()].filter((problem) => problem !== undefined),
    }),
    figures: (time) => ({ ...source.status?.(), leafNotAfter: pair?.notAfter, problem: problemsAt(time)[0] }),
    parts: [casPart, repeated(reminderMilliseconds, remind), pairPart],
  };
}

function repeated(milliseconds: number, call: () => void): Part {
  const stopped = new AbortController();
  return { start: () => void repeat(milliseconds, stopped.signal, call), stop: () => stopped.abort() };
}

function expiryProblem(pair: ServingPair | undefined, time: number): string | undefined {
  if (pair === undefined || time < pair.notAfter) return undefined;
  return `the serving certificate has expired at ${new Date(pair.notAfter).toISOString()}`;
}

function isTimeShort(pair: ServingPair | undefined, servedSince: number, time: number): boolean {
  return pair !== undefined && pair.notAfter - time < (pair.notAfter - servedSince) * SHORT_SHARE;
}

/** If callers are verified (`clientCa`), no session is resumed: it would keep a verdict with older CAs. */
export function secureContextOptions(
  { cert, key }: Record<'cert' | 'key', string>,
  clientCa: string | undefined,
): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ...(clientCa !== undefined && { ca: clientCa, secureOptions: constants.SSL_OP_NO_TICKET }),
  };
}

/**
 * Why a caller may not call; undefined if it may. The certificate itself counts, too: Node also authorizes a TLS 1.3
 * session that is resumed without one.
 *
 * @param names common names; an empty list allows any name
 */
export function callerProblem(socket: Socket, names: readonly string[]): string | undefined {
  if (!(socket instanceof TLSSocket)) return 'a client certificate is needed, and this connection has no TLS';
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return 'a client certificate is needed, and none was sent';
  if (!socket.authorized)
    return `the client certificate is not good: ${String(socket.authorizationError)}; it must be valid and signed by a CA of --client-ca`;
  if (names.length === 0) return undefined;
  // A subject with several common names gives a list, and is rejected: no rule says which name counts.
  const name: unknown = socket.getPeerCertificate().subject.CN;
  if (typeof name === 'string' && names.includes(name)) return undefined;
  return `the client certificate is for ${JSON.stringify(name)}, which is none of --client-cn`;
}
