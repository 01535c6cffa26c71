import { MUTATION_MODES } from '../../admission/decision.ts';
import { ENFORCEMENTS } from '../../admission/validate.ts';
import { optional, withDefault } from '../../command-line/flag.ts';
import {
  choice,
  commaList,
  duration,
  path,
  someText,
  textThat,
  trueOrFalse,
  wholeNumber,
} from '../../command-line/value-types.ts';
import { isDnsSubdomain } from '../../policy/dns-subdomain.ts';
import { POLICY_BUDGET_BYTES } from '../../policy/policy-budget.ts';
import { LOG_LEVELS } from '../../running/log-level.ts';
import { DURATION_LIMITS } from '../../serve/duration-limits.ts';
import type { FlagValues } from '../../command-line/flag.ts';

export const MEBIBYTE = 1024 * 1024;
/** More memory than any process needs, in MiB. */
const MAX_POLICY_BUDGET = 1024;

const port = wholeNumber('PORT', 0, 65_535);
const objectName = textThat(isDnsSubdomain, 'the name of a Kubernetes object', 'NAME');

/** The flags that count without a cluster too. */
const GENERAL_FLAGS = {
  policies: optional({
    type: path('DIR', 'directories'),
    summary: 'Directory with ProbePolicy and ClusterProbePolicy YAML files, watched for changes.',
    details: 'Required without --kubeconfig. With --kubeconfig, these policies are the lowest layer.',
  }),
  kubeconfig: optional({
    type: path('FILE|in-cluster', 'files'),
    summary:
      'Cluster to read policies and namespaces from: a kubeconfig, or in-cluster for the service account of the Pod.',
    links: 'See [cluster.md](cluster.md).',
  }),
  host: withDefault({ type: someText('ADDRESS'), default: '0.0.0.0', summary: 'Address that both ports listen on.' }),
  port: withDefault({ type: port, default: '8443', summary: 'HTTPS port for /mutate and /validate.' }),
  'health-port': withDefault({
    type: port,
    default: '8081',
    summary: 'Plain HTTP port for /livez, /readyz and /metrics.',
  }),
  'tls-cert': optional({
    type: path('FILE', 'files'),
    summary: 'PEM certificate chain, reloaded when it changes.',
    otherwise: 'with --kubeconfig a certificate that Probewright makes and renews; else a development pair in certs/',
    links: 'See [certificates.md](certificates.md).',
  }),
  'tls-key': optional({
    type: path('FILE', 'files'),
    summary: 'PEM private key for --tls-cert.',
    otherwise: 'as for --tls-cert',
  }),
  'tls-secret': optional({
    type: objectName,
    summary: 'Your own kubernetes.io/tls Secret with a serving pair, in --namespace.',
  }),
  'client-ca': optional({
    type: path('FILE', 'files'),
    summary:
      'PEM bundle of CAs, reloaded when it changes: /mutate and /validate require a client certificate of these CAs.',
    links: 'See [who may call](certificates.md#who-may-call).',
  }),
  'client-cn': optional({
    type: commaList('NAME'),
    summary: 'Common names of client certificates that are accepted.',
    details: 'Needs --client-ca.',
    otherwise: 'all names',
  }),
  enforcement: withDefault({
    type: choice(ENFORCEMENTS),
    default: 'Deny',
    summary: 'The strictest action that a violation may have.',
  }),
  mutation: withDefault({
    type: choice(MUTATION_MODES),
    default: 'On',
    summary: 'On patches Pods; Audit only reports which probes would be added; Off does neither.',
    links: 'See [dry runs](defaulting.md#dry-runs-of-a-rollout).',
  }),
  'trusted-controllers': optional({
    type: commaList('USER'),
    summary:
      'More users whose controller references count, such as operators that run in the namespace of their workloads.',
    details: 'A trailing * matches any rest.',
    links: 'See [controller references](security.md#controller-references).',
  }),
  'trust-foreign-service-accounts': withDefault({
    type: trueOrFalse(),
    default: 'true',
    summary: "Whether controller references count from service accounts of namespaces other than the object's.",
  }),
  'log-level': withDefault({
    type: choice(LOG_LEVELS),
    default: 'info',
    summary: 'The least important level that is logged.',
  }),
  'workload-kinds': optional({
    type: path('FILE', 'files'),
    summary: 'Custom kinds with Pod templates: a YAML list of { group, kind, podTemplatePath }.',
    otherwise: 'ready-made kinds',
    links: 'See [custom kinds](checks.md#custom-kinds).',
  }),
  'drain-seconds': withDefault({
    type: wholeNumber('SECONDS', 0, 3600),
    default: '10',
    summary: 'How long to serve after SIGTERM, while callers move to other replicas.',
  }),
} as const;

