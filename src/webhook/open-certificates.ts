import { CertificateFiles } from './certificates/certificate-files.ts';
import type { CertificateSource } from './certificates/certificate-source.ts';
import type { ServeConfig, ServeConnection, ServeDependencies } from './config.ts';

const DEVELOPMENT_DIRECTORY = 'certs';

/**
 * Opens the source of the serving pair and logs which one it is. Files come first, then a Secret that the settings
 * name, then Probewright's own CA in a cluster, or a development pair. Rejects when that cannot be made.
 */
export async function openCertificates(
  { tlsCert, tlsKey }: Pick<ServeConfig, 'tlsCert' | 'tlsKey'>,
  connection: ServeConnection | undefined,
  { log, now, notice }: Pick<ServeDependencies, 'log' | 'now' | 'notice'>,
): Promise<CertificateSource> {
  const chosen = (origin: string, fields: object): void =>
    log.info({ origin, ...fields }, 'serving certificate chosen');
  if (tlsCert !== undefined && tlsKey !== undefined) {
    chosen('files', { certFile: tlsCert, keyFile: tlsKey });
    return new CertificateFiles(tlsCert, tlsKey);
  }
  if (connection === undefined) {
    // Loaded when needed only: the library that makes certificates takes time and memory.
    const { developmentPair } = await import('./certificates/development-pair.ts');
    const pair = await developmentPair(DEVELOPMENT_DIRECTORY, now()).catch((error: unknown) => {
      const what = `no development pair can be made in ${DEVELOPMENT_DIRECTORY}/`;
      throw new Error(`no --tls-cert and --tls-key, and ${what}: ${String(error)}`, { cause: error });
    });
    const { certFile, keyFile, caFile } = pair;
    chosen('development', { certFile, keyFile, caFile });
    notice(`development certificate for localhost; its CA is ${caFile}`);
    return new CertificateFiles(certFile, keyFile);
  }
  const { client, namespace, config } = connection;
  const { serviceName: service, webhookConfigurations: configurationName, certificateCheck: check, tlsSecret } = config;
  const secretName = tlsSecret ?? config.caSecret;
  chosen(tlsSecret === undefined ? 'own-ca' : 'secret', { namespace, secret: secretName });
  const settings = { namespace, service, configurationName, check, secretName };
  const dependencies = { log, now, random: Math.random, watchRenewalMilliseconds: config.watchRenewal };
  if (tlsSecret !== undefined) {
    const { SecretCertificates } = await import('./certificates/secret-certificates.ts');
    return new SecretCertificates(client, settings, dependencies);
  }
  const { OwnCertificates } = await import('./certificates/own-certificates.ts');
  const { caLifetime, leafLifetime, caOverlap: overlap } = config;
  return new OwnCertificates(client, { ...settings, caLifetime, leafLifetime, overlap }, dependencies);
}
