import { quote } from '../../base/text/cut.ts';
import { visible } from '../../base/text/visible.ts';
import { MUTATION_MODES } from '../../engine/policy/action.ts';
import { isAccountName } from '../../webhook/review/trusted-controllers.ts';
import { inGroup, optional, withDefault, type FlagValues, type CommandDefinition } from '../flags/flag.ts';
import { choice, commaList, path, textThat, trueOrFalse, wholeNumber, formatDuration } from '../flags/value-types.ts';
import {
  ADDRESS,
  CONNECTION_FLAGS,
  DURATION,
  DURATION_LIMITS,
  OBJECT_NAME as objectName,
  PORT as port,
  PROCESS_FLAGS,
  conflictsOfClusterDurations,
  tooRare,
} from './process-flags.ts';

const LONGEST_CONTACT = 120;

/** The chart refuses the same texts, in charts/probewright/templates/_guard_rails.tpl. */
function isContact(text: string): boolean {
  return text !== '' && text.trim() === text && Array.from(text).length <= LONGEST_CONTACT && visible(text) === text;
}

const ACCOUNTS = commaList('USER');
const accountList: typeof ACCOUNTS = {
  ...ACCOUNTS,
  read: (text) => {
    const accounts = ACCOUNTS.read(text);
    const wrong = accounts.find((account) => !isAccountName(account));
    if (wrong === undefined) return accounts;
    throw new Error(
      `${quote(wrong)} is no full name of an account; write one such as system:serviceaccount:data:postgres-operator, without *`,
    );
  },
};

const GENERAL_FLAGS = {
  policies: optional(
    path('FILE|DIR', 'files'),
    'ProbePolicies and ClusterProbePolicies: a YAML file, or a directory of them, watched for changes.',
    { details: 'Required without --kubeconfig. With --kubeconfig, these policies are the lowest layer.' },
  ),
  kubeconfig: optional(
    path('FILE|in-cluster', 'files'),
    'Cluster to read policies and namespaces from: a kubeconfig, or in-cluster for the service account of the Pod.',
    { links: 'See [in a cluster](operate.md#in-a-cluster).' },
  ),
  host: withDefault(ADDRESS, '0.0.0.0', 'Address that both ports listen on.'),
  port: withDefault(port, '8443', 'HTTPS port for /mutate, /validate and /review-policies.'),
  'health-port': PROCESS_FLAGS['health-port'],
  'tls-cert': optional(path('FILE', 'files'), 'PEM certificate chain, reloaded when it changes.', {
    otherwise: 'with --kubeconfig a certificate that Probewright makes and renews; else a development pair in certs/',
    links: 'See [certificates](operate.md#certificates).',
  }),
  'tls-key': optional(path('FILE', 'files'), 'PEM private key for --tls-cert.', { otherwise: 'as for --tls-cert' }),
  'tls-secret': optional(objectName, 'Your own kubernetes.io/tls Secret with a serving pair, in --namespace.'),
  'client-ca': optional(
    path('FILE', 'files'),
    'PEM bundle of CAs, reloaded when it changes: /mutate and /validate require a client certificate of these CAs.',
    { links: 'See [who may call](operate.md#who-may-call).' },
  ),
  'client-cn': optional(commaList('NAME'), 'Common names of client certificates that are accepted.', {
    details: 'Needs --client-ca.',
    otherwise: 'all names',
  }),
  enforcement: PROCESS_FLAGS.enforcement,
  mutation: withDefault(
    choice(MUTATION_MODES),
    'On',
    'On patches Pods; Audit only reports which probes would be added; Off does neither.',
    { links: 'See [dry runs](defaulting.md#dry-runs-of-a-rollout).' },
  ),
  'denial-contact': optional(
    textThat(isContact, `one line of at most ${LONGEST_CONTACT} visible characters, such as "Ask #platform"`, 'TEXT'),
    'The last line of each denial: whom to ask.',
    { links: 'See [denials](operate.md#the-last-line-of-a-denial).' },
  ),
  'trusted-controllers': optional(
    accountList,
    'More users whose controller references count against floors, too, such as operators.',
    {
      details: 'Full user names, without *.',
      links: 'See [controller references](trust.md#controller-references).',
    },
  ),
  'trust-foreign-service-accounts': withDefault(
    trueOrFalse(),
    'true',
    "Whether controller references to custom kinds count from service accounts of namespaces other than the object's.",
    {
      details:
        'They do not count against floors. ' +
        "References to Kubernetes' own kinds never count from these accounts, unless they are listed.",
      links: 'See [controller references](trust.md#controller-references).',
    },
  ),
  'log-level': PROCESS_FLAGS['log-level'],
  'workload-kinds': PROCESS_FLAGS['workload-kinds'],
  'drain-seconds': withDefault(
    wholeNumber('SECONDS', 0, 3600),
    '10',
    'How long to serve after SIGTERM, while callers move to other replicas.',
  ),
} as const;

