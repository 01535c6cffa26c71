import { CHECKS } from '../checks/catalogue.ts';
import type { Check, Finding } from '../checks/check.ts';
import { livenessNeverRestarts } from '../checks/liveness-never-restarts.ts';
import { validProbe } from '../checks/valid-probe.ts';
import { checkedWorkload } from '../checks/checked-workload.ts';
import { fullMessage } from '../checks/violation.ts';
import { defaultsOf } from '../policy/check-parameters.ts';
import { findingsOf, type PlacedFinding } from '../checks/run-checks.ts';
import { annotationsOf, defaultProbes, type Defaulting, type DefaultingOptions } from '../defaulting/default-probes.ts';
import { safeStartupProbe } from '../defaulting/startup.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { equalJson } from '../../base/json/json-value.ts';
import { cut } from '../../base/text/cut.ts';
import { isPod, POD_KIND } from '../workload/kinds.ts';
import { injectionAt, type HandlerProblem, type Injection } from '../defaulting/injection.ts';
import { PROBE_KINDS, type ProbeKind } from '../probe/probe.ts';
import { probeTiming } from '../probe/timing.ts';
import { writtenProbe, type Container, type Pod } from '../workload/pod.ts';
import { asCreated, withProbes, type ProbeToAdd } from '../workload/read-pod.ts';
import { INJECTED_ANNOTATION } from '../policy/annotations.ts';
import { defaultedProbe } from '../probe/api-defaults.ts';
import { readProvenance } from '../defaulting/patch.ts';
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
  const floors = floorPolicy(policy);
  const created = asCreated(given);
  let bare: readonly PlacedFinding[] | undefined;
  const asked: Asked = {
    ...{ pod: created, policy, options, rules: rulesWith(floors) },
    before: () => (bare ??= findings(created, asked)),
  };
  const judged = withoutForbidden(asked);
  const { permitted, pod } = mayLackRequired(policy, floors) ? withRequired(asked, judged) : judged;
  return { ...permitted, pod: created === given ? pod : withProbes(given, permitted.injections) };
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

/** True when a namespace's policies may keep out a probe that a floor of the cluster requires. */
function mayLackRequired({ layers }: WorkloadPolicy, floors: CheckPolicyByContainer | undefined): boolean {
  if (floors === undefined || layers.every(({ kind }) => kind === 'ClusterProbePolicy')) return false;
  return layers.some(({ checks }) => REQUIREMENTS.some(({ id }) => checks.has(id)));
}

/**
 * The probes of a Pod that an earlier call for the same Pod injected. Anybody can write the annotation that names them.
 * So each counts only if policies give exactly this probe to the Pod without the named probes. A probe that does not
 * count is the author's, and is evidence about the others.
 */
export function injectedBefore(pod: Pod, policy: WorkloadPolicy): readonly Injection[] {
  const named = readProvenance(pod.annotations.get(INJECTED_ANNOTATION));
  if (named.size === 0) return [];
  let counted: readonly (ProbeToAdd & { readonly container: Container })[] = pod.containers.flatMap((container) => {
    const probes = container.role === 'ephemeral' ? undefined : named.get(container.name);
    return PROBE_KINDS.filter((kind) => probes?.has(kind) === true).flatMap((kind) => {
      const probe = writtenProbe(container, kind)?.written;
      return probe === undefined ? [] : [{ container, kind, probe }];
    });
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
      return expected && equalJson(defaultedProbe(probe), defaultedProbe(expected.probe)) ? [expected] : [];
    });
    if (confirmed.length === counted.length) return confirmed;
    counted = confirmed;
  }
  return [];
}

/** The checks of probes that cannot work or hide failures, with their defaults: no policy mends such a probe. */
const CANNOT_WORK: CheckPolicy = new Map(
  CHECKS.filter(({ cannotWork, hidesFailures }) => cannotWork ?? hidesFailures).map(({ id, parameters }) => {
    return [id, { action: 'Deny', parameters: defaultsOf(parameters) }];
  }),
);

