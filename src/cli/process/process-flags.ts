import { isIP } from 'node:net';
import { ENFORCEMENTS } from '../../engine/policy/action.ts';
import { optional, withDefault, type FlagValues } from '../flags/flag.ts';
import {
  choice,
  commaList,
  durationValue,
  formatDuration,
  path,
  textThat,
  trueOrFalse,
  wholeNumber,
} from '../flags/value-types.ts';
import { isDnsSubdomain } from '../../engine/policy/object-names.ts';
import { POLICY_BUDGET_BYTES } from '../../engine/policy/budget.ts';
import { LOG_LEVELS } from '../../process/log-level.ts';
import type { ConnectionConfig } from '../../process/cluster.ts';

const MEBIBYTE = 1024 * 1024;
/** More than any cluster needs, in MiB. */
const MAX_POLICY_BUDGET = 1024;

/** Every served certificate is trusted and a leader is always found. `npm run generate:chart` writes them. */
export const DURATION_LIMITS = {
  /**
   * A rotation begins in the last third of a CA's life. It takes one overlap before the new CA signs and, after that,
   * the life of the last leaf and another overlap.
   */
  rotationsInCaLifetime: 3,
  overlapsInRotation: 2,
  /** A renewal that fails is tried again several times before the leaf ends. */
  checksInLeafLifetime: 6,
  /** The leader may miss one renewal of the Lease and still stay the leader. */
  renewalsInLeaseDuration: 3,
  /**
   * The API server counts a watch in whole seconds. A quiet collection is heard of once a renewal, which must be well
   * below the 10 minutes of the alert ProbewrightConfigStale.
   */
  leastWatchRenewal: 2_000,
  mostWatchRenewal: 300_000,
  /** In milliseconds: 100 years. Longer than any setting here makes sense, and short of what a date can hold. */
  mostDuration: 100 * 365 * 86_400_000,
} as const;

export const PORT = wholeNumber('PORT', 0, 65_535);
export const DURATION = durationValue(DURATION_LIMITS.mostDuration);
export const OBJECT_NAME = textThat(isDnsSubdomain, 'the name of a Kubernetes object', 'NAME');

export const ADDRESS = textThat((text) => isIP(text) !== 0, 'an IP address such as 0.0.0.0 or ::', 'ADDRESS');

export const PROCESS_FLAGS = {
  'health-port': withDefault(PORT, '8081', 'Plain HTTP port for /livez, /readyz and /metrics.'),
  enforcement: withDefault(choice(ENFORCEMENTS), 'Deny', 'The strictest action that a violation may have.'),
  'log-level': withDefault(choice(LOG_LEVELS), 'info', 'The least important level that is logged.'),
  'workload-kinds': optional(
    path('FILE', 'files'),
    'Custom kinds with Pod templates: a YAML list of { group, kind, podTemplatePath }.',
    { otherwise: 'ready-made kinds', links: 'See [custom kinds](checks.md#custom-kinds).' },
  ),
  'exempt-namespaces': optional(commaList('NAMESPACE'), 'Namespaces that the webhook configurations exempt.', {
    otherwise: 'kube-system, kube-public, kube-node-lease and --namespace',
  }),
} as const;

export const CONNECTION_FLAGS = {
  'lease-duration': withDefault(DURATION, '60s', 'How long a leader that does not renew the Lease stays the leader.'),
  'lease-renew': withDefault(DURATION, '15s', 'How often the leader renews the Lease, and the other replicas read it.'),
  'watch-renewal': withDefault(
    DURATION,
    '5m',
    'How long a watch lasts before it is renewed, up to a fifth less or more.',
    { details: 'From 2s to 5m.' },
  ),
  services: withDefault(
    trueOrFalse(),
    'true',
    'Whether to read the Services of the cluster, for the check service-readiness.',
    { links: 'See [service-readiness](checks.md#service-readiness).' },
  ),
  'startup-profiles': withDefault(
    trueOrFalse(),
    'true',
    'Whether to read the StartupProfiles of the cluster, for learned budgets and the check observed-startup.',
    { links: 'See [learned start times](observer.md#without-learned-start-times).' },
  ),
  'policy-budget': withDefault(
    wholeNumber('MEBIBYTES', 1, MAX_POLICY_BUDGET),
    String(POLICY_BUDGET_BYTES / MEBIBYTE),
    'Bytes of the ProbePolicies of all namespaces together, as JSON. There may be 2,000 for each MiB.',
    { links: 'See [budgets](limits.md#budgets-of-policies).' },
  ),
} as const;

/** Durations with which the replicas could be without a leader, or changes would be seen too late. */
export function conflictsOfClusterDurations(flags: FlagValues<typeof CONNECTION_FLAGS>): readonly (string | false)[] {
  const { 'lease-duration': leaseDuration, 'lease-renew': leaseRenew, 'watch-renewal': watchRenewal } = flags;
  const mostRenew = leaseDuration / DURATION_LIMITS.renewalsInLeaseDuration;
  const { leastWatchRenewal: least, mostWatchRenewal: most } = DURATION_LIMITS;
  return [
    leaseRenew > mostRenew && tooRare('lease-renew', leaseRenew, 'lease-duration', leaseDuration, mostRenew),
    (watchRenewal < least || watchRenewal > most) &&
      `--watch-renewal: must be from ${formatDuration(least)} to ${formatDuration(most)}, not ${formatDuration(watchRenewal)}`,
  ];
}

/** The problem of something that must be done several times in a duration. All times are in milliseconds. */
export function tooRare(flag: string, given: number, whole: string, duration: number, most: number): string {
  const times = `${formatDuration(given)} is too rare for --${whole} ${formatDuration(duration)}`;
  return `--${flag}: ${times}: at most ${formatDuration(Math.floor(most))}`;
}

/** The name of a setting: `healthPort` for `health-port`. */
type SettingName<Flag> = Flag extends `${infer Word}-${infer Rest}` ? `${Word}${Capitalize<SettingName<Rest>>}` : Flag;
type Settings<Values> = { readonly [Flag in keyof Values as SettingName<Flag>]: Values[Flag] };

/** The values of flags, by the names of settings. */
export function settingsOf<Values extends object>(values: Values): Settings<Values> {
  const named = Object.entries(values).map(
    ([flag, value]) => [flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()), value as unknown] as const,
  );
  return Object.fromEntries(named) as Settings<Values>;
}

export function connectionConfig(
  kubeconfig: string,
  settings: Settings<FlagValues<typeof CONNECTION_FLAGS>> & Pick<ConnectionConfig, 'namespace' | 'lease'>,
): ConnectionConfig {
  return {
    ...settings,
    kubeconfig,
    readsServices: settings.services,
    readsStartupProfiles: settings.startupProfiles,
    policyBudget: settings.policyBudget * MEBIBYTE,
  };
}
