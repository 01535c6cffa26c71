import { CHECK_CATALOGUE } from '../checks/catalogue.ts';
import { startupBudget } from '../checks/startup-budget.ts';
import { STARTUP_PERIOD_SECONDS } from '../time/bounds.ts';
import { failureThresholdFor, guaranteedStartSeconds, probeTiming } from '../time/timing.ts';
import { checkedWorkload } from '../checks/checked-workload.ts';
import { runChecks } from '../checks/run-checks.ts';
import { defaultProbes } from '../defaulting/default-probes.ts';
import { formatPath } from '../../base/json/field-path.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { builtInPolicy, mergeChecks, type CheckPolicy } from '../policy/check-policy.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { POD_KIND } from '../workload/kinds.ts';
import { NO_SERVICES } from '../facts/services.ts';
import { readPod, withProbes } from '../workload/read-pod.ts';
import { withPoliciesAtFault } from './injected-violations.ts';
import { fullMessage, type Violation } from '../checks/violation.ts';
import type { ProbePolicy } from '../policy/probe-policy.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';

const MODEL_NAME = 'app';
const MODEL_PORT = 'port';
const FIRST_NUMBER = 8080;

/**
 * The problems of what a policy writes about probes, whatever the workload. The policy is judged alone on a model Pod
 * with the ports that the policy names. Only checks that need nothing but these probes run. The path of each violation
 * is the field of the policy.
 *
 * @param houseRules policies whose settings of checks count too, lowest first
 */
export function policyAdvice(policy: ProbePolicy, houseRules: readonly ProbePolicy[] = []): readonly Violation[] {
  const checks = mergeChecks(builtInPolicy(CHECK_CATALOGUE), [...houseRules, policy]);
  const start = checks.get(startupBudget.id)?.action === 'Off' ? undefined : ownStart(policy);
  const advice = aboutProbes(withModelHandlers(policy), checks);
  return start === undefined ? advice : [...advice.filter(({ check }) => check !== startupBudget.id), start];
}

function aboutProbes(policy: ProbePolicy, merged: CheckPolicy): readonly Violation[] {
  const checks = new Map([...merged].filter(([id]) => CHECK_CATALOGUE[id]?.judgesProbeAlone === true));
  const onModel: WorkloadPolicy = {
    layers: [policy],
    sources: [policy.source],
    annotations: 'Ignore',
    checkPolicy: () => checks,
    services: NO_SERVICES,
  };
  const pod = readPod(modelPod(policy), POD_KIND);
  const { injections } = defaultProbes(pod, onModel);
  if (injections.length === 0) return [];
  const workload = checkedWorkload(withProbes(pod, injections));
  const found = withPoliciesAtFault(runChecks(workload, onModel.checkPolicy), injections, onModel.checkPolicy);
  return uniqueInPolicy(found);
}

/** A policy's own number below this is worth a word: it binds containers that the policy does not know. */
const SHORT_START_SECONDS = 60;

/** A start beyond a day is a slip of a unit, or a start that nobody waits for. */
const LONG_START_SECONDS = 86_400;

/** The number that a policy gives for the start, if it guarantees less than a minute, or more than a day. */
function ownStart({ source, containers, probes, slowStart }: ProbePolicy): Violation | undefined {
  const integers = probes.startupProbe?.integers ?? {};
  const { startupSeconds } = slowStart;
  const timing = probeTiming({ ...(startupSeconds && { periodSeconds: STARTUP_PERIOD_SECONDS }), ...integers });
  const byThreshold = integers.failureThreshold ? guaranteedStartSeconds(timing) : undefined;
  const seconds = Math.max(startupSeconds ?? 0, byThreshold ?? 0);
  const isLong = seconds > LONG_START_SECONDS;
  if ((startupSeconds ?? byThreshold) === undefined || (seconds >= SHORT_START_SECONDS && !isLong)) return undefined;
  const bound = isLong ? LONG_START_SECONDS : SHORT_START_SECONDS;
  const needed = failureThresholdFor(bound, timing.initialDelaySeconds, timing.periodSeconds);
  const [path, value] =
    startupSeconds && (!isLong || startupSeconds > bound)
      ? [['spec', 'slowStart', 'startupSeconds'], `startupSeconds: ${bound}`]
      : [['spec', 'probes', 'startupProbe', 'failureThreshold'], `failureThreshold: ${needed}`];
  return {
    check: startupBudget.id,
    action: 'Warn',
    container: modelName(containers),
    probe: 'startupProbe',
    path,
    message: isLong
      ? `guarantees ${seconds} s to start: a start that hangs is killed after more than a day`
      : `guarantees ${seconds} s to start; a container that needs longer is killed again and again`,
    policy: { source, path, remedy: `write ${value} or ${isLong ? 'less' : 'more'}`, action: 'Warn' },
  };
}

