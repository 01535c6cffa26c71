import { formatDuration } from '../flags/value-types.ts';
import { DURATION_LIMITS } from '../../webhook/config.ts';
import { conflictsOfClusterDurations } from './process-flags.ts';
import { SERVE_FLAGS, type ServeFlagValues } from './serve-flags.ts';
import type { CommandDefinition } from '../flags/flag.ts';

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
  exitCodes: [
    { code: 0, meaning: 'The server has stopped after a signal.' },
    { code: 2, meaning: 'The server cannot start, or the command line is wrong.' },
  ],
  conflicts: conflictsOfServe,
};

/** The conflicts between values of serve's flags that are right by themselves. */
function conflictsOfServe(flags: ServeFlagValues): string[] {
  const problems: string[] = [];
  if (flags.policies === undefined && flags.kubeconfig === undefined)
    problems.push('--policies: must be given, or --kubeconfig for policies in a cluster');
  const [cert, key] = [flags['tls-cert'], flags['tls-key']];
  if ((cert === undefined) !== (key === undefined)) {
    const [given, missing] = key === undefined ? ['tls-cert', 'tls-key'] : ['tls-key', 'tls-cert'];
    problems.push(`--${missing}: must be given together with --${given}`);
  }
  if (flags.port !== 0 && flags.port === flags['health-port'])
    problems.push(`--health-port: ${flags.port} is --port already; choose another`);
  if (flags['client-cn'] !== undefined && flags['client-ca'] === undefined)
    problems.push('--client-cn: needs --client-ca, for the CAs whose certificates have these names');
  if (flags['tls-secret'] !== undefined && flags.kubeconfig === undefined)
    problems.push('--tls-secret: needs --kubeconfig, for the cluster that it is in');
  if (flags['tls-secret'] !== undefined && (cert !== undefined || key !== undefined))
    problems.push('--tls-secret: cannot be given together with --tls-cert and --tls-key; choose one');
  return flags.kubeconfig === undefined ? problems : [...problems, ...conflictsOfDurations(flags)];
}

/** Durations with which a served certificate could become untrusted, or the replicas could be without a leader. */
function conflictsOfDurations(flags: ServeFlagValues): string[] {
  const problems: string[] = [];
  const caLifetime = flags['ca-lifetime'];
  const leafLifetime = flags['leaf-lifetime'];
  const certificateCheck = flags['certificate-check'];
  const rotation = leafLifetime + DURATION_LIMITS.overlapsInRotation * flags['ca-overlap'];
  const leastCaLifetime = DURATION_LIMITS.rotationsInCaLifetime * rotation;
  const mostCheck = leafLifetime / DURATION_LIMITS.checksInLeafLifetime;
  if (caLifetime < leastCaLifetime) {
    problems.push(
      `--ca-lifetime: ${formatDuration(caLifetime)} is too short: a third of it must cover --leaf-lifetime and ` +
        `twice --ca-overlap, so at least ${formatDuration(leastCaLifetime)}`,
    );
  }
  if (certificateCheck > mostCheck) {
    problems.push(
      `--certificate-check: ${formatDuration(certificateCheck)} is too rare for --leaf-lifetime ` +
        `${formatDuration(leafLifetime)}: at most ${formatDuration(Math.floor(mostCheck))}`,
    );
  }
  return [...problems, ...conflictsOfClusterDurations(flags)];
}
