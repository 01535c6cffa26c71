import type { CertificateDependencies } from './certificates/certificate-dependencies.ts';
import type { OwnCertificatesStatus } from './certificates/own-certificates.ts';
import type { ServeConnection } from './config.ts';
import type { OpeningDependencies } from './opening-dependencies.ts';

/** The settings that all certificates from a cluster share. */
export function certificateSettings({ namespace, config }: ServeConnection): {
  readonly namespace: string;
  readonly service: string;
  readonly configurationName: string;
  readonly check: number;
} {
  const { serviceName, webhookConfigurations, certificateCheck } = config;
  return { namespace, service: serviceName, configurationName: webhookConfigurations, check: certificateCheck };
}

/** The dependencies of certificates from a cluster. */
export function withWatchRenewal(
  { config }: ServeConnection,
  { log, now }: OpeningDependencies,
): CertificateDependencies {
  return { log, now, random: Math.random, watchRenewalMilliseconds: config.watchRenewal };
}

/** Whether each kind of webhook configuration trusts what is served; one that does not exist is left out. */
export function bundlesSynced({
  bundleSynced,
}: Pick<OwnCertificatesStatus, 'bundleSynced'>): ReadonlyMap<string, boolean> {
  return new Map(Object.entries(bundleSynced).filter((entry): entry is [string, boolean] => entry[1] !== undefined));
}
