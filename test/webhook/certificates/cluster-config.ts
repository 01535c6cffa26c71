import type { ClusterConfig } from '../../../src/webhook/config.ts';

/** The settings of a server in a cluster, as the flags have them by default. */
export const CLUSTER_CONFIG: ClusterConfig = {
  kubeconfig: 'config',
  namespace: undefined,
  serviceName: 'probewright',
  webhookConfigurations: ['00-probewright', 'probewright'],
  caSecret: 'probewright-ca',
  tlsSecret: undefined,
  caLifetime: 365 * 86_400_000,
  leafLifetime: 7 * 86_400_000,
  caOverlap: 3_600_000,
  certificateCheck: 60_000,
  lease: 'probewright',
  leaseDuration: 60_000,
  leaseRenew: 15_000,
  watchRenewal: 300_000,
  readsServices: true,
  readsStartupProfiles: true,
  policyBudget: 1024,
  policyImpact: true,
  exemptNamespaces: undefined,
};
