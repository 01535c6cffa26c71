import { MUTATION_MODES } from './admission/decision.ts';
import { ENFORCEMENTS } from './admission/validate.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { readFlags } from './flags.ts';
import { POLICY_BUDGET_BYTES } from './policy/policy-budget.ts';
import { isDnsSubdomain } from './policy/dns-subdomain.ts';
import { didYouMean } from './policy/suggestion.ts';
import { LOG_LEVELS } from './log.ts';
import type { MutationMode } from './admission/decision.ts';
import type { TrustedControllers } from './admission/trusted-controllers.ts';
import type { Enforcement } from './admission/validate.ts';
import type { LogLevel } from './log.ts';

/** The settings of `probewright serve`. */
export interface ServeConfig {
  /** Directory with policies; undefined = the cluster's only. */
  readonly policies: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly healthPort: number;
  /** Both or neither; without them the cluster's mode counts, or outside a cluster a development pair is made. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** File with the CAs that callers' certificates must come from; undefined = callers need none. */
  readonly clientCa: string | undefined;
  /** Common names of the callers that may call; empty = any that such a CA has signed. */
  readonly clientNames: readonly string[];
  readonly enforcement: Enforcement;
  readonly mutation: MutationMode;
  /** Whose controller references are believed. */
  readonly controllers: TrustedControllers;
  readonly logLevel: LogLevel;
  readonly drainSeconds: number;
  /** File with custom kinds; undefined = the built-in and ready-made ones. */
  readonly workloadKinds: string | undefined;
  /** Undefined = no cluster is spoken to. */
  readonly cluster: ClusterConfig | undefined;
}

/** The settings that count when a cluster is spoken to. Durations in milliseconds. */
export interface ClusterConfig {
  /** Path of a kubeconfig, or `in-cluster`. */
  readonly kubeconfig: string;
  /** Where Probewright's Service, Secret and Lease are; undefined = the namespace that the kubeconfig or service account is for. */
  readonly namespace: string | undefined;
  readonly serviceName: string;
  /** Name of both the Mutating- and the ValidatingWebhookConfiguration. */
  readonly webhookConfigurations: string;
  readonly caSecret: string;
  /** A Secret with the serving pair; undefined = Probewright's own CA, or files. */
  readonly tlsSecret: string | undefined;
  readonly caLifetime: number;
  readonly leafLifetime: number;
  readonly caOverlap: number;
  readonly certificateCheck: number;
  readonly lease: string;
  readonly leaseDuration: number;
  readonly leaseRenew: number;
  readonly watchRenewal: number;
  /** Memory that the ProbePolicies of all namespaces may take together, in bytes. */
  readonly policyBudget: number;
}

const MEBIBYTE = 1024 * 1024;
/** More than any process should be given memory for. */
const MAX_POLICY_BUDGET = 1024;
const BOOLEANS = ['true', 'false'] as const;

/** A setting as `--help`, the environment and docs/configuration.md know it. */
export interface Setting {
  readonly flag: string;
  readonly env: string;
  readonly value: string;
  readonly fallback: string | undefined;
  readonly description: string;
}

function setting(flag: string, value: string, fallback: string | undefined, description: string): Setting {
  return { flag, env: `PROBEWRIGHT_${flag.toUpperCase().replaceAll('-', '_')}`, value, fallback, description };
}

