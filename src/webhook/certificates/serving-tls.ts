import { constants } from 'node:crypto';
import { TLSSocket, type SecureContextOptions } from 'node:tls';
import { isoTimeOrNull } from '../../process/policies.ts';
import type { Socket } from 'node:net';
import type { Server } from 'node:https';
import type { Logger } from 'pino';
import type { Part } from '../../process/part.ts';
import type { ServingPair } from './pem.ts';

/** What a server is to serve with, and what changes of it are told to a listener. */
export interface CertificateSource<T = ServingPair> {
  /** Reads the first value. Rejects when there is none: a server without a certificate cannot serve. */
  start(listener: CertificateListener<T>): Promise<T>;
  stop(): void;
  /** Why the newest value cannot be used; the last good one is used meanwhile. Undefined when nothing is wrong. */
  problem(): string | undefined;
  /** Says whether this replica leads. Can be called at any time, also before start. Absent outside a cluster. */
  lead?(isLeader: boolean): void;
  status?(): CertificateStatus;
}

export interface CertificateListener<T = ServingPair> {
  readonly changed: (value: T) => void;
  readonly failed: (problem: string) => void;
}

/** How the certificates of a cluster are doing. Times are in milliseconds since the epoch. */
export interface CertificateStatus {
  readonly caNotAfter?: number | undefined;
  readonly nextNotAfter?: number | undefined;
  /** Whether each configuration trusts all that it should; undefined for one that does not exist, or without a CA. */
  readonly bundleSynced: Readonly<Record<'mutating' | 'validating', boolean | undefined>>;
  /** How often one kind of write had one result. */
  readonly writes: readonly { readonly step: string; readonly result: string; readonly count: number }[];
}

/** What the metrics show. */
export interface CertificateFigures extends Partial<CertificateStatus> {
  readonly leafNotAfter: number | undefined;
  readonly problem?: string | undefined;
}

/** Both are swapped while the server runs: open connections go on under the old ones. */
export class ServingTls {
  readonly #log: Logger;
  readonly #source: CertificateSource;
  readonly #callerCas: CertificateSource<string> | undefined;
  readonly #server: () => Server | undefined;
  #pair: ServingPair | undefined;
  #clientCa: string | undefined;

  constructor(
    log: Logger,
    source: CertificateSource,
    callerCas: CertificateSource<string> | undefined,
    server: () => Server | undefined,
  ) {
    this.#log = log;
    this.#source = source;
    this.#callerCas = callerCas;
    this.#server = server;
  }

  /** What the app starts with: the pair that there is by now, and the CAs of callers, in PEM. */
  get settings(): ServingPair & { readonly clientCa: string | undefined } {
    if (this.#pair === undefined) throw new Error('there is no certificate to serve with');
    return { ...this.#pair, clientCa: this.#clientCa };
  }

  /** The entry about the certificate in the answer of `/readyz`. */
  details(now: number): { readonly notAfter: string | null; readonly expired: boolean; readonly problems: string[] } {
    const notAfter = this.#pair?.notAfter;
    const problems = [this.#source.problem(), this.#callerCas?.problem()].filter((problem) => problem !== undefined);
    return { notAfter: isoTimeOrNull(notAfter), expired: notAfter !== undefined && notAfter <= now, problems };
  }

  figures(): CertificateFigures {
    return { ...this.#source.status?.(), leafNotAfter: this.#pair?.notAfter, problem: this.#source.problem() };
  }

  /** The parts that keep both up to date. The last one starts once there is a pair, which may take a while. */
  parts(): readonly Part[] {
    return [...(this.#callerCas === undefined ? [] : [this.#callersPart(this.#callerCas)]), this.#pairPart()];
  }

  #callersPart(source: CertificateSource<string>): Part {
    const listener = {
      changed: (clientCa: string) => {
        this.#clientCa = clientCa;
        if (this.#pair !== undefined) this.#serveWith(this.#pair);
        this.#log.info('CAs of callers changed');
      },
      failed: (problem: string) =>
        this.#log.error({ problem }, 'the CAs of callers cannot be used; the last good ones stay in use'),
    };
    const start = async (): Promise<void> => {
      this.#clientCa = await source.start(listener);
    };
    return { start, stop: () => source.stop() };
  }

  #pairPart(): Part {
    const [log, source] = [this.#log, this.#source];
    const listener = {
      changed: (pair: ServingPair) => this.#replacePair(pair),
      failed: (problem: string) => {
        if (this.#pair === undefined) log.warn({ problem }, 'no serving certificate yet');
        else if (source.status)
          log.error({ problem }, 'the certificate cannot be renewed; the last good one stays in use');
        else log.error({ problem }, 'the certificate cannot be used; the last good one stays in use');
      },
    };
    const start = async (): Promise<void> => {
      this.#pair = await source.start(listener);
    };
    return { start, stop: () => source.stop(), lead: (isLeader) => source.lead?.(isLeader) };
  }

  #replacePair(pair: ServingPair): void {
    try {
      this.#serveWith(pair);
      this.#pair = pair;
      this.#log.info({ notAfter: new Date(pair.notAfter).toISOString() }, 'certificate changed');
    } catch (error) {
      this.#log.error({ err: error }, 'the certificate cannot be used; the last good one stays in use');
    }
  }

  #serveWith(pair: ServingPair): void {
    this.#server()?.setSecureContext(secureContextOptions(pair, this.#clientCa));
  }
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
