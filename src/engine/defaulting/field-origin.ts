import { equalJson } from '../../base/json/json-value.ts';
import { effective, portSettings, probeSettings, slowStartSettings, type Setting } from '../policy/container-policy.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, type HandlerKind, type ProbeInteger, type ProbeKind } from '../probe/probe.ts';
import { valueAt, type FieldPath } from '../../base/json/field-path.ts';
import type { SlowStart } from '../policy/probe-policy.ts';
import type { Injection } from './injection.ts';

/**
 * What set a field: `policy`; `default` of the API server; `slow-start`, whose rule computed the value; the probe that
 * it was copied from; `restart`, the period was lowered or the failureThreshold raised, so that a restart is safe;
 * `ports` that the container declares.
 */
export interface Origin {
  readonly by: 'policy' | 'default' | 'slow-start' | ProbeKind | 'restart' | 'ports';
  /** With `default` the null that removed a lower layer's value, with `slow-start` what gave the seconds. */
  readonly setting?: Setting;
}

export function handlerSettingOf(injection: Injection): Setting | undefined {
  const { kind, policy, copiesLiveness, source } = injection;
  const asksFor = lastValue(probeSettings(policy.layers, kind, []));
  if (copiesLiveness !== true || asksFor?.layer.source === source) return asksFor;
  return slowStartSetting(injection) ?? lastValue(probeSettings(policy.layers, 'livenessProbe', []));
}

/** True when a ProbePolicy or an annotation says anything that counts for the injected probe. */
export function isShapedByNamespace({ kind, policy }: Injection): boolean {
  return policy.layers.some(({ kind: layerKind, probes, port, slowStart }) => {
    if (layerKind === 'ClusterProbePolicy') return false;
    if (probes[kind] !== undefined || port !== undefined) return true;
    // A startup probe also follows from the liveness probe that it guards.
    return kind === 'startupProbe' && (probes.livenessProbe !== undefined || Object.keys(slowStart).length > 0);
  });
}

/**
 * What set a field of an injected probe. The layers are folded again, so the webhook keeps no sources of fields.
 *
 * @param field the path below the probe: `['periodSeconds']`, `['httpGet', 'path']`
 */
export function fieldOrigin(injection: Injection, field: FieldPath): Origin {
  const value = valueAt(injection.probe, field);
  const settings = fieldSettings(injection, field);
  const { kind, copiesLiveness, follows } = injection;
  const [step, ...below] = field;
  const setting = effective(settings);
  if (value === undefined) {
    // A handler without the field resets nothing: it replaces lower handlers whole.
    const last = PROBE_INTEGERS.includes(step as ProbeInteger) ? settings.at(-1) : undefined;
    return { by: 'default', ...(last !== undefined && setting === undefined && { setting: last }) };
  }
  if (HANDLER_KINDS.includes(step as HandlerKind)) {
    if (copiesLiveness === true) return { by: 'livenessProbe' };
    if (follows?.fields.includes(String(below[0])) === true) return { by: follows.kind };
    if (setting === undefined || !equalJson(setting.value, value)) return { by: 'ports' };
    return { by: 'policy', setting: below.length === 0 ? (handlerSettingOf(injection) ?? setting) : setting };
  }
  if (setting !== undefined && setting.value === value) return { by: 'policy', setting };
  if (injection.isMadeSafe === true && (step === 'periodSeconds' || step === 'failureThreshold'))
    return { by: 'restart' };
  // A startup probe that guards a slow start is as patient as the liveness probe that it guards.
  if (step === 'timeoutSeconds') return { by: 'livenessProbe' };
  const asked = kind === 'startupProbe' ? slowStartSetting(injection) : undefined;
  return { by: 'slow-start', ...(asked && { setting: asked }) };
}

/** The layers' values for a field of an injected probe, lowest first. */
export function fieldSettings(injection: Injection, field: FieldPath): readonly Setting[] {
  const { kind, probe, policy, copiesLiveness, follows } = injection;
  const settings = probeSettings(policy.layers, kind, field);
  const [step, part] = field;
  const isHttpPort = step === 'httpGet' && part === 'port' && probe['httpGet'] !== undefined;
  const isOpenPort = isHttpPort && copiesLiveness !== true && !follows?.fields.includes('port');
  // A handler without a port gets the port that policies name.
  return isOpenPort && effective(settings) === undefined ? portSettings(policy.layers) : settings;
}

/** The layer that gives the seconds to start, the delay of a slow starter, or the settings of learned budgets. */
function slowStartSetting(injection: Injection): Setting | undefined {
  return effective<unknown>(slowStartSettings(injection.policy.layers, slowStartField(injection)));
}

function slowStartField({ policy, followsDelay, learned }: Injection): keyof SlowStart {
  if (followsDelay === true) return 'fromInitialDelaySeconds';
  const given = policy.startupSeconds?.value ?? 0;
  if (learned === undefined) return 'startupSeconds';
  // A new image gets the number of the policy.
  return learned.seconds > given || (learned.seconds === given && !learned.isOfAllImages)
    ? 'learned'
    : 'startupSeconds';
}

function lastValue(settings: readonly Setting[]): Setting | undefined {
  return settings.findLast(({ value }) => value !== undefined);
}