/** Every setting of `probewright serve`; a flag wins over its environment variable. */
export const SERVE_SETTINGS: readonly Setting[] = [
  setting(
    'policies',
    'DIR',
    undefined,
    'directory with ProbePolicy and ClusterProbePolicy YAML files, watched for changes (required without --kubeconfig; with it, the lowest layer)',
  ),
  setting(
    'kubeconfig',
    'FILE|in-cluster',
    undefined,
    'read policies and namespaces from this cluster; in-cluster = as the service account of the Pod',
  ),
  setting('host', 'ADDRESS', '0.0.0.0', 'address that both ports listen on'),
  setting('port', 'PORT', '8443', 'HTTPS port for /mutate and /validate'),
  setting('health-port', 'PORT', '8081', 'plain HTTP port for /livez, /readyz and /metrics'),
  setting(
    'tls-cert',
    'FILE',
    undefined,
    'PEM certificate chain, read again when it changes; without it the certificate is made in memory and looked after in the cluster, or without --kubeconfig a development pair is made in certs/',
  ),
  setting('tls-key', 'FILE', undefined, 'PEM private key for --tls-cert'),
  setting('tls-secret', 'NAME', undefined, 'kubernetes.io/tls Secret in --namespace with a serving pair of your own'),
  setting(
    'client-ca',
    'FILE',
    undefined,
    'PEM bundle, read again when it changes; /mutate and /validate then answer only callers with a certificate that one of its CAs signed',
  ),
  setting(
    'client-cn',
    'NAME[,NAME...]',
    undefined,
    'common names of the callers that may call; needs --client-ca; default every one that its CAs signed',
  ),
  setting('enforcement', ENFORCEMENTS.join('|'), 'Deny', 'the most that a violation may lead to'),
  setting(
    'mutation',
    MUTATION_MODES.join('|'),
    'On',
    'On patches Pods; Audit only says what would have been added; Off leaves them alone',
  ),
  setting(
    'trusted-controllers',
    'USER[,USER...]',
    undefined,
    'more users whose controller references are believed, such as operators in the namespace of their workloads; a trailing * stands for any rest',
  ),
  setting(
    'trust-foreign-service-accounts',
    BOOLEANS.join('|'),
    'true',
    "believe controller references of service accounts from other namespaces than the object's",
  ),
  setting('log-level', LOG_LEVELS.join('|'), 'info', 'the least important lines that are logged'),
  setting(
    'workload-kinds',
    'FILE',
    undefined,
    'YAML list of { group, kind, podTemplatePath }: custom kinds whose Pod templates are checked',
  ),
  setting('drain-seconds', 'SECONDS', '10', 'after SIGTERM, how long to go on serving while callers move away'),
  setting(
    'namespace',
    'NAME',
    undefined,
    "namespace of Probewright's Service, Secret and Lease; default the one that the kubeconfig or service account is for",
  ),
  setting('service-name', 'NAME', 'probewright', 'Service that the API server calls; the certificate is made for it'),
  setting(
    'webhook-configurations',
    'NAME',
    'probewright',
    'name of the Mutating- and the ValidatingWebhookConfiguration whose caBundle is kept right',
  ),
  setting('ca-secret', 'NAME', 'probewright-ca', "Secret with the CA of Probewright's own certificates"),
  setting('ca-lifetime', 'DURATION', '365d', 'how long a CA lasts; it is replaced when two thirds are over'),
  setting('leaf-lifetime', 'DURATION', '7d', 'how long a serving certificate lasts; renewed when two thirds are over'),
  setting(
    'ca-overlap',
    'DURATION',
    '1h',
    'how long a new CA is trusted before it signs, and an old one after its last certificate',
  ),
  setting('certificate-check', 'DURATION', '60s', 'how often the clock is looked at for renewals and rotations'),
  setting('lease', 'NAME', 'probewright', 'Lease by which the replicas agree on who writes'),
  setting('lease-duration', 'DURATION', '60s', 'how long a leader that falls silent is still believed'),
  setting('lease-renew', 'DURATION', '15s', 'how often the leader renews the Lease, and the others look at it'),
  setting('watch-renewal', 'DURATION', '5m', 'how long a watch lasts before it is renewed, up to a fifth less or more'),
  setting(
    'policy-budget',
    'MEBIBYTES',
    String(POLICY_BUDGET_BYTES / MEBIBYTE),
    'memory that the ProbePolicies of all namespaces may take together; a policy of 30 lines takes 5 KiB',
  ),
];

/** The settings, or every problem with them. */
export type ConfigParse = { readonly config: ServeConfig } | { readonly problems: readonly string[] };

