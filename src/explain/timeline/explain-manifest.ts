import type { JsonObject } from '../../base/json/json-value.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { formatNotInjected } from '../../engine/defaulting/not-injected.ts';
import { readProvenance } from '../../engine/defaulting/patch.ts';
import { templatePolicy } from '../../engine/defaulting/default-probes.ts';
import { INJECTED_ANNOTATION } from '../../engine/policy/annotations.ts';
import { brokenProbes, type BrokenProbe } from '../../engine/verdict/broken-probes.ts';
import { refusalsOf, refusedProbes, type RefusedProbe } from './refused-probes.ts';
import { policyOfPod } from '../../engine/verdict/judge.ts';
import { permittedDefaulting } from '../../engine/verdict/permitted-defaulting.ts';
import { exceptionsOfWorkload, type ExceptionOfWorkload } from '../../engine/verdict/exceptions-of-workload.ts';
import { mayHaveProbes, type Pod, type ProbedContainer } from '../../engine/workload/pod.ts';
import { asCreated, readPods } from '../../engine/workload/read-pod.ts';
import { isPod, templatesToLookAt, workloadKindOfManifest, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { NO_PLACES, type Decided, type FieldPlaces } from './explained-fields.ts';
import { containerTimings, effectiveTimings, muteProbes, unknownTimes } from './container-timings.ts';
import { explainedProbes } from './explained-probes.ts';
import { containerFigures } from './figures.ts';
import { hangScene, startScene } from './scene.ts';
import { caveatsOf, headlineOf, summaryOf } from './summary.ts';
import { namesOf, shownNameOf } from '../../engine/workload/workload-of-pod.ts';
import type { WorkloadPolicy } from '../../engine/policy/policy-set.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { InjectionTier } from '../../engine/policy/injection-tier.ts';
import type { ContainerExplanation, WorkloadExplanation, WorkloadInjection } from './explanation.ts';

export interface ExplainSettings {
  readonly snapshot: Snapshot;
  readonly namespace: string;
  readonly kinds: readonly WorkloadKind[];
  /** The instant at which exceptions count or have ended, in milliseconds since the epoch. */
  readonly now: number;
  /** The annotation that names injected probes counts in a live Pod alone: in files, people copy it. */
  readonly isFromCluster?: boolean;
  /** What injects, where that is known. */
  readonly tier?: InjectionTier | undefined;
}

/**
 * Explains the probes of a manifest, with those that policies add. Undefined for an object that holds no Pod template,
 * or that the webhook lets through without a look.
 *
 * @param place where the object stands, for people: `file:line:column`
 * @param places where fields are written
 */
export function explainManifest(
  object: JsonObject,
  place: string,
  { snapshot, namespace: fallback, kinds, now, isFromCluster = false, tier }: ExplainSettings,
  places: FieldPlaces = NO_PLACES,
): WorkloadExplanation | undefined {
  const kind = workloadKindOfManifest(object, kinds);
  const found = kind && templatesToLookAt(object, kind);
  if (kind === undefined || found?.kind !== 'checked') return undefined;
  const { name = '', namespace = fallback } = namesOf(object);
  const names = [{ kind: kind.kind, name }];
  const explained = readPods(found.templates, kind).map((pod) => {
    const podLabels = pod.labels;
    const policy = policyOfPod({ object, kind, namespace }, pod, snapshot);
    const excepted = exceptionsOfWorkload({ namespace, names, podLabels }, snapshot, policy, now);
    return {
      ...explainPod(pod, policy, excepted, places, isFromCluster && isPod(kind)),
      exceptions: excepted.map(exceptionSentence),
    };
  });
  const exceptions = explained.flatMap((each) => each.exceptions);
  return {
    kind: kind.kind,
    namespace,
    name: shownNameOf(object),
    place,
    containers: explained.flatMap(({ containers }) => containers),
    notInjected: [...new Set(explained.flatMap(({ notInjected }) => notInjected))],
    ...(tier && {
      injection: {
        tier,
        injected: explained.flatMap(({ injected }) => injected),
        leftOut: explained.flatMap(({ leftOut }) => leftOut),
      },
    }),
    ...(exceptions.length > 0 && { exceptions: [...new Set(exceptions)] }),
  };
}

function exceptionSentence(exception: ExceptionOfWorkload): string {
  const { name, owner, expires, reason, checks, containers, hasEnded } = exception;
  const where = containers === undefined ? '' : ` in ${containers.join(', ')}`;
  const when = hasEnded ? `ended at ${expires}` : `until ${expires}`;
  return `ProbeException ${name} (owner ${owner}): ${checks.join(', ')}${where} ${when}: ${reason}`;
}

function explainPod(
  pod: Pod,
  policy: WorkloadPolicy,
  excepted: readonly ExceptionOfWorkload[],
  places: FieldPlaces,
  isLivePod: boolean,
): Pick<WorkloadExplanation, 'containers' | 'notInjected'> & Omit<WorkloadInjection, 'tier'> {
  const { injections, notInjected, warnings, pod: effective } = permittedDefaulting(pod, policy);
  const { policyFor } = templatePolicy(asCreated(pod), policy);
  const earlier = readProvenance(isLivePod ? pod.annotations.get(INJECTED_ANNOTATION) : undefined);
  // Who made an exception says that the probe works.
  const isExcepted = ({ name }: ProbedContainer, check: string): boolean =>
    excepted.some(
      ({ checks, containers, hasEnded }) =>
        !hasEnded && checks.includes(check) && (containers === undefined || containers.includes(name)),
    );
  const broken = brokenProbes(effective, policy);
  const refused = refusedProbes(effective, policy);
  const containers = effective.containers.filter(mayHaveProbes).map((container) => {
    const isHere = ({ container: { list, index } }: RefusedProbe | BrokenProbe): boolean =>
      list === container.list && index === container.index;
    const found = broken.filter((one) => isHere(one) && !isExcepted(container, one.check));
    const injectedEarlier = earlier.get(container.name);
    const decided = { container, templatePath: pod.path, injections, injectedEarlier, places };
    const measured = policy.starts?.(container.name, container.image)?.seconds ?? [];
    return explainContainer({ ...decided, policy: policyFor(container) }, measured, found, refused.filter(isHere));
  });
  return {
    containers,
    notInjected: [...notInjected.map(formatNotInjected), ...warnings],
    injected: injections.map(({ container: { name }, kind }) => ({ container: name, probe: kind })),
    leftOut: notInjected.flatMap(({ code, container = '', probe = '', constructs = [] }) =>
      code === 'not-native' ? [{ container, probe, constructs }] : [],
    ),
  };
}

function explainContainer(
  decided: Decided,
  measured: readonly number[],
  found: readonly BrokenProbe[],
  refused: readonly RefusedProbe[],
): ContainerExplanation {
  const { container } = decided;
  const { name, role, place, mayBeRestarted: restarts } = container;
  const timings = containerTimings(container);
  const ports = muteProbes(container);
  const mute = [...ports.keys()];
  // Of a probe that never has a result, more is known than that it cannot work.
  const broken = found.filter(({ probe }) => !mute.includes(probe));
  const useless = [...mute, ...broken.map(({ probe }) => probe)];
  const figures = containerFigures(effectiveTimings(timings, useless), restarts);
  const unknown = mute.includes('startupProbe') ? new Map<never, never>() : unknownTimes(timings, broken);
  const facts = { figures, measured, restarts, mute, unknown, hasLiveness: timings.livenessProbe !== undefined };
  const shown = {
    probes: explainedProbes(decided, timings),
    scenes: [startScene(facts), hangScene(facts)],
    caveats: [...refusalsOf(container, refused), ...caveatsOf(container, ports, figures, broken)],
  };
  return {
    name,
    role,
    path: formatPath(place.path()),
    figures,
    measured,
    cannotWork: found.flatMap(({ probe, check, message, hidesFailures }) =>
      hidesFailures ? [] : [{ probe, check, message }],
    ),
    unknown: [...unknown.keys()],
    summary: summaryOf(facts, shown),
    headline: headlineOf(facts),
    ...shown,
  };
}
