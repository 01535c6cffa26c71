import { MUTATION_MODES } from '../../engine/policy/action.ts';
import { optional, withDefault, type CommandDefinition, type FlagValues } from '../flags/flag.ts';
import { choice, formatDuration, parsed, path, trueOrFalse } from '../flags/value-types.ts';
import { isDnsSubdomain } from '../../engine/policy/object-names.ts';
import { REPORTS_SETTINGS } from '../../cluster/sources/observer-reports.ts';
import {
  ADDRESS,
  conflictsOfClusterDurations,
  CONNECTION_FLAGS,
  DURATION,
  OBJECT_NAME,
  PORT,
  PROCESS_FLAGS,
} from './process-flags.ts';

/** A `Host` has its name in any case, and a port that a proxy may choose. */
const HOST_NAMES = parsed('NAME[,NAME...]', 'a comma list of DNS names without ports', (text) => {
  const names = text
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return names.every(isDnsSubdomain) ? names : undefined;
});

const reportLinks = 'See [reports](observer.md#reports).';

/** The flags of `probewright observe`, each with an environment variable. Durations are in milliseconds. */
export const OBSERVE_FLAGS = {
  kubeconfig: optional(
    path('FILE|in-cluster', 'files'),
    'The cluster to observe: a kubeconfig, or in-cluster for the service account of the Pod.',
    { details: 'Required.' },
  ),
  policies: optional(
    path('DIR', 'directories'),
    'Directory with more policies, watched for changes: the lowest layer, as in `serve`.',
  ),
  'scan-interval': withDefault(DURATION, '1h', 'How often to judge all workloads again, also without a change.', {
    details: 'At least 1m.',
  }),
  reports: withDefault(
    choice(REPORTS_SETTINGS),
    'auto',
    'The API that reports are written to; auto takes the one that the API server has.',
    { links: reportLinks },
  ),
  'reports-include-clean': withDefault(
    trueOrFalse(),
    'false',
    'Whether workloads without findings have a report, too.',
    { links: reportLinks },
  ),
  startups: withDefault(
    trueOrFalse(),
    'true',
    'Whether to measure how long containers take to start, and to write StartupProfiles.',
    { links: 'See [learned start times](observer.md#learned-start-times).' },
  ),
  'native-params': withDefault(
    trueOrFalse(),
    'false',
    'Whether to keep the NamespaceProbes of the native policy current.',
    { links: 'See [the native policy](native.md).' },
  ),
  enforcement: PROCESS_FLAGS.enforcement,
  mutation: withDefault(
    choice(MUTATION_MODES),
    'On',
    "The webhook's setting: On judges workloads with the probes that their Pods get.",
  ),
  'webhook-configuration': withDefault(
    OBJECT_NAME,
    '00-probewright',
    'The MutatingWebhookConfiguration of the webhook: its selectors tell which Pods may be missed.',
  ),
  'exempt-namespaces': { ...PROCESS_FLAGS['exempt-namespaces'], details: 'The observer judges no workloads there.' },
  'workload-kinds': PROCESS_FLAGS['workload-kinds'],
  host: withDefault(ADDRESS, '0.0.0.0', 'Address that the ports listen on.'),
  'health-port': PROCESS_FLAGS['health-port'],
  'dashboard-port': optional(PORT, 'Plain HTTP port for a read-only page about all workloads.', {
    otherwise: 'no page',
    links: 'See [the page](#the-page).',
  }),
  'dashboard-hosts': optional(HOST_NAMES, 'DNS names by which people open the page through a proxy or an Ingress.', {
    otherwise: 'none',
    links: 'See [the page](#the-page).',
  }),
  'log-level': PROCESS_FLAGS['log-level'],
  namespace: optional(OBJECT_NAME, 'Namespace of the Lease.', { otherwise: "the service account's or context's" }),
  lease: withDefault(
    OBJECT_NAME,
    'probewright-observer',
    'Lease by which the replicas agree on the one that scans and writes.',
  ),
  ...CONNECTION_FLAGS,
} as const;
export type ObserveFlagValues = FlagValues<typeof OBSERVE_FLAGS>;

/** A shorter interval would keep the API server busy with lists. */
const LEAST_SCAN_INTERVAL = 60_000;

export const OBSERVE: CommandDefinition<typeof OBSERVE_FLAGS> = {
  name: 'observe',
  summary: 'Watch a cluster, judge its workloads, and write reports',
  usage: '--kubeconfig FILE|in-cluster [flags]',
  description: [
    'Watches the workloads of a cluster, judges them as the webhook would, and writes reports, until SIGTERM or SIGINT.',
    'Each flag is also an environment variable. The flag overrides the variable.',
  ],
  flags: OBSERVE_FLAGS,
  readsEnvironment: true,
  exitCodes: {
    0: 'The observer has stopped after a signal.',
    2: 'The observer cannot start, or the command line is wrong.',
  },
  conflicts: conflictsOfObserve,
};

function conflictsOfObserve(flags: ObserveFlagValues): readonly (string | false)[] {
  const interval = flags['scan-interval'];
  return [
    flags.kubeconfig === undefined && '--kubeconfig: must be given: a file, or in-cluster',
    interval < LEAST_SCAN_INTERVAL &&
      `--scan-interval: ${formatDuration(interval)} is too short: at least ${formatDuration(LEAST_SCAN_INTERVAL)}`,
    ...conflictsOfClusterDurations(flags),
  ];
}
