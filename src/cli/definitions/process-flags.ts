import { ENFORCEMENTS } from '../../engine/verdict/modes.ts';
import { optional, withDefault } from '../flags/flag.ts';
import { choice, commaList, duration, path, textThat, trueOrFalse, wholeNumber } from '../flags/value-types.ts';
import { isDnsSubdomain } from '../../engine/policy/dns-subdomain.ts';
import { POLICY_BUDGET_BYTES } from '../../engine/policy/policy-budget.ts';
import { LOG_LEVELS } from '../../process/log-level.ts';
import { DURATION_LIMITS } from '../../webhook/duration-limits.ts';

export const MEBIBYTE = 1024 * 1024;
/** More memory than any process needs, in MiB. */
const MAX_POLICY_BUDGET = 1024;

export const PORT = wholeNumber('PORT', 0, 65_535);
export const OBJECT_NAME = textThat(isDnsSubdomain, 'the name of a Kubernetes object', 'NAME');

/** The flags that every long-running process has, with the same meaning. */
export const PROCESS_FLAGS = {
  'health-port': withDefault({
    type: PORT,
    default: '8081',
    summary: 'Plain HTTP port for /livez, /readyz and /metrics.',
  }),
  enforcement: withDefault({
    type: choice(ENFORCEMENTS),
    default: 'Deny',
    summary: 'The strictest action that a violation may have.',
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
  'exempt-namespaces': optional({
    type: commaList('NAMESPACE'),
    summary: 'Namespaces that the webhook configurations exempt.',
    otherwise: 'kube-system, kube-public, kube-node-lease and --namespace',
  }),
  'lease-duration': withDefault({
    type: duration(DURATION_LIMITS.mostDuration),
    default: '60s',
    summary: 'How long a leader that does not renew the Lease stays the leader.',
  }),
  'lease-renew': withDefault({
    type: duration(DURATION_LIMITS.mostDuration),
    default: '15s',
    summary: 'How often the leader renews the Lease, and the other replicas read it.',
  }),
  'watch-renewal': withDefault({
    type: duration(DURATION_LIMITS.mostDuration),
    default: '5m',
    summary: 'How long a watch lasts before it is renewed, up to a fifth less or more.',
    details: 'From 2s to 5m.',
  }),
  services: withDefault({
    type: trueOrFalse(),
    default: 'true',
    summary: 'Whether to read the Services of the cluster, for the check service-readiness.',
    links: 'See [service-readiness](checks.md#service-readiness).',
  }),
  'startup-profiles': withDefault({
    type: trueOrFalse(),
    default: 'true',
    summary: 'Whether to read the StartupProfiles of the cluster, for learned budgets and the check observed-startup.',
    links: 'See [learned.md](learned.md#without-learned-start-times).',
  }),
  'policy-budget': withDefault({
    type: wholeNumber('MEBIBYTES', 1, MAX_POLICY_BUDGET),
    default: String(POLICY_BUDGET_BYTES / MEBIBYTE),
    summary: 'Memory for the ProbePolicies of all namespaces together.',
    details: 'A policy of 30 lines takes 5 KiB.',
    links: 'See [budgets](limits.md#budgets-of-policies).',
  }),
} as const;
