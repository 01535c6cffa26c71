import { CertificateFiles } from './certificates/certificate-files.ts';
import type { Logger } from 'pino';
import type { CertificateSource } from './certificates/certificate-source.ts';
import type { ServeConfig, ServeConnection } from './config.ts';

/** The dependencies for opening the source of the serving pair. */
export interface OpeningDependencies {
  readonly log: Logger;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Tells the person who started the process, beside the log. */
  readonly notice: (text: string) => void;
}

/** Where the serving pair comes from. */
export type CertificateOrigin =
  | { readonly kind: 'files'; readonly certFile: string; readonly keyFile: string }
  /** A pair for localhost, made by this process. */
  | { readonly kind: 'development'; readonly directory: string }
  /** Probewright's own CA, in a Secret that the replicas share. */
  | { readonly kind: 'own-ca'; readonly connection: ServeConnection }
  /** A Secret of type kubernetes.io/tls that somebody else keeps up to date. */
  | { readonly kind: 'secret'; readonly secretName: string; readonly connection: ServeConnection };

/** Below the working directory. */
const DEVELOPMENT_DIRECTORY = 'certs';

/**
 * Files come first, then a Secret that the settings name. Without either: Probewright's own CA in a cluster, a
 * development pair elsewhere.
 *
 * @param connection undefined when no cluster is spoken to
 */
export function certificateOrigin(
  { tlsCert, tlsKey }: Pick<ServeConfig, 'tlsCert' | 'tlsKey'>,
  connection: ServeConnection | undefined,
): CertificateOrigin {
  if (tlsCert !== undefined && tlsKey !== undefined) return { kind: 'files', certFile: tlsCert, keyFile: tlsKey };
  if (connection === undefined) return { kind: 'development', directory: DEVELOPMENT_DIRECTORY };
  const { tlsSecret: secretName } = connection.config;
  return secretName === undefined ? { kind: 'own-ca', connection } : { kind: 'secret', secretName, connection };
}

/**
 * Opens the source of the serving pair and logs which one it is. Only a development pair is made and read here;
 * everything else is read when the source starts. Rejects with an Error for people when a development pair cannot be
 * made.
 */
export async function openCertificates(
  origin: CertificateOrigin,
  { log, now, notice }: OpeningDependencies,
): Promise<CertificateSource> {
  const chosen = (fields: object): void => log.info({ origin: origin.kind, ...fields }, 'serving certificate chosen');
  if (origin.kind === 'files') {
    const { certFile, keyFile } = origin;
    chosen({ certFile, keyFile });
    return new CertificateFiles(certFile, keyFile);
  }
  if (origin.kind === 'development') {
    const { caFile, certFile, keyFile } = await makeDevelopmentPair(origin.directory, now());
    chosen({ certFile, keyFile, caFile });
    notice(`development certificate for localhost; its CA is ${caFile}`);
    return new CertificateFiles(certFile, keyFile);
  }
  const { client, namespace, config } = origin.connection;
  const { serviceName: service, webhookConfigurations: configurationName, certificateCheck: check } = config;
  const secretName = origin.kind === 'secret' ? origin.secretName : config.caSecret;
  chosen({ namespace, secret: secretName });
  const settings = { namespace, service, configurationName, check, secretName };
  const dependencies = { log, now, random: Math.random, watchRenewalMilliseconds: config.watchRenewal };
  if (origin.kind === 'secret') {
    const { SecretCertificates } = await import('./certificates/secret-certificates.ts');
    return new SecretCertificates(client, settings, dependencies);
  }
  // Loaded when needed only: the library that makes certificates takes time and memory.
  const { OwnCertificates } = await import('./certificates/own-certificates.ts');
  const { caLifetime, leafLifetime, caOverlap: overlap } = config;
  return new OwnCertificates(client, { ...settings, caLifetime, leafLifetime, overlap }, dependencies);
}

async function makeDevelopmentPair(
  directory: string,
  now: number,
): Promise<{ readonly caFile: string; readonly certFile: string; readonly keyFile: string }> {
  // Loaded when needed only, as above.
  const { developmentPair } = await import('./certificates/development-pair.ts');
  return developmentPair(directory, now).catch((error: unknown) => {
    throw new Error(
      `no --tls-cert and --tls-key, and no development pair can be made in ${directory}/: ${String(error)}`,
      { cause: error },
    );
  });
}
