import { CHECK_CATALOGUE } from '../checks/catalogue.ts';
import { fieldOrigin, handlerSettingOf, isShapedByNamespace } from '../defaulting/field-origin.ts';
import { laxer } from '../policy/action.ts';
import { ANNOTATION_SOURCE } from '../policy/annotations.ts';
import { withoutEdits, type PolicyAtFault, type Violation } from '../checks/violation.ts';
import { handlerPath, type Setting } from '../policy/container-policy.ts';
import { valueAt, type FieldPath } from '../../base/json/field-path.ts';
import type { Injection } from '../defaulting/injection.ts';
import type { NotInjected } from '../defaulting/not-injected.ts';
import type { CheckPolicyByContainer, EffectiveCheck } from '../policy/check-policy.ts';
import type { ProbeKind } from '../probe/probe.ts';
import type { PolicyLayer } from '../policy/probe-policy.ts';

/**
 * Gives the violations of injected probes to the policies that inject them. The workload's author cannot change these
 * probes, and sees them at most as Audit, with two exceptions. A floor is the laxest action, whoever injects. An action
 * of a ClusterProbePolicy stays when a ProbePolicy or an annotation has a share in the probe: else a team could evade
 * the platform's rules by injecting. A violation of the author's own probe names the policy that it is compared with.
 */
export function withPoliciesAtFault(
  violations: readonly Violation[],
  injections: readonly Injection[],
  checkPolicy: CheckPolicyByContainer,
): readonly Violation[] {
  if (violations.length === 0 || injections.length === 0) return violations;
  const injected = new Map(injections.map((injection) => [`${injection.container.name} ${injection.kind}`, injection]));
  return violations.flatMap((violation) => assign(violation, injected, checkPolicy) ?? []);
}

function assign(
  violation: Violation,
  injected: ReadonlyMap<string, Injection>,
  checkPolicy: CheckPolicyByContainer,
): Violation | undefined {
  const of = (kind: ProbeKind): Injection | undefined => injected.get(`${violation.container} ${kind}`);
  const check = CHECK_CATALOGUE[violation.check];
  // The delay has an effect here: the injected startup probe follows from it.
  const isAccepted = check?.acceptsDelayOfInjectedStartup === true && violation.probe === 'livenessProbe';
  if (isAccepted && of('startupProbe')?.followsDelay === true) return undefined;
  const related = (check?.relatedProbes ?? []).flatMap((kind) => of(kind) ?? []);
  const culprit = violation.probe === undefined ? related[0] : of(violation.probe);
  if (culprit !== undefined) return ofPolicy(violation, culprit, of('livenessProbe'), checkPolicy(violation.container));
  // The check compares the author's own probe with injected ones.
  return withNotes(violation, ...related.map(({ kind, source }) => `the ${kind} is injected (${source})`));
}

function ofPolicy(
  violation: Violation,
  injection: Injection,
  liveness: Injection | undefined,
  checkPolicy: ReadonlyMap<string, EffectiveCheck>,
): Violation {
  const { kind } = injection;
  // No edit of the workload changes an injected probe.
  const others = withoutEdits(violation);
  const fault = faultOf(violation.path, injection, liveness);
  const action = actionForAuthor(violation, injection, checkPolicy.get(violation.check));
  if (typeof fault === 'string')
    return { ...withNotes(others, `the injected ${kind} copies it from the ${fault}`), action };
  // An annotation is the author's own word.
  if (fault === undefined || fault.layer.source === ANNOTATION_SOURCE)
    return withNotes(others, `the annotations of the workload give the ${kind}`);
  const { layer, path, lacking } = fault;
  const isShort = lacking !== undefined && path[1] === 'kubernetesProbeEndpoints';
  const remedies = [violation.remedy, isShort ? 'fields go into spec.probes' : undefined];
  const remedy = remedies.filter((each) => each !== undefined).join('; ');
  const policy: PolicyAtFault = {
    source: layer.source,
    path,
    ...(lacking && { lacking }),
    ...(remedy !== '' && { remedy }),
    action: violation.action,
  };
  return { ...withNotes(others, noteOf(fault, injection)), action, policy };
}

interface Fault extends Setting {
  readonly lacking?: FieldPath;
}

