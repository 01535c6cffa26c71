import { isJsonObject, member, objectMember, stringMembers, stringMember } from '../../probes/json.ts';
import { defaultedPodSpec } from '../../probes/api-defaults.ts';
import { PROBE_KINDS, ownProbe } from '../../probes/probe.ts';
import { containerFigures } from '../../probes/timing-figures.ts';
import { probeTiming } from '../../probes/timing.ts';
import { permittedProbes } from '../../verdict/permitted-defaulting.ts';
import { effectiveTemplate } from '../../defaulting/effective.ts';
import { formatNotInjected } from '../../defaulting/reason.ts';
import { SAFETY_SOURCE } from '../../defaulting/startup.ts';
import { ANNOTATION_SOURCE } from '../../policy/annotations.ts';
import { formatPath } from '../../policy/problems.ts';
import { containersOf } from '../../workload/containers.ts';
import { templatesToLookAt, workloadKindOfManifest } from '../../workload/kinds.ts';
import { handlerText, undeclaredPort } from './handler-text.ts';
import { headlineOf, scenesOf } from './scenes.ts';
import type { JsonObject } from '../../probes/json.ts';
import type { ProbeKind } from '../../probes/probe.ts';
import type { ContainerTimings } from '../../probes/timing-figures.ts';
import type { Defaulting, Injection } from '../../defaulting/default-probes.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import type { Container } from '../../workload/containers.ts';
import type { PlacedTemplate, WorkloadKind } from '../../workload/kinds.ts';
import type { Manifest } from '../manifests.ts';
import type { ContainerExplanation, ProbeExplanation, WorkloadExplanation } from './model.ts';

/** What manifests are explained by. */
export interface ExplainSettings {
  readonly policies: PolicySet;
  /** Namespace of objects that name none. */
  readonly namespace: string;
  readonly kinds: readonly WorkloadKind[];
}

/** Undefined for objects that hold no Pod template, or whose Pods or template others look after, as for the webhook. */
export function explainManifest(
  { object, document, path }: Manifest,
  { policies, namespace: fallback, kinds }: ExplainSettings,
): WorkloadExplanation | undefined {
  const kind = workloadKindOfManifest(object, kinds);
  const found = kind && templatesToLookAt(object, kind);
  if (kind === undefined || found === undefined || 'skipped' in found) return undefined;
  const metadata = objectMember(object, 'metadata') ?? {};
  const namespace = stringMember(metadata, 'namespace') ?? fallback;
  const explained = found.templates.map((placed) => explainTemplate(placed, kind, policies, namespace));
  const { line, column } = document.position(path);
  return {
    kind: kind.kind,
    namespace,
    name: stringMember(metadata, 'name') ?? `${stringMember(metadata, 'generateName') ?? ''}*`,
    place: `${document.file}:${line}:${column}`,
    containers: explained.flatMap(({ containers }) => containers),
    notInjected: [...new Set(explained.flatMap(({ notInjected }) => notInjected))],
  };
}

function explainTemplate(
  { template, path }: PlacedTemplate,
  kind: WorkloadKind,
  policies: PolicySet,
  namespace: string,
): Pick<WorkloadExplanation, 'containers' | 'notInjected'> {
  const labels = stringMembers(objectMember(template, 'metadata') ?? {}, 'labels');
  const defaulting = permittedProbes(template, policies.policyFor(namespace, labels), kind);
  const effective = effectiveTemplate(template, defaulting.injections);
  const podSpec = defaultedPodSpec(objectMember(effective, 'spec') ?? {});
  const podSpecPath = formatPath([...path, 'spec']);
  return {
    containers: containersOf(podSpec)
      .filter(({ role }) => role === 'application' || role === 'sidecar')
      .map((container) => explainContainer(container, podSpec, podSpecPath, defaulting.injections)),
    notInjected: reasonsOf(defaulting),
  };
}

function reasonsOf({ notInjected, warnings }: Defaulting): string[] {
  return [...notInjected.map(formatNotInjected), ...warnings];
}

