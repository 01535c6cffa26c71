import { checkedWorkload } from '../checks/checked-workload.ts';
import { findingsInSteps } from '../checks/run-checks.ts';
import { requiredAny } from '../checks/required-any.ts';
import { requiredLiveness } from '../checks/required-liveness.ts';
import { requiredReadiness } from '../checks/required-readiness.ts';
import { requiredStartup } from '../checks/required-startup.ts';
import { defaultProbesInSteps } from '../defaulting/default-probes.ts';
import { effectiveTemplate } from '../defaulting/effective.ts';
import { cut } from '../text/cut.ts';
import { runToEnd } from '../steps.ts';
import { BUILT_IN_KINDS, isPod } from '../workload/kinds.ts';
import type { JsonObject } from '../probes/json.ts';
import type { ProbeKind } from '../probes/probe.ts';
import type { PlacedFinding } from '../checks/run-checks.ts';
import type { Defaulting, DefaultingOptions, Injection } from '../defaulting/default-probes.ts';
import type { HandlerProblem } from '../defaulting/handler.ts';
import type { CheckPolicy } from '../policy/check-policy.ts';
import type { PolicyLayer } from '../policy/probe-policy.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';
import type { Steps } from '../steps.ts';
import type { Container } from '../workload/containers.ts';
import type { WorkloadKind } from '../workload/kinds.ts';

/** The same as permittedDefaulting, at once. */
export function permittedProbes(template: JsonObject, policy: WorkloadPolicy, options: DefaultingOptions): Defaulting {
  return runToEnd(permittedDefaulting(template, policy, options));
}

/**
 * The probes that a Pod's containers lack and policy gives them, without those that violate a check with the floor Deny. A namespace's policy could
 * otherwise inject what the cluster's policy forbids, into workloads that were judged before that policy existed. For the same reason, a probe that
 * such a floor requires cannot be taken away: the container gets what the cluster's policies alone give.
 *
 * The decision is about the Pod alone, as `/mutate` sees no more: it is the same in a template and in the Pods that come of it.
 */
export function* permittedDefaulting(
  template: JsonObject,
  policy: WorkloadPolicy,
  options: DefaultingOptions,
): Steps<Defaulting> {
  const floors = floorPolicy(policy);
  if (floors === undefined) return yield* defaultProbesInSteps(template, policy, options);
  const permitted = yield* withoutForbidden(template, policy, options, floors);
  const isPlatformOnly = policy.layers.every(({ kind }) => kind === 'ClusterProbePolicy');
  if (isPlatformOnly || !policy.layers.some(({ checks }) => REQUIREMENTS.some((id) => checks.has(id))))
    return permitted;
  return yield* withRequired(template, policy, options, floors, permitted);
}

const REQUIREMENTS: readonly string[] = [requiredLiveness, requiredReadiness, requiredStartup, requiredAny].map(
  ({ id }) => id,
);

/** Gives containers that lack a required probe what the cluster's policies alone give them, unless that violates a floor in turn. */
function* withRequired(
  template: JsonObject,
  policy: WorkloadPolicy,
  options: DefaultingOptions,
  floors: Floors,
  permitted: Defaulting,
): Steps<Defaulting> {
  const found = yield* findings(effectiveTemplate(template, permitted.injections), floors);
  const lacking = new Set(found.filter(({ check }) => REQUIREMENTS.includes(check.id)).map(({ at }) => at.path));
  if (lacking.size === 0) return permitted;
  const layers = policy.layers.filter(({ kind }) => kind === 'ClusterProbePolicy');
  const platform = yield* withoutForbidden(template, { ...policy, layers }, options, floors);
  const known = new Set(permitted.injections.map(({ container, kind }) => placeOf(pathOf(container), kind)));
  const added = platform.injections.filter(
    ({ container, kind }) => lacking.has(pathOf(container)) && !known.has(placeOf(pathOf(container), kind)),
  );
  if (added.length === 0) return permitted;
  const injections = [...permitted.injections, ...added];
  const before = new Set(found.map(keyOf));
  const after = yield* findings(effectiveTemplate(template, injections), floors);
  if (after.some((finding) => !before.has(keyOf(finding)))) return permitted;
  const given = new Set(added.map(({ container, kind }) => `${container.name} ${kind}`));
  const notInjected = permitted.notInjected.filter(
    ({ container, probe }) => container === undefined || probe === undefined || !given.has(`${container} ${probe}`),
  );
  return { ...permitted, injections, notInjected };
}