function noteOf({ layer, path }: Fault, { kind, source, copiesLiveness }: Injection): string {
  if (layer.source === source) return `${source} injects the ${kind}`;
  if (copiesLiveness === true) return `${layer.source} injects the livenessProbe that the ${kind} copies`;
  const injects = source === ANNOTATION_SOURCE ? 'an annotation injects' : `${source} injects`;
  return `${layer.source} sets ${String(path.at(-1))}, ${injects} the ${kind}`;
}

/**
 * The setting that has to change: of the field that the violation names, else of the probe's handler. A copied field
 * belongs to the probe that it was copied from.
 *
 * @param liveness the container's liveness probe, if that is injected
 */
function faultOf(
  path: FieldPath,
  injection: Injection,
  liveness: Injection | undefined,
): Fault | ProbeKind | undefined {
  const at = path.indexOf(injection.kind);
  const field = at < 0 ? [] : path.slice(at + 1);
  if (field.length > 0) {
    const { by, setting } = fieldOrigin(injection, field);
    if (setting !== undefined) return setting;
    if (by === 'readinessProbe' || by === 'startupProbe') return by;
    // A field that a copied probe lacks is a field that the liveness probe lacks.
    if (by === 'livenessProbe' || (injection.copiesLiveness === true && by === 'default'))
      return liveness === undefined ? 'livenessProbe' : faultOf([liveness.kind, ...field], liveness, undefined);
  }
  const setting = handlerSettingOf(injection);
  const [step, ...part] = field;
  if (setting === undefined || step === undefined) return setting;
  const given = setting.layer.probes[injection.kind];
  if (given?.handler?.kind === step && valueAt(given.handler.fields, part) !== undefined)
    return { ...setting, path: handlerPath(injection.kind, given, part) };
  // Nobody wrote the field: the policy that gives the handler has to set it.
  return { ...setting, path: setting.path.slice(0, 3), lacking: ['spec', 'probes', injection.kind, ...field] };
}

function actionForAuthor(
  { action }: Violation,
  injection: Injection,
  check: EffectiveCheck | undefined,
): Violation['action'] {
  if (check?.setBy === 'ClusterProbePolicy' && isShapedByNamespace(injection)) return action;
  const floor = check?.floor?.action;
  return laxer(action, floor === undefined || floor === 'Off' ? 'Audit' : floor);
}

/** A violation with notes behind its remedy. */
function withNotes(violation: Violation, ...notes: readonly string[]): Violation {
  const { remedy } = violation;
  if (notes.length === 0) return violation;
  return { ...violation, remedy: [...(remedy === undefined ? [] : [remedy]), ...notes].join('; ') };
}

/** Adds to the violations of missing probes which policy wanted to give the probe, and what kept the policy from it. */
export function withReasons(
  violations: readonly Violation[],
  notInjected: readonly NotInjected[],
  layers: readonly PolicyLayer[],
): readonly Violation[] {
  if (notInjected.length === 0) return violations;
  return violations.map((violation) => {
    if (CHECK_CATALOGUE[violation.check]?.requiresProbes !== true) return violation;
    const reason = reasonFor(violation, notInjected, layers);
    return reason === undefined ? violation : withNotes(violation, reason);
  });
}

function reasonFor(
  { container, probe }: Violation,
  notInjected: readonly NotInjected[],
  layers: readonly PolicyLayer[],
): string | undefined {
  for (const reason of notInjected) {
    const isAboutPod = reason.container === undefined;
    if (!isAboutPod && reason.container !== container) continue;
    if (reason.probe !== undefined && probe !== undefined && reason.probe !== probe) continue;
    if (reason.code === 'removed-by-policy' || (reason.code === 'run-to-completion' && !isAboutPod))
      return `no policy gives one: ${reason.detail}`;
    const wantedBy = reason.wantedBy ?? (isAboutPod ? wantedForMain(layers, probe) : undefined);
    if (wantedBy !== undefined) return `${wantedBy} cannot give one: ${reason.detail}`;
  }
  return undefined;
}

function wantedForMain(layers: readonly PolicyLayer[], probe: Violation['probe']): string | undefined {
  const gives = ({ probes }: PolicyLayer): boolean =>
    probe === undefined
      ? Object.values(probes).some(({ handler }) => handler !== undefined)
      : probes[probe]?.handler !== undefined;
  return layers.findLast((layer) => layer.containers === 'main' && gives(layer))?.source;
}