/** A probe that a check says cannot work, or succeeds while the application fails. So its times mean nothing. */
export interface BrokenProbe {
  readonly container: Pick<Container, 'list' | 'index'>;
  readonly probe: ProbeKind;
  readonly check: string;
  readonly message: string;
  readonly hidesFailures: boolean;
}

/** A kill without a restart is a kill in time. A value that the API server rejects counts as absent in every figure. */
const TIMES_HOLD: ReadonlySet<string> = new Set([livenessNeverRestarts.id, validProbe.id]);

/**
 * The probes of a Pod that cannot work, the injected ones among them. A note leaves a doubt, and a policy that
 * switches a check off knows better.
 */
export function brokenProbes(pod: Pod, policy: WorkloadPolicy): BrokenProbe[] {
  const rules = oncePerPolicy(
    policy.checkPolicy,
    (of) => new Map([...CANNOT_WORK].filter(([id]) => of.get(id)?.action !== 'Off')),
  );
  return findings(asCreated(pod), { policy, rules }).flatMap(({ check, action, at, finding: { probe, message } }) => {
    const isBroken = action === 'Deny' && !TIMES_HOLD.has(check.id);
    const { id, hidesFailures = false } = check;
    return isBroken && probe !== undefined ? [{ container: at, probe, check: id, message, hidesFailures }] : [];
  });
}

function rulesWith(floors: CheckPolicyByContainer | undefined): CheckPolicyByContainer {
  if (floors === undefined) return () => CANNOT_WORK;
  return oncePerPolicy(floors, (of) => new Map([...CANNOT_WORK, ...of]));
}

const REQUIREMENTS = CHECKS.filter(({ requiresProbes }) => requiresProbes);

interface Asked {
  readonly pod: Pod;
  readonly policy: WorkloadPolicy;
  readonly options: DefaultingOptions;
  /** The floors Deny, and the checks that say that a probe cannot work. */
  readonly rules: CheckPolicyByContainer;
  /** What they find in the Pod without injected probes. */
  readonly before: () => readonly PlacedFinding[];
}

/** Probes that may be injected, and what the rules find beside them. */
interface Judged {
  readonly permitted: Defaulting;
  /** The Pod with these probes. */
  readonly pod: Pod;
  readonly found: () => readonly PlacedFinding[];
}

