import type { ServeConfig, ServeConnection } from './config.ts';

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
