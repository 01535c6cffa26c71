import { MEBIBYTE } from './definitions/process-flags.ts';
import type { ConnectionConfig } from '../process/cluster-connection.ts';
import type { ObserveFlagValues } from './definitions/observe-flags.ts';
import type { ServeFlagValues } from './definitions/serve-flags.ts';

/** The settings for the cluster that `serve` and `observe` share, from the values of their flags. */
export function connectionConfig(kubeconfig: string, flags: ServeFlagValues | ObserveFlagValues): ConnectionConfig {
  return {
    kubeconfig,
    namespace: flags.namespace,
    lease: flags.lease,
    leaseDuration: flags['lease-duration'],
    leaseRenew: flags['lease-renew'],
    watchRenewal: flags['watch-renewal'],
    readsServices: flags.services,
    readsStartupProfiles: flags['startup-profiles'],
    policyBudget: flags['policy-budget'] * MEBIBYTE,
  };
}