/** Gives a container without a required probe what the cluster's policies give, unless another floor forbids it. */
function withRequired(asked: Asked, judged: Judged): Pick<Judged, 'permitted' | 'pod'> {
  const { pod, policy, options } = asked;
  const { permitted } = judged;
  const ofPlatform = { ...policy, layers: policy.layers.filter(({ kind }) => kind === 'ClusterProbePolicy') };
  if (defaultProbes(pod, ofPlatform, options).injections.length === 0) return judged;
  const found = judged.found();
  const lacking = new Set(found.filter(({ check }) => check.requiresProbes).map(({ at }) => nameOf(at)));
  if (lacking.size === 0) return judged;
  const platform = withoutForbidden({ ...asked, policy: ofPlatform }).permitted;
  const added = platform.injections.filter(
    ({ container, kind }) =>
      lacking.has(nameOf(container)) && injectionAt(permitted.injections, container, kind) === undefined,
  );
  if (added.length === 0) return judged;
  const injections = withSafeStarts([...permitted.injections, ...added]);
  const before = new Set(found.map(keyOf));
  const more = withProbes(pod, injections);
  if (findings(more, asked).some((finding) => !before.has(keyOf(finding)))) return judged;
  const notInjected = permitted.notInjected.filter(
    ({ container: name, probe }) => !added.some(({ container, kind }) => container.name === name && kind === probe),
  );
  return { permitted: { ...permitted, injections, notInjected }, pod: more };
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

function withoutForbidden(asked: Asked): Judged {
  const { pod, policy, options } = asked;
  let permitted = defaultProbes(pod, policy, options);
  const forbidden = new Map<string, HandlerProblem>();
  let known: ReadonlySet<string> | undefined;
  // Each round forbids at least one more probe, so the loop ends. The first round usually finds nothing.
  while (permitted.injections.length > 0) {
    const { injections } = permitted;
    const effective = withProbes(pod, injections);
    const found = findings(effective, asked);
    const byPlace = new Map(injections.map((one) => [placeOf(one.container, one.kind), one]));
    const concerning = found.filter((finding) => finding.floor !== undefined || isAbout(finding, byPlace));
    const before = concerning.length === 0 ? undefined : (known ??= new Set(asked.before().map(keyOf)));
    const caused = concerning.filter((finding) => before?.has(keyOf(finding)) !== true);
    if (caused.length === 0) return { permitted, pod: effective, found: () => found };
    forbidCulprits(caused, injections, forbidden);
    permitted = defaultProbes(pod, policy, options, (container, kind) => forbidden.get(placeOf(container, kind)));
  }
  return { permitted, pod, found: asked.before };
}

/** True for a finding about an injected probe, unless only a port's name says so and an aimed policy names the port. */
function isAbout({ check, at, finding }: PlacedFinding, injections: ReadonlyMap<string, Injection>): boolean {
  const one = injections.get(placeOf(at, finding.probe));
  return one !== undefined && !(one.isPortAimed === true && check.judgesByName === true);
}

function floorPolicy({ layers, checkPolicy }: WorkloadPolicy): CheckPolicyByContainer | undefined {
  if (!layers.some(({ checks }) => [...checks.values()].some(({ floor }) => floor === 'Deny'))) return undefined;
  return oncePerPolicy(checkPolicy, (whole) => new Map([...whole].filter(([, { floor }]) => floor?.action === 'Deny')));
}

/** Containers with the same layers share one policy. */
function oncePerPolicy(
  policyOf: CheckPolicyByContainer,
  derive: (policy: CheckPolicy) => CheckPolicy,
): CheckPolicyByContainer {
  const known = new Map<CheckPolicy, CheckPolicy>();
  return (container) => {
    const policy = policyOf(container);
    const derived = known.get(policy) ?? derive(policy);
    known.set(policy, derived);
    return derived;
  };
}

/** The Pod is judged alone, so that a template and its Pods get the same decision. */
function findings(pod: Pod, { policy: { portHints }, rules }: Pick<Asked, 'policy' | 'rules'>): PlacedFinding[] {
  return findingsOf(checkedWorkload(pod, { kind: POD_KIND, portHints }), rules);
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
  const floorsFirst = caused.toSorted((a, b) => Number(b.floor !== undefined) - Number(a.floor !== undefined));
  for (const { check, at, floor, finding } of floorsFirst) {
    const inContainer = byContainer.get(nameOf(at)) ?? [];
    const own = inContainer.filter(({ kind }) => kind === finding.probe);
    const related = inContainer.filter(({ kind }) => check.relatedProbes?.includes(kind));
    // A finding without a container concerns the whole Pod: then nothing is injected.
    if (inContainer.length === 0) for (const { container, kind } of injections) forbid(container, kind, check, floor);
    for (const { container, kind } of [own, related, inContainer].find(({ length }) => length > 0) ?? []) {
      forbid(container, kind, check, floor, finding);
      // An injected liveness probe must not kill a container that is starting.
      if (kind === 'startupProbe' && inContainer.some((other) => other.kind === 'livenessProbe'))
        forbid(container, 'livenessProbe', check, floor, 'the startupProbe that would protect its start');
    }
    if (inContainer.length === 0) return;
  }

  function forbid(
    container: Container,
    kind: ProbeKind,
    { id, hidesFailures }: Check,
    floor: PlacedFinding['floor'],
    what: Finding | string = 'it',
  ): void {
    const place = placeOf(container, kind);
    if (forbidden.has(place)) return;
    const said = typeof what === 'string' ? what : `it: ${cut(what.message, MOST_QUOTED)}`;
    if (floor !== undefined)
      forbidden.set(place, {
        code: 'forbidden-by-floor',
        detail: `${id}, which ${floor.source} sets with the floor Deny, forbids ${said}`,
      });
    else if (typeof what === 'string')
      forbidden.set(place, {
        code: 'cannot-work',
        detail: `${what} ${hidesFailures ? 'hides failures' : 'cannot work'} (${id})`,
      });
    else forbidden.set(place, { code: 'cannot-work', detail: `${fullMessage(what)} (${id})` });
  }
}

const MOST_QUOTED = 300;