function explainContainer(
  container: Container,
  podSpec: JsonObject,
  podSpecPath: string,
  injections: readonly Injection[],
): ContainerExplanation {
  const { name, role, list, index, spec } = container;
  const timings = timingsOf(spec, podSpec);
  const figures = containerFigures(timings);
  return {
    name,
    role,
    path: `${podSpecPath}.${list}[${index}]`,
    probes: probesOf(container, timings, injections),
    figures,
    headline: headlineOf(figures),
    scenes: scenesOf(figures, { restarts: restarts(spec, podSpec) }),
    caveats: caveatsOf(spec),
  };
}

function timingsOf(container: JsonObject, podSpec: JsonObject): ContainerTimings {
  const startup = ownProbe(container, 'startupProbe');
  const liveness = ownProbe(container, 'livenessProbe');
  const readiness = ownProbe(container, 'readinessProbe');
  return {
    ...(isJsonObject(startup) && { startupProbe: probeTiming(startup) }),
    ...(isJsonObject(liveness) && { livenessProbe: probeTiming(liveness) }),
    ...(isJsonObject(readiness) && { readinessProbe: probeTiming(readiness) }),
    startupGraceSeconds: graceSeconds(startup, podSpec),
    livenessGraceSeconds: graceSeconds(liveness, podSpec),
    hasPreStop: objectMember(objectMember(container, 'lifecycle') ?? {}, 'preStop') !== undefined,
  };
}

/** The probe's own grace period when it has one, even when it is longer than the Pod's; else the Pod's. */
function graceSeconds(probe: unknown, podSpec: JsonObject): number {
  const own = isJsonObject(probe) ? member(probe, 'terminationGracePeriodSeconds') : undefined;
  const seconds = own ?? member(podSpec, 'terminationGracePeriodSeconds');
  return typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 0 ? seconds : 30;
}

/** A killed container stays dead only where its own restart policy, or without one the Pod's, is Never. */
function restarts(container: JsonObject, podSpec: JsonObject): boolean {
  return (member(container, 'restartPolicy') ?? member(podSpec, 'restartPolicy')) !== 'Never';
}

/** In the order in which they matter in a container's life. */
const LIFE_ORDER: readonly ProbeKind[] = ['startupProbe', 'livenessProbe', 'readinessProbe'];

function probesOf(
  { list, index, spec }: Container,
  timings: ContainerTimings,
  injections: readonly Injection[],
): ProbeExplanation[] {
  return LIFE_ORDER.flatMap((kind): ProbeExplanation[] => {
    const probe = ownProbe(spec, kind);
    const timing = timings[kind];
    if (!isJsonObject(probe) || timing === undefined) return [];
    const injection = injections.find(
      (candidate) =>
        candidate.kind === kind && candidate.container.list === list && candidate.container.index === index,
    );
    const { initialDelaySeconds: D, periodSeconds: P, timeoutSeconds: T, failureThreshold: F } = timing;
    const grace = kind === 'startupProbe' ? timings.startupGraceSeconds : timings.livenessGraceSeconds;
    const letters = { D, P, T, F, S: timing.successThreshold, ...(kind !== 'readinessProbe' && { G: grace }) };
    return [{ kind, handler: handlerText(probe), from: providerOf(injection), letters }];
  });
}

function providerOf(injection: Injection | undefined): string {
  if (injection === undefined) return 'the manifest';
  if (injection.source === ANNOTATION_SOURCE) return 'an annotation of the workload';
  if (injection.source === SAFETY_SOURCE) return "Probewright's safety, for the liveness probe that it adds";
  return injection.source;
}

/** What the timing model takes for granted and this container does not keep. */
function caveatsOf(container: JsonObject): string[] {
  return PROBE_KINDS.flatMap((kind): string[] => {
    const probe = ownProbe(container, kind);
    if (probe === undefined) return [];
    if (!isJsonObject(probe)) return [`${kind} is no object: the API server refuses it.`];
    const port = undeclaredPort(container, probe);
    if (port === undefined) return [];
    return [
      `${kind} asks port ${JSON.stringify(port)}, which this container does not declare: the kubelet throws every result away, ` +
        'so the probe neither succeeds nor kills, and the times given for it do not hold.',
    ];
  });
}