/** The problem of a probe that a policy gives, as the policy's status shows it. */
export interface PolicyAdvice {
  readonly check: string;
  /** The field of the policy: `spec.probes.livenessProbe.timeoutSeconds`. */
  readonly field: string;
  /** The problem and the remedy. */
  readonly message: string;
}

/** Advice about a policy as its status and a review of it show it: without notes. */
export function adviceAbout(policy: ProbePolicy): PolicyAdvice[] {
  const shown = policyAdvice(policy).filter(({ action }) => action !== 'Audit');
  return shown.map(({ check, path, message, policy: fault }) => {
    const text = fullMessage({ message, ...(fault?.remedy !== undefined && { remedy: fault.remedy }) });
    return { check, field: formatPath(path), message: text };
  });
}

/**
 * The same field may violate a check in two probes, if one probe copies the other. The model Pod says nothing about
 * defaults: other policies may set these fields, and no workload may get the probe.
 */
function uniqueInPolicy(found: readonly Violation[]): Violation[] {
  const known = new Set<string>();
  return found.flatMap(({ policy, ...violation }) => {
    const key = policy && `${violation.check} ${formatPath(policy.path)}`;
    if (policy === undefined || policy.lacking !== undefined || key === undefined || known.has(key)) return [];
    known.add(key);
    return [{ ...violation, path: policy.path, action: policy.action, policy }];
  });
}

/** The container that a policy names first; any name serves where it names none. */
function modelName(containers: ProbePolicy['containers']): string {
  return typeof containers === 'string' ? MODEL_NAME : (containers[0] ?? MODEL_NAME);
}

/** A policy may give numbers for probes whose endpoints come from other policies. No check knows this path. */
function withModelHandlers({ probes, ...policy }: ProbePolicy): ProbePolicy {
  const given = PROBE_KINDS.flatMap((kind) => {
    const probe = probes[kind];
    const lacks = probe?.handler === undefined && probe?.removed === undefined && kind !== 'startupProbe';
    const handler = { kind: 'httpGet', fields: { path: `/model-${kind}` } } as const;
    return probe === undefined ? [] : [[kind, lacks ? { ...probe, handler } : probe] as const];
  });
  return { ...policy, probes: Object.fromEntries(given) };
}

function modelPod(policy: ProbePolicy): JsonObject {
  const { containers, images } = policy;
  const name = modelName(containers);
  const image = images?.[0]?.replaceAll('*', MODEL_NAME);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'model', labels: { app: MODEL_NAME } },
    spec: { containers: [{ name, ...(image !== undefined && { image }), ports: modelPorts(policy) }] },
  };
}

function modelPorts({ port, probes }: ProbePolicy): JsonObject[] {
  const named = new Set<unknown>([port ?? MODEL_PORT]);
  for (const kind of PROBE_KINDS) named.add(probes[kind]?.handler?.fields.port);
  const numbers = new Set<unknown>(named);
  let free = FIRST_NUMBER;
  return [...named].flatMap((wanted): JsonObject[] => {
    if (typeof wanted === 'number') return [{ containerPort: wanted }];
    if (typeof wanted !== 'string') return [];
    while (numbers.has(free)) free += 1;
    return [{ name: wanted, containerPort: free++ }];
  });
}