/** What the layers give, without the probes that violate a floor. */
function* withoutForbidden(
  template: JsonObject,
  policy: WorkloadPolicy,
  options: DefaultingOptions,
  floors: Floors,
): Steps<Defaulting> {
  let permitted = yield* defaultProbesInSteps(template, policy, options);
  const forbidden = new Map<string, HandlerProblem>();
  let before: ReadonlySet<string> | undefined;
  // Each round forbids one more probe at least, so the rounds end. Most often the first one finds nothing.
  while (permitted.injections.length > 0) {
    const found = yield* findings(effectiveTemplate(template, permitted.injections), floors);
    if (found.length === 0) break;
    before ??= new Set((yield* findings(template, floors)).map(keyOf));
    const caused = found.filter((finding) => before?.has(keyOf(finding)) === false);
    if (caused.length === 0) break;
    yield* forbidCulprits(caused, permitted.injections, forbidden);
    permitted = yield* defaultProbesInSteps(template, policy, options, (container, kind) =>
      forbidden.get(placeOf(pathOf(container), kind)),
    );
  }
  return permitted;
}

const POD: WorkloadKind = BUILT_IN_KINDS.find(isPod) ?? {
  group: '',
  kind: 'Pod',
  templatePaths: [[]],
  runsToCompletion: false,
};

type Floors = (container: string) => CheckPolicy;

/** The checks with the floor Deny, by container; undefined when no layer sets such a floor. */
function floorPolicy({ layers, checkPolicy }: WorkloadPolicy): Floors | undefined {
  if (!layers.some(hasDenyFloor)) return undefined;
  const known = new Map<CheckPolicy, CheckPolicy>();
  return (container) => {
    const policy = checkPolicy(container);
    let bound = known.get(policy);
    if (bound === undefined) {
      bound = new Map([...policy].filter(([, { floor }]) => floor?.action === 'Deny'));
      known.set(policy, bound);
    }
    return bound;
  };
}

function hasDenyFloor({ checks }: PolicyLayer): boolean {
  for (const { floor } of checks.values()) if (floor === 'Deny') return true;
  return false;
}

/** What the checks with floors find, by the parameters of the floors and by those of all layers. */
function* findings(template: JsonObject, floors: Floors): Steps<PlacedFinding[]> {
  const workload = checkedWorkload(template, POD, { template, path: [] });
  yield;
  return yield* findingsInSteps(workload, floors);
}

/** What makes a finding the same one with and without the injected probes. */
function keyOf({ check, at, finding }: PlacedFinding): string {
  return `${check.id} ${placeOf(finding.path, finding.probe)} ${at.path}`;
}

function placeOf(path: string, kind: ProbeKind | undefined): string {
  return `${path} ${kind ?? ''}`;
}

function pathOf({ list, index }: Container): string {
  return `spec.${list}[${index}]`;
}

/** Findings between two steps. */
const FINDINGS_A_STEP = 64;

/** Forbids the injected probes that findings are about, else those that the check looks at beside them, else all of the container or the Pod. */
function* forbidCulprits(
  caused: readonly PlacedFinding[],
  injections: readonly Injection[],
  forbidden: Map<string, HandlerProblem>,
): Steps<void> {
  const byContainer = Map.groupBy(injections, ({ container }) => pathOf(container));
  for (const [index, { check, at, floor, finding }] of caused.entries()) {
    if (index % FINDINGS_A_STEP === FINDINGS_A_STEP - 1) yield;
    const inContainer = byContainer.get(at.path) ?? [];
    const own = inContainer.filter(({ kind }) => kind === finding.probe);
    const related = inContainer.filter(({ kind }) => check.relatedProbes?.includes(kind) === true);
    const rule = `${check.id}, which ${floor?.source ?? 'a cluster policy'} sets with the floor Deny`;
    // A finding that fits no container is about all of the Pod: nothing is injected then.
    if (inContainer.length === 0)
      for (const { container, kind } of injections) forbid(container, kind, `${rule}, forbids it`);
    for (const { container, kind } of [own, related, inContainer].find(({ length }) => length > 0) ?? []) {
      forbid(container, kind, `${rule}, forbids it: ${cut(finding.message, MOST_QUOTED)}`);
      // A liveness probe of ours never kills a container that is starting.
      if (kind === 'startupProbe' && inContainer.some((other) => other.kind === 'livenessProbe'))
        forbid(container, 'livenessProbe', `${rule}, forbids the startupProbe that would protect its start`);
    }
    if (inContainer.length === 0) return;
  }

  function forbid(container: Container, kind: ProbeKind, detail: string): void {
    const probe = placeOf(pathOf(container), kind);
    if (!forbidden.has(probe)) forbidden.set(probe, { code: 'forbidden-by-floor', detail });
  }
}

/** Characters of a check's message in a reason: enough to know it by. */
const MOST_QUOTED = 200;
