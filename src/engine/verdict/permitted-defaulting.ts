import { CHECKS } from '../checks/catalogue.ts';
import type { Finding } from '../checks/check.ts';
import { checkedWorkload } from '../checks/checked-workload.ts';
import { fullMessage } from '../checks/violation.ts';
import { defaultsOf } from '../policy/check-parameters.ts';
import { findingsOf, type PlacedFinding } from '../checks/run-checks.ts';
import { annotationsOf, defaultProbes, type Defaulting, type DefaultingOptions } from '../defaulting/default-probes.ts';
import { safeStartupProbe } from '../defaulting/startup.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { equalJson, without, type JsonObject } from '../../base/json/json-value.ts';
import { cut } from '../../base/text/cut.ts';
import { isPod, POD_KIND } from '../workload/kinds.ts';
import { injectionAt, type Injection } from '../defaulting/injection.ts';
import type { HandlerProblem, NotInjected } from '../defaulting/not-injected.ts';
import type { ProbeKind } from '../probe/probe.ts';
import { probeTiming } from '../time/timing.ts';
import { writtenProbe, type Container, type Pod } from '../workload/pod.ts';
import { asCreated, withProbes, type ProbeToAdd } from '../workload/read-pod.ts';
import { defaultedProbe } from '../probe/api-defaults.ts';
import { probesNamedIn } from '../defaulting/patch.ts';
import type { CheckPolicy, CheckPolicyByContainer } from '../policy/check-policy.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';

/**
 * The probes that policies give, without those that a check says cannot work (issue 38, C), and without those that
 * violate a floor Deny. Otherwise a namespace's policy could inject what the cluster's policy forbids, into workloads
 * that were judged before the policy existed. Nor can it remove a probe that such a floor requires: the container gets
 * what the cluster's policies alone give. The decision depends on the Pod alone, so a template and its Pods get the
 * same decision.
 */
export function permittedDefaulting(
  given: Pod,
  policy: WorkloadPolicy,
  options: DefaultingOptions = {},
): PermittedDefaulting {
  const pod = asCreated(given);
  const asked = { pod, policy, options, rules: rulesOf(policy) };
  const permitted = withoutLeftOut(asked, withRequired(asked, withoutForbidden(asked)));
  return pod === given ? permitted : { ...permitted, pod: withProbes(given, permitted.injections) };
}

/** What permittedDefaulting decides. */
export interface PermittedDefaulting extends Defaulting {
  /** The Pod with the injected probes. */
  readonly pod: Pod;
}

/** The same for a Pod that gets no probe now. For one that `/mutate` has seen, the probes that it got then. */
export function withoutInjections(pod: Pod, policy: WorkloadPolicy): PermittedDefaulting {
  const injections = isPod(pod.kind) ? injectedBefore(pod, policy) : [];
  return { injections, notInjected: [], warnings: annotationsOf(pod, policy).warnings, pod };
}

/**
 * The probes of a Pod that an earlier call for the same Pod injected. Anybody can write the annotation that names them.
 * So each counts only if policies give exactly this probe to the Pod without the named probes. A probe that does not
 * count is the author's, and is evidence about the others.
 */
export function injectedBefore(pod: Pod, policy: WorkloadPolicy): readonly Injection[] {
  let counted: readonly (ProbeToAdd & { readonly container: Container })[] = probesNamedIn(pod).flatMap((named) => {
    const probe = writtenProbe(named.container, named.kind)?.written;
    return probe === undefined ? [] : [{ ...named, probe }];
  });
  while (counted.length > 0) {
    const bare = withProbes(
      pod,
      counted.map((one) => ({ ...one, probe: undefined })),
    );
    const given = permittedDefaulting(bare, policy, { mayBeCopy: false }).injections;
    const confirmed = counted.flatMap(({ container, kind, probe = {} }) => {
      const expected = injectionAt(given, container, kind);
      // The API server fills in defaults after an injection.
      return expected && equalJson(asStored(probe), asStored(expected.probe)) ? [expected] : [];
    });
    if (confirmed.length === counted.length) return confirmed;
    counted = confirmed;
  }
  return [];
}

/** A probe as the API server shows it to the next call: a delay of 0 is left out (omitempty in core/v1). */
function asStored(probe: JsonObject): JsonObject {
  const defaulted = defaultedProbe(probe);
  return defaulted['initialDelaySeconds'] === 0 ? without(defaulted, 'initialDelaySeconds') : defaulted;
}

/** The checks of probes that cannot work or hide failures, with their defaults: no policy mends such a probe. */
export const CANNOT_WORK: CheckPolicy = new Map(
  CHECKS.filter(({ cannotWork, hidesFailures }) => cannotWork ?? hidesFailures).map(({ id, parameters }) => {
    return [id, { action: 'Deny', parameters: defaultsOf(parameters) }];
  }),
);

