import { MUTATION_MODES } from './admission/decision.ts';
import { ENFORCEMENTS } from './admission/validate.ts';
import { readFlags } from './flags.ts';
import { didYouMean } from './policy/suggestion.ts';
import { LOG_LEVELS } from './log.ts';
import type { MutationMode } from './admission/decision.ts';
import type { Enforcement } from './admission/validate.ts';
import type { LogLevel } from './log.ts';

/** The settings of `probewright serve`. */
export interface ServeConfig {
  readonly policies: string;
  readonly host: string;
  readonly port: number;
  readonly healthPort: number;
  /** Both or neither; without them a development pair is made. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly enforcement: Enforcement;
  readonly mutation: MutationMode;
  readonly logLevel: LogLevel;
  readonly drainSeconds: number;
  /** File with custom kinds; undefined = the built-in and ready-made ones. */
  readonly workloadKinds: string | undefined;
}

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
    'directory with ProbePolicy and ClusterProbePolicy YAML files, watched for changes (required)',
  ),
  setting('host', 'ADDRESS', '0.0.0.0', 'address that both ports listen on'),
  setting('port', 'PORT', '8443', 'HTTPS port for /mutate and /validate'),
  setting('health-port', 'PORT', '8081', 'plain HTTP port for /livez, /readyz and /metrics'),
  setting(
    'tls-cert',
    'FILE',
    undefined,
    'PEM certificate chain, read again when it changes; without it a development pair is made in certs/',
  ),
  setting('tls-key', 'FILE', undefined, 'PEM private key for --tls-cert'),
  setting('enforcement', ENFORCEMENTS.join('|'), 'Deny', 'the most that a violation may lead to'),
  setting(
    'mutation',
    MUTATION_MODES.join('|'),
    'On',
    'On patches Pods; Audit only says what would have been added; Off leaves them alone',
  ),
  setting('log-level', LOG_LEVELS.join('|'), 'info', 'the least important lines that are logged'),
  setting(
    'workload-kinds',
    'FILE',
    undefined,
    'YAML list of { group, kind, podTemplatePath }: custom kinds whose Pod templates are checked',
  ),
  setting('drain-seconds', 'SECONDS', '10', 'after SIGTERM, how long to go on serving while callers move away'),
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
    const fromEnv = env[variable] === '' ? undefined : env[variable];
    const given = flags.get(flag) ?? fromEnv ?? fallback;
    if (given !== undefined) value.set(flag, given);
    origin.set(flag, flags.has(flag) || fromEnv === undefined ? `--${flag}` : variable);
  }
  const read = new ValueReader(value, origin, problems);
  const config: ServeConfig = {
    policies: read.required('policies'),
    host: read.required('host'),
    port: read.integer('port', 0, 65_535),
    healthPort: read.integer('health-port', 0, 65_535),
    tlsCert: value.get('tls-cert'),
    tlsKey: value.get('tls-key'),
    enforcement: read.oneOf('enforcement', ENFORCEMENTS),
    mutation: read.oneOf('mutation', MUTATION_MODES),
    logLevel: read.oneOf('log-level', LOG_LEVELS),
    workloadKinds: value.get('workload-kinds'),
    drainSeconds: read.integer('drain-seconds', 0, 3600),
  };
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    const [given, missing] = config.tlsKey === undefined ? ['tls-cert', 'tls-key'] : ['tls-key', 'tls-cert'];
    problems.push(`--${missing}: must be given together with --${given}`);
  }
  if (config.port !== 0 && config.port === config.healthPort)
    problems.push(`--health-port: ${config.port} is --port already; choose another`);
  return problems.length > 0 ? { problems } : { config };
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