const group = 'Flags that count with --kubeconfig only';

const CLUSTER_FLAGS = {
  namespace: optional({
    type: objectName,
    summary: "Namespace of Probewright's Service, Secret and Lease.",
    otherwise: "the service account's or context's",
    group,
  }),
  'service-name': withDefault({
    type: objectName,
    default: 'probewright',
    summary: 'Service that the API server calls; the certificate is made for it.',
    group,
  }),
  'webhook-configurations': withDefault({
    type: objectName,
    default: 'probewright',
    summary: 'Name of the Mutating- and the ValidatingWebhookConfiguration whose caBundle is maintained.',
    group,
  }),
  'ca-secret': withDefault({
    type: objectName,
    default: 'probewright-ca',
    summary: "Secret with the CA of Probewright's own certificates.",
    group,
  }),
  'ca-lifetime': withDefault({
    type: duration(DURATION_LIMITS.mostDuration),
    default: '365d',
    summary: 'Lifetime of a CA, which is replaced after two thirds of it.',
    group,
  }),
  'leaf-lifetime': withDefault({
    type: duration(DURATION_LIMITS.mostDuration),
    default: '7d',
    summary: 'Lifetime of a serving certificate, which is renewed after two thirds of it.',
    group,
  }),
  'ca-overlap': withDefault({
    type: duration(DURATION_LIMITS.mostDuration),
    default: '1h',
    summary: 'How long a new CA is trusted before it signs, and an old CA after its last certificate has expired.',
    group,
  }),
  'certificate-check': withDefault({
    type: duration(DURATION_LIMITS.mostDuration),
    default: '60s',
    summary: 'How often to look for certificates that are due for renewal.',
    group,
  }),
  lease: withDefault({
    type: objectName,
    default: 'probewright',
    summary: 'Lease by which the replicas agree on the one that writes.',
    group,
  }),
  'lease-duration': withDefault({
    type: duration(DURATION_LIMITS.mostDuration),
    default: '60s',
    summary: 'How long a leader that does not renew the Lease stays the leader.',
    group,
  }),
  'lease-renew': withDefault({
    type: duration(DURATION_LIMITS.mostDuration),
    default: '15s',
    summary: 'How often the leader renews the Lease, and the other replicas read it.',
    group,
  }),
  'watch-renewal': withDefault({
    type: duration(DURATION_LIMITS.mostDuration),
    default: '5m',
    summary: 'How long a watch lasts before it is renewed, up to a fifth less or more.',
    details: 'From 2s to 5m.',
    group,
  }),
  'policy-budget': withDefault({
    type: wholeNumber('MEBIBYTES', 1, MAX_POLICY_BUDGET),
    default: String(POLICY_BUDGET_BYTES / MEBIBYTE),
    summary: 'Memory for the ProbePolicies of all namespaces together.',
    details: 'A policy of 30 lines takes 5 KiB.',
    links: 'See [budgets](limits.md#budgets-of-policies).',
    group,
  }),
} as const;

/** The flags of `probewright serve`, each with an environment variable. Durations are in milliseconds. */
export const SERVE_FLAGS = { ...GENERAL_FLAGS, ...CLUSTER_FLAGS } as const;
export type ServeFlagValues = FlagValues<typeof SERVE_FLAGS>;
