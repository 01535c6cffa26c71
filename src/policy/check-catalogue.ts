import { BOUNDS } from './bounds.ts';
import type { Bound } from './bounds.ts';

/** What a violation of a check leads to, laxest first. */
export const ACTIONS = ['Off', 'Audit', 'Warn', 'Deny'] as const;
export type Action = (typeof ACTIONS)[number];

/** The stricter of two actions. */
export function stricter(a: Action, b: Action): Action {
  return ACTIONS.indexOf(a) >= ACTIONS.indexOf(b) ? a : b;
}

/** The laxer of two actions. */
export function laxer<T extends Action>(a: T, b: T): T {
  return ACTIONS.indexOf(a) <= ACTIONS.indexOf(b) ? a : b;
}

/** How a check's parameter is written in a policy. */
export type ParameterShape =
  | { readonly type: 'integer'; readonly minimum: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  /** A list of distinct texts, so many and so long at most. */
  | { readonly type: 'strings'; readonly count: Bound; readonly length: Bound }
  /** A list of some of these. */
  | { readonly type: 'choices'; readonly choices: readonly string[] }
  /** `{ periodSeconds: { minimum, maximum } }` for any of the six integers. */
  | { readonly type: 'bounds' }
  /** `{ allowed: [...] }` for one probe. */
  | { readonly type: 'object'; readonly fields: Readonly<Record<string, ParameterShape>> };

/** A check as policies may speak of it. What it does is in src/checks. */
export interface CheckEntry {
  /** What a violation means, in one sentence. */
  readonly summary: string;
  readonly action: Action;
  readonly parameters: Readonly<Record<string, ParameterShape>>;
}

/** A list of some of these choices has at most all of them: none is listed twice. */
export function choiceBound(choices: readonly string[]): Bound {
  return { maximum: choices.length, unit: 'values', at: '' };
}

const seconds: ParameterShape = { type: 'integer', minimum: 0 };
const handlers: ParameterShape = { type: 'choices', choices: ['httpGet', 'tcpSocket', 'grpc', 'exec'] };
const probes: ParameterShape = { type: 'choices', choices: ['livenessProbe', 'readinessProbe', 'startupProbe'] };
const programs: ParameterShape = { type: 'strings', count: BOUNDS.programs, length: BOUNDS.program };
const dependencyPaths: ParameterShape = {
  type: 'strings',
  count: BOUNDS.dependencyPaths,
  length: BOUNDS.dependencyPath,
};
const required: Readonly<Record<string, ParameterShape>> = {
  containers: { type: 'choice', choices: ['main', 'all'] },
  sidecars: { type: 'boolean' },
};
const allowedHandlers: ParameterShape = { type: 'object', fields: { allowed: handlers } };
const bounds: ParameterShape = { type: 'bounds' };

/** The catalogue: every check id, its action when no policy says otherwise, and its parameters. */
export const CHECK_CATALOGUE: Readonly<Record<string, CheckEntry>> = {
  'valid-probe': { summary: 'The API server would refuse the probe.', action: 'Deny', parameters: {} },
  'named-port': {
    summary:
      'The probe names a port that its container does not declare for TCP, so it errors for ever and does nothing.',
    action: 'Deny',
    parameters: {},
  },
  'probe-host': { summary: 'The probe asks another host than the Pod.', action: 'Warn', parameters: {} },
  'header-value': {
    summary: 'A probe header has a control character, so the probe fails every time.',
    action: 'Deny',
    parameters: {},
  },
  'exec-command': {
    summary: 'A probe command names no program, so the probe errors every time.',
    action: 'Deny',
    parameters: {},
  },
  'liveness-never-restarts': {
    summary: 'A probe kills the container, and restartPolicy Never leaves it dead.',
    action: 'Warn',
    parameters: {},
  },
  'startup-budget': {
    summary: 'The container is not guaranteed enough time to start.',
    action: 'Warn',
    parameters: { minimumSeconds: seconds },
  },
  'delayed-liveness': {
    summary: 'A liveness probe waits for a slow start in place of a startup probe.',
    action: 'Warn',
    parameters: { seconds, toleranceSeconds: seconds },
  },
  'shared-endpoint': {
    summary: 'Liveness and readiness ask the same endpoint, and liveness does not give up later.',
    action: 'Warn',
    parameters: {},
  },
  'killed-before-drained': {
    summary: 'A container can be killed before its traffic is taken away.',
    action: 'Audit',
    parameters: {},
  },
  'dependency-liveness': {
    summary: 'A liveness probe asks an endpoint that reports on dependencies.',
    action: 'Warn',
    parameters: { paths: dependencyPaths, additionalPaths: dependencyPaths },
  },
  'timeout-over-period': {
    summary: 'A probe may take longer than its period, which stretches the period.',
    action: 'Warn',
    parameters: {},
  },
  'slow-detection': {
    summary: 'A deadlocked container is killed too late.',
    action: 'Audit',
    parameters: { maximumSeconds: seconds },
  },
  'grace-period': { summary: 'A probe kills more patiently than the Pod is stopped.', action: 'Warn', parameters: {} },
  'exec-cost': {
    summary: 'A probe starts processes often, or gives them a second.',
    action: 'Warn',
    parameters: { minimumPeriodSeconds: seconds },
  },
  'void-initial-delay': {
    summary: 'An initial delay has no effect behind the startup probe.',
    action: 'Audit',
    parameters: {},
  },
  'progress-deadline': {
    summary: 'A rollout can be reported as failed while the container may still start.',
    action: 'Warn',
    parameters: {},
  },
  'undeclared-port': {
    summary: 'The probe asks a port number that its container does not declare.',
    action: 'Audit',
    parameters: {},
  },
  'required-liveness': { summary: 'A container has no liveness probe.', action: 'Off', parameters: required },
  'required-readiness': { summary: 'A container has no readiness probe.', action: 'Off', parameters: required },
  'required-startup': {
    summary: 'A container has no startup probe.',
    action: 'Off',
    parameters: { ...required, whenLiveness: { type: 'boolean' } },
  },
  'required-any': { summary: 'A container has no probe at all.', action: 'Off', parameters: required },
  'identical-probes': { summary: 'Liveness and readiness probe are the same.', action: 'Off', parameters: {} },
  'probe-handler': {
    summary: 'The probe uses a handler that is not allowed.',
    action: 'Off',
    parameters: {
      allowed: handlers,
      livenessProbe: allowedHandlers,
      readinessProbe: allowedHandlers,
      startupProbe: allowedHandlers,
    },
  },
  'probe-bounds': {
    summary: 'A number of the probe is outside its bounds.',
    action: 'Off',
    parameters: { livenessProbe: bounds, readinessProbe: bounds, startupProbe: bounds },
  },
  'exec-forbidden': {
    summary: 'A probe command uses a forbidden program.',
    action: 'Off',
    parameters: { names: programs, probes },
  },
};