/** Reads the arguments after `serve` and the environment. */
export function parseServeConfig(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ConfigParse {
  const problems: string[] = [];
  const { flags, positionals } = readFlags(
    args,
    SERVE_SETTINGS.map(({ flag }) => flag),
    problems,
  );
  for (const positional of positionals) problems.push(`${positional}: serve takes no arguments, only flags`);
  const value = new Map<string, string>();
  const origin = new Map<string, string>();
  for (const { flag, env: variable, fallback } of SERVE_SETTINGS) {
    const fromEnv = isOurs(env[variable]) ? env[variable] : undefined;
    const given = flags.get(flag) ?? fromEnv ?? fallback;
    if (given !== undefined) value.set(flag, given);
    origin.set(flag, flags.has(flag) || fromEnv === undefined ? `--${flag}` : variable);
  }
  const read = new ValueReader(value, origin, problems);
  const config: ServeConfig = {
    policies: read.path('policies'),
    host: read.required('host'),
    port: read.integer('port', 0, 65_535),
    healthPort: read.integer('health-port', 0, 65_535),
    tlsCert: value.get('tls-cert'),
    tlsKey: value.get('tls-key'),
    clientCa: read.path('client-ca'),
    clientNames: read.list('client-cn'),
    enforcement: read.oneOf('enforcement', ENFORCEMENTS),
    mutation: read.oneOf('mutation', MUTATION_MODES),
    controllers: {
      accounts: read.list('trusted-controllers'),
      foreignServiceAccounts: read.oneOf('trust-foreign-service-accounts', BOOLEANS) === 'true',
    },
    logLevel: read.oneOf('log-level', LOG_LEVELS),
    workloadKinds: value.get('workload-kinds'),
    drainSeconds: read.integer('drain-seconds', 0, 3600),
    cluster: readClusterConfig(read),
  };
  if (config.policies === undefined && config.cluster === undefined)
    problems.push('--policies: must be given, or --kubeconfig for policies in a cluster');
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    const [given, missing] = config.tlsKey === undefined ? ['tls-cert', 'tls-key'] : ['tls-key', 'tls-cert'];
    problems.push(`--${missing}: must be given together with --${given}`);
  }
  if (config.port !== 0 && config.port === config.healthPort)
    problems.push(`--health-port: ${config.port} is --port already; choose another`);
  if (read.wasGiven('client-cn') && !read.wasGiven('client-ca'))
    problems.push('--client-cn: needs --client-ca, for the CAs whose certificates have these names');
  checkTlsSecret(config, read, problems);
  if (config.cluster !== undefined) checkDurations(config.cluster, problems);
  return problems.length > 0 ? { problems } : { config };
}

function readClusterConfig(read: ValueReader): ClusterConfig | undefined {
  // Read all the same: what is wrong with them is worth knowing at once.
  const settings = {
    namespace: read.name('namespace'),
    serviceName: read.name('service-name') ?? '',
    webhookConfigurations: read.name('webhook-configurations') ?? '',
    caSecret: read.name('ca-secret') ?? '',
    tlsSecret: read.name('tls-secret'),
    caLifetime: read.duration('ca-lifetime'),
    leafLifetime: read.duration('leaf-lifetime'),
    caOverlap: read.duration('ca-overlap'),
    certificateCheck: read.duration('certificate-check'),
    lease: read.name('lease') ?? '',
    leaseDuration: read.duration('lease-duration'),
    leaseRenew: read.duration('lease-renew'),
    watchRenewal: read.duration('watch-renewal'),
    policyBudget: read.integer('policy-budget', 1, MAX_POLICY_BUDGET) * MEBIBYTE,
  };
  const kubeconfig = read.path('kubeconfig');
  return kubeconfig === undefined ? undefined : { kubeconfig, ...settings };
}

function checkTlsSecret(config: ServeConfig, read: ValueReader, problems: string[]): void {
  if (!read.wasGiven('tls-secret')) return;
  if (config.cluster === undefined) problems.push('--tls-secret: needs --kubeconfig, for the cluster that it is in');
  if (config.tlsCert !== undefined || config.tlsKey !== undefined)
    problems.push('--tls-secret: cannot be given together with --tls-cert and --tls-key; choose one');
}

/** Durations that together could not keep the promise that no served certificate is ever untrusted, or no leader ever found. */
function checkDurations(cluster: ClusterConfig, problems: string[]): void {
  const { caLifetime, leafLifetime, caOverlap, certificateCheck, leaseDuration, leaseRenew, watchRenewal } = cluster;
  // The last third of a CA's life is what a rotation has: one overlap before it and, after it, the last leaf and another overlap.
  const rotation = leafLifetime + 2 * caOverlap;
  if (caLifetime < 3 * rotation) {
    problems.push(
      `--ca-lifetime: ${formatDuration(caLifetime)} is too short: a third of it must cover --leaf-lifetime and twice --ca-overlap, so at least ${formatDuration(3 * rotation)}`,
    );
  }
  if (certificateCheck > leafLifetime / 6) {
    problems.push(
      `--certificate-check: ${formatDuration(certificateCheck)} is too rare for --leaf-lifetime ${formatDuration(leafLifetime)}: at most ${formatDuration(Math.floor(leafLifetime / 6))}`,
    );
  }
  if (leaseRenew > leaseDuration / 3) {
    problems.push(
      `--lease-renew: ${formatDuration(leaseRenew)} is too rare for --lease-duration ${formatDuration(leaseDuration)}: at most ${formatDuration(Math.floor(leaseDuration / 3))}`,
    );
  }
  if (watchRenewal < WATCH_RENEWAL_LIMITS.least || watchRenewal > WATCH_RENEWAL_LIMITS.most) {
    const [least, most] = [WATCH_RENEWAL_LIMITS.least, WATCH_RENEWAL_LIMITS.most].map(formatDuration);
    problems.push(`--watch-renewal: must be from ${least} to ${most}, not ${formatDuration(watchRenewal)}`);
  }
}

