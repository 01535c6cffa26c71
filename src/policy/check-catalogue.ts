/** What a violation of a check leads to, laxest first. */
export const ACTIONS = ['Off', 'Audit', 'Warn', 'Deny'] as const;
export type Action = (typeof ACTIONS)[number];

/** The stricter of two actions. */
export function stricter(a: Action, b: Action): Action {
  return ACTIONS.indexOf(a) >= ACTIONS.indexOf(b) ? a : b;
}

/** How a check's parameter is written in a policy. */
export type ParameterShape =
  | { readonly type: 'integer'; readonly minimum: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  /** A list of distinct strings, from `choices` when given. */
  | { readonly type: 'strings'; readonly choices?: readonly string[] }
  /** `{ periodSeconds: { minimum, maximum } }` for any of the six integers. */
  | { readonly type: 'bounds' }
  /** `{ allowed: [...] }` for one probe. */
  | { readonly type: 'object'; readonly fields: Readonly<Record<string, ParameterShape>> };

/** A check as policies may speak of it. What it does is in src/checks. */
export interface CheckEntry {
  readonly action: Action;
  readonly parameters: Readonly<Record<string, ParameterShape>>;
}

const seconds: ParameterShape = { type: 'integer', minimum: 0 };
const handlers: ParameterShape = { type: 'strings', choices: ['httpGet', 'tcpSocket', 'grpc', 'exec'] };
const probes: ParameterShape = { type: 'strings', choices: ['livenessProbe', 'readinessProbe', 'startupProbe'] };
const required: Readonly<Record<string, ParameterShape>> = {
  containers: { type: 'choice', choices: ['main', 'all'] },
  sidecars: { type: 'boolean' },
};
const allowedHandlers: ParameterShape = { type: 'object', fields: { allowed: handlers } };
const bounds: ParameterShape = { type: 'bounds' };

/** The catalogue: every check id, its action when no policy says otherwise, and its parameters. */
export const CHECK_CATALOGUE: Readonly<Record<string, CheckEntry>> = {
  'valid-probe': { action: 'Deny', parameters: {} },
  'named-port': { action: 'Deny', parameters: {} },
  'probe-host': { action: 'Warn', parameters: {} },
  'header-value': { action: 'Deny', parameters: {} },
  'exec-command': { action: 'Deny', parameters: {} },
  'liveness-never-restarts': { action: 'Warn', parameters: {} },
  'startup-budget': { action: 'Warn', parameters: { minimumSeconds: seconds } },
  'delayed-liveness': { action: 'Warn', parameters: { seconds, toleranceSeconds: seconds } },
  'shared-endpoint': { action: 'Warn', parameters: {} },
  'killed-before-drained': { action: 'Audit', parameters: {} },
  'dependency-liveness': {
    action: 'Warn',
    parameters: { paths: { type: 'strings' }, additionalPaths: { type: 'strings' } },
  },
  'timeout-over-period': { action: 'Warn', parameters: {} },
  'slow-detection': { action: 'Audit', parameters: { maximumSeconds: seconds } },
  'grace-period': { action: 'Warn', parameters: {} },
  'exec-cost': { action: 'Warn', parameters: { minimumPeriodSeconds: seconds } },
  'void-initial-delay': { action: 'Audit', parameters: {} },
  'progress-deadline': { action: 'Warn', parameters: {} },
  'undeclared-port': { action: 'Audit', parameters: {} },
  'required-liveness': { action: 'Off', parameters: required },
  'required-readiness': { action: 'Off', parameters: required },
  'required-startup': { action: 'Off', parameters: { ...required, whenLiveness: { type: 'boolean' } } },
  'required-any': { action: 'Off', parameters: required },
  'identical-probes': { action: 'Off', parameters: {} },
  'probe-handler': {
    action: 'Off',
    parameters: {
      allowed: handlers,
      livenessProbe: allowedHandlers,
      readinessProbe: allowedHandlers,
      startupProbe: allowedHandlers,
    },
  },
  'probe-bounds': {
    action: 'Off',
    parameters: { livenessProbe: bounds, readinessProbe: bounds, startupProbe: bounds },
  },
  'exec-forbidden': { action: 'Off', parameters: { names: { type: 'strings' }, probes } },
};