/** The checks that say that a probe cannot work, and the floors Deny of the policies. */
function rulesOf({ layers, checkPolicy }: WorkloadPolicy): CheckPolicyByContainer {
  if (!layers.some(({ checks }) => [...checks.values()].some(({ floor }) => floor === 'Deny')))
    return () => CANNOT_WORK;
  // Containers with the same layers share one policy.
  const known = new Map<CheckPolicy, CheckPolicy>();
  return (container) => {
    const whole = checkPolicy(container);
    const rules = known.get(whole) ?? withFloors(whole);
    known.set(whole, rules);
    return rules;
  };
}

function withFloors(whole: CheckPolicy): CheckPolicy {
  return new Map([...CANNOT_WORK, ...[...whole].filter(([, { floor }]) => floor?.action === 'Deny')]);
}

const REQUIREMENTS = CHECKS.filter(({ requiresProbes }) => requiresProbes);

interface Asked {
  readonly pod: Pod;
  readonly policy: WorkloadPolicy;
  readonly options: DefaultingOptions;
  readonly rules: CheckPolicyByContainer;
}

/** Probes that may be injected, with what the rules find beside them: absent when they were not asked. */
interface Judged {
  readonly permitted: PermittedDefaulting;
  readonly found?: readonly PlacedFinding[];
}

/**
 * Gives a container without a probe that a floor of the cluster requires what the cluster's policies give, unless
 * another floor forbids it. Only policies of a namespace can keep such a probe out.
 */
function withRequired(asked: Asked, { permitted: judged, found: known }: Judged): PermittedDefaulting {
  const { layers } = asked.policy;
  const ofPlatform = layers.filter(({ kind }) => kind === 'ClusterProbePolicy');
  const isRequired = layers.some(({ checks }) => REQUIREMENTS.some(({ id }) => checks.get(id)?.floor === 'Deny'));
  if (!isRequired || ofPlatform.length === layers.length) return judged;
  const required = known?.filter(({ check }) => check.requiresProbes) ?? findingsAlone(judged.pod, asked, REQUIREMENTS);
  const lacking = new Set(required.map(({ at }) => nameOf(at)));
  if (lacking.size === 0) return judged;
  const { permitted: platform } = withoutForbidden({ ...asked, policy: { ...asked.policy, layers: ofPlatform } });
  const added = platform.injections.filter(
    ({ container, kind }) =>
      lacking.has(nameOf(container)) && injectionAt(judged.injections, container, kind) === undefined,
  );
  if (added.length === 0) return judged;
  const injections = withSafeStarts([...judged.injections, ...added]);
  const before = new Set((known ?? findingsAlone(judged.pod, asked)).map(keyOf));
  const pod = withProbes(asked.pod, injections);
  if (findingsAlone(pod, asked).some((finding) => !before.has(keyOf(finding)))) return judged;
  const notInjected = judged.notInjected.filter(
    ({ container: name, probe }) => !added.some(({ container, kind }) => container.name === name && kind === probe),
  );
  return { ...judged, injections, notInjected, pod };
}

function withSafeStarts(injections: readonly Injection[]): Injection[] {
  return injections.map((injection) => {
    const { container, kind } = injection;
    if (kind !== 'startupProbe') return injection;
    const injected = injectionAt(injections, container, 'livenessProbe')?.probe;
    const liveness = injected === undefined ? writtenProbe(container, 'livenessProbe')?.numbers : probeTiming(injected);
    const safe = liveness && safeStartupProbe(injection, liveness);
    return safe === undefined ? injection : { ...injection, probe: safe, isMadeSafe: true };
  });
}

/** The probes that the tier in force injects. */
function withoutLeftOut({ pod, policy: { leftOut } }: Asked, permitted: PermittedDefaulting): PermittedDefaulting {
  if (leftOut === undefined || permitted.injections.length === 0) return permitted;
  const [injections, left]: [Injection[], NotInjected[]] = [[], []];
  const whyNot = leftOut(pod);
  for (const injection of permitted.injections) {
    const { container, kind, source } = injection;
    const problem = whyNot(container, kind);
    if (problem === undefined) injections.push(injection);
    else left.push({ container: container.name, probe: kind, wantedBy: source, ...problem });
  }
  const notInjected = [...left, ...permitted.notInjected];
  return { ...permitted, injections, notInjected, pod: withProbes(pod, injections) };
}