const CLUSTER_FLAGS = inGroup('Flags that count with --kubeconfig only', {
  namespace: optional(objectName, "Namespace of Probewright's Service, Secret and Lease.", {
    otherwise: "the service account's or context's",
  }),
  'service-name': withDefault(
    objectName,
    'probewright',
    'Service that the API server calls; the certificate is made for it.',
  ),
  'webhook-configurations': withDefault(
    commaList('NAME'),
    '00-probewright,probewright',
    'Names of the Mutating- and ValidatingWebhookConfigurations whose caBundle is maintained.',
  ),
  'ca-secret': withDefault(objectName, 'probewright-ca', "Secret with the CA of Probewright's own certificates."),
  'ca-lifetime': withDefault(DURATION, '365d', 'Lifetime of a CA, which is replaced after two thirds of it.'),
  'leaf-lifetime': withDefault(
    DURATION,
    '7d',
    'Lifetime of a serving certificate, which is renewed after two thirds of it.',
  ),
  'ca-overlap': withDefault(
    DURATION,
    '1h',
    'How long a new CA is trusted before it signs, and an old CA after its last certificate has expired.',
  ),
  'certificate-check': withDefault(DURATION, '60s', 'How often to look for certificates that are due for renewal.'),
  lease: withDefault(objectName, 'probewright', 'Lease by which the replicas agree on the one that writes.'),
  ...CONNECTION_FLAGS,
  'policy-impact': withDefault(
    trueOrFalse(),
    'true',
    'Whether a policy that is applied or deleted returns warnings about its effect on live workloads.',
    {
      details: 'Needs the right to list workloads.',
      links: 'See [policies at apply](policies.md#what-apply-tells-you).',
    },
  ),
  'exempt-namespaces': {
    ...PROCESS_FLAGS['exempt-namespaces'],
    details: 'The effect of a policy leaves them out.',
  },
});

/** The flags of `probewright serve`, each with an environment variable. Durations are in milliseconds. */
export const SERVE_FLAGS = { ...GENERAL_FLAGS, ...CLUSTER_FLAGS } as const;
export type ServeFlagValues = FlagValues<typeof SERVE_FLAGS>;

export const SERVE: CommandDefinition<typeof SERVE_FLAGS> = {
  name: 'serve',
  summary: 'Answer AdmissionReviews over HTTPS',
  usage: '--policies FILE|DIR|--kubeconfig FILE [flags]',
  description: [
    'Answers AdmissionReviews over HTTPS at /mutate and /validate, until SIGTERM or SIGINT.',
    'Each flag is also an environment variable. The flag overrides the variable.',
  ],
  flags: SERVE_FLAGS,
  readsEnvironment: true,
  exitCodes: {
    0: 'The server has stopped after a signal.',
    2: 'The server cannot start, or the command line is wrong.',
  },
  conflicts: conflictsOfServe,
};

function conflictsOfServe(flags: ServeFlagValues): readonly (string | false)[] {
  const { policies, kubeconfig, port, 'tls-cert': cert, 'tls-key': key, 'tls-secret': secret } = flags;
  const [given, missing] = key === undefined ? ['tls-cert', 'tls-key'] : ['tls-key', 'tls-cert'];
  return [
    policies === undefined &&
      kubeconfig === undefined &&
      '--policies: must be given, or --kubeconfig for policies in a cluster',
    (cert === undefined) !== (key === undefined) && `--${missing}: must be given together with --${given}`,
    port !== 0 && port === flags['health-port'] && `--health-port: ${port} is --port already; choose another`,
    flags['client-cn'] !== undefined &&
      flags['client-ca'] === undefined &&
      '--client-cn: needs --client-ca, for the CAs whose certificates have these names',
    secret !== undefined &&
      kubeconfig === undefined &&
      '--tls-secret: needs --kubeconfig, for the cluster that it is in',
    secret !== undefined &&
      (cert !== undefined || key !== undefined) &&
      '--tls-secret: cannot be given together with --tls-cert and --tls-key; choose one',
    ...(kubeconfig === undefined ? [] : conflictsOfDurations(flags)),
  ];
}

/** Durations with which a served certificate could become untrusted, or the replicas could be without a leader. */
function conflictsOfDurations(flags: ServeFlagValues): readonly (string | false)[] {
  const { 'ca-lifetime': caLifetime, 'leaf-lifetime': leafLifetime, 'certificate-check': check } = flags;
  const rotation = leafLifetime + DURATION_LIMITS.overlapsInRotation * flags['ca-overlap'];
  const leastCaLifetime = DURATION_LIMITS.rotationsInCaLifetime * rotation;
  const mostCheck = leafLifetime / DURATION_LIMITS.checksInLeafLifetime;
  return [
    caLifetime < leastCaLifetime &&
      `--ca-lifetime: ${formatDuration(caLifetime)} is too short: a third of it must cover --leaf-lifetime and ` +
        `twice --ca-overlap, so at least ${formatDuration(leastCaLifetime)}`,
    check > mostCheck && tooRare('certificate-check', check, 'leaf-lifetime', leafLifetime, mostCheck),
    ...conflictsOfClusterDurations(flags),
  ];
}
