import { connectionConfig } from './connection-config.ts';
import type { ObserveConfig } from '../observer/config.ts';
import type { ObserveFlagValues } from './definitions/observe-flags.ts';

/** The settings of the observer, from the values of its flags. */
export function observeConfig(flags: ObserveFlagValues): ObserveConfig {
  return {
    policies: flags.policies,
    host: flags.host,
    healthPort: flags['health-port'],
    dashboardPort: flags['dashboard-port'],
    enforcement: flags.enforcement,
    mutation: flags.mutation,
    logLevel: flags['log-level'],
    workloadKinds: flags['workload-kinds'],
    scanInterval: flags['scan-interval'],
    webhookConfiguration: flags['webhook-configuration'],
    exemptNamespaces: flags['exempt-namespaces'],
    reports: flags.reports,
    reportsIncludeClean: flags['reports-include-clean'],
    learnsStarts: flags.startups,
    // conflictsOfObserve refuses a command line without --kubeconfig.
    cluster: connectionConfig(flags.kubeconfig ?? '', flags),
  };
}