/** The probes that policies give, without those that a rule forbids. */
function withoutForbidden(asked: Asked): Judged {
  const { pod, policy, options } = asked;
  let permitted = defaultProbes(pod, policy, options);
  const forbidden = new Map<string, HandlerProblem>();
  let known: ReadonlySet<string> | undefined;
  const isKnown = (finding: PlacedFinding): boolean =>
    (known ??= new Set(findingsAlone(pod, asked).map(keyOf))).has(keyOf(finding));
  // Each round forbids at least one more probe, so the loop ends. The first round usually finds nothing.
  while (permitted.injections.length > 0) {
    const { injections } = permitted;
    const effective = withProbes(pod, injections);
    const byPlace = new Map(injections.map((one) => [placeOf(one.container, one.kind), one]));
    const found = findingsAlone(effective, asked);
    const concerning = found.filter((finding) => finding.floor !== undefined || isAbout(finding, byPlace));
    const caused = concerning.filter((finding) => !isKnown(finding));
    if (caused.length === 0) return { permitted: { ...permitted, pod: effective }, found };
    forbidCulprits(caused, injections, forbidden);
    permitted = defaultProbes(pod, policy, options, (container, kind) => forbidden.get(placeOf(container, kind)));
  }
  return { permitted: { ...permitted, pod } };
}

/** True for a finding about an injected probe, unless only a port's name says so and an aimed policy names the port. */
function isAbout({ check, at, finding }: PlacedFinding, injections: ReadonlyMap<string, Injection>): boolean {
  const one = injections.get(placeOf(at, finding.probe));
  return one !== undefined && !(one.isPortAimed === true && check.judgesByName === true);
}

/** The Pod is judged alone, so that a template and its Pods get the same decision. */
export function findingsAlone(
  pod: Pod,
  { policy: { services }, rules }: Pick<Asked, 'policy' | 'rules'>,
  checks = CHECKS,
): PlacedFinding[] {
  return findingsOf(checkedWorkload(pod, { kind: POD_KIND, services }), rules, checks);
}

/** Identifies a finding, so that it can be recognised with and without the injected probes. */
function keyOf({ check, at, finding }: PlacedFinding): string {
  return `${check.id} ${formatPath(finding.path)} ${placeOf(at, finding.probe)}`;
}

function placeOf(container: Container, kind: ProbeKind | undefined): string {
  return `${nameOf(container)} ${kind ?? ''}`;
}

/** Identifies a container of the Pod: names may repeat. */
function nameOf({ list, index }: Container): string {
  return `${list}[${index}]`;
}

/**
 * Forbids the injected probes that cause findings: the probe that a finding names, else those that the check compares
 * it with, else all of the container, else all of the Pod.
 */
function forbidCulprits(
  caused: readonly PlacedFinding[],
  injections: readonly Injection[],
  forbidden: Map<string, HandlerProblem>,
): void {
  const byContainer = Map.groupBy(injections, ({ container }) => nameOf(container));
  // The rule of the platform is the better reason.
  for (const placed of caused.toSorted((a, b) => Number(b.floor !== undefined) - Number(a.floor !== undefined))) {
    const { check, at, finding } = placed;
    const forbid = ({ container, kind }: Pick<Injection, 'container' | 'kind'>, what: Finding | string): void => {
      const place = placeOf(container, kind);
      if (!forbidden.has(place)) forbidden.set(place, problemOf(placed, what));
    };
    const inContainer = byContainer.get(nameOf(at)) ?? [];
    // A finding without a container concerns the whole Pod: then nothing is injected.
    if (inContainer.length === 0) {
      for (const injection of injections) forbid(injection, 'it');
      return;
    }
    const own = inContainer.filter(({ kind }) => kind === finding.probe);
    const related = inContainer.filter(({ kind }) => check.relatedProbes?.includes(kind));
    for (const injection of [own, related, inContainer].find(({ length }) => length > 0) ?? []) {
      forbid(injection, finding);
      // An injected liveness probe must not kill a container that is starting.
      if (injection.kind === 'startupProbe' && inContainer.some((other) => other.kind === 'livenessProbe'))
        forbid({ ...injection, kind: 'livenessProbe' }, 'the startupProbe that would protect its start');
    }
  }
}

const MOST_QUOTED = 300;

/** @param what the finding about the forbidden probe, or the words for what the check forbids */
function problemOf({ check: { id, hidesFailures }, floor }: PlacedFinding, what: Finding | string): HandlerProblem {
  const words = typeof what === 'string' ? what : `it: ${cut(what.message, MOST_QUOTED)}`;
  if (floor !== undefined)
    return {
      code: 'forbidden-by-floor',
      detail: `${id}, which ${floor.source} sets with the floor Deny, forbids ${words}`,
    };
  const doubt = hidesFailures ? 'hides failures' : 'cannot work';
  return {
    code: 'cannot-work',
    detail: `${typeof what === 'string' ? `${what} ${doubt}` : fullMessage(what)} (${id})`,
  };
}