/**
 * The API server counts a watch in whole seconds. A quiet collection is heard of once a renewal, which must be well below the 10 minutes of
 * the alert ProbewrightConfigStale.
 */
const WATCH_RENEWAL_LIMITS = { least: 2_000, most: 300_000 } as const;

/** Longer than any setting here makes sense, and short of what a date can hold. */
const MAX_DURATION = 100 * 365 * 86_400_000;

/**
 * An empty variable counts as none. Nor is `tcp://10.0.0.1:443` ours: Kubernetes sets PROBEWRIGHT_PORT to the address of a Service called
 * probewright in every Pod beside it (service links).
 */
function isOurs(value: string | undefined): boolean {
  return value !== undefined && value !== '' && !/^(tcp|udp|sctp):\/\//.test(value);
}

/** Turns texts into values; a bad one is reported by the name that it was given under. */
class ValueReader {
  readonly #value: ReadonlyMap<string, string>;
  readonly #origin: ReadonlyMap<string, string>;
  readonly #problems: string[];

  constructor(value: ReadonlyMap<string, string>, origin: ReadonlyMap<string, string>, problems: string[]) {
    this.#value = value;
    this.#origin = origin;
    this.#problems = problems;
  }

  required(flag: string): string {
    const value = this.#value.get(flag);
    if (value === undefined || value === '') this.#report(flag, 'must be given');
    return value ?? '';
  }

  wasGiven(flag: string): boolean {
    return this.#value.has(flag);
  }

  /** A file, a directory, or what stands for one; undefined when it is not given. */
  path(flag: string): string | undefined {
    const value = this.#value.get(flag);
    if (value === '') this.#report(flag, 'must not be empty');
    return value === '' ? undefined : value;
  }

  /** A comma list; empty when it is not given. */
  list(flag: string): readonly string[] {
    const value = this.#value.get(flag);
    if (value === undefined) return [];
    const items = value.split(',').map((item) => item.trim());
    if (items.includes('')) this.#report(flag, `must be a comma list of names, not ${JSON.stringify(value)}`);
    return items;
  }

  name(flag: string): string | undefined {
    const value = this.#value.get(flag);
    if (value !== undefined && !isDnsSubdomain(value)) {
      this.#report(flag, `must be the name of a Kubernetes object, not ${JSON.stringify(value)}`);
    }
    return value;
  }

  /** A duration of at least a millisecond, in milliseconds. */
  duration(flag: string): number {
    const text = this.#value.get(flag) ?? '';
    const value = parseDuration(text);
    if (value !== undefined && value >= 1 && value <= MAX_DURATION) return value;
    this.#report(flag, `must be a duration such as 90s, 5m, 1h30m or 7d, not ${JSON.stringify(text)}`);
    return 1;
  }

  integer(flag: string, minimum: number, maximum: number): number {
    const text = this.#value.get(flag) ?? '';
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (value >= minimum && value <= maximum) return value;
    this.#report(flag, `must be a whole number from ${minimum} to ${maximum}, not ${JSON.stringify(text)}`);
    return minimum;
  }

  oneOf<T extends string>(flag: string, choices: readonly [T, ...T[]] | readonly T[]): T {
    const text = this.#value.get(flag) ?? '';
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined)
      this.#report(flag, `must be ${choices.join(', ')}, not ${JSON.stringify(text)}${didYouMean(text, choices)}`);
    return choice ?? choices[0];
  }

  #report(flag: string, problem: string): void {
    this.#problems.push(`${this.#origin.get(flag) ?? flag}: ${problem}`);
  }
}
