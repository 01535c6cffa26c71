import { connectionConfig } from './connection-config.ts';
import type { ClusterConfig, ServeConfig } from '../webhook/config.ts';
import type { ServeFlagValues } from './definitions/serve-flags.ts';

/** The settings of the server, from the values of serve's flags. */
export function serveConfig(flags: ServeFlagValues): ServeConfig {
  return {
    policies: flags.policies,
    host: flags.host,
    port: flags.port,
    healthPort: flags['health-port'],
    tlsCert: flags['tls-cert'],
    tlsKey: flags['tls-key'],
    clientCa: flags['client-ca'],
    clientNames: flags['client-cn'] ?? [],
    enforcement: flags.enforcement,
    mutation: flags.mutation,
    controllers: {
      accounts: flags['trusted-controllers'] ?? [],
      foreignServiceAccounts: flags['trust-foreign-service-accounts'],
    },
    logLevel: flags['log-level'],
    workloadKinds: flags['workload-kinds'],
    drainSeconds: flags['drain-seconds'],
    cluster: flags.kubeconfig === undefined ? undefined : clusterConfig(flags.kubeconfig, flags),
  };
}

function clusterConfig(kubeconfig: string, flags: ServeFlagValues): ClusterConfig {
  return {
    ...connectionConfig(kubeconfig, flags),
    serviceName: flags['service-name'],
    webhookConfigurations: flags['webhook-configurations'],
    caSecret: flags['ca-secret'],
    tlsSecret: flags['tls-secret'],
    caLifetime: flags['ca-lifetime'],
    leafLifetime: flags['leaf-lifetime'],
    caOverlap: flags['ca-overlap'],
    certificateCheck: flags['certificate-check'],
    policyImpact: flags['policy-impact'],
    exemptNamespaces: flags['exempt-namespaces'],
  };
}
