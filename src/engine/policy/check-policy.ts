import { stricter, type Action } from './action.ts';
import { defaultsOf, type ParameterValues, type CheckSetting, type CheckCatalogue } from './check-parameters.ts';
import { oncePerLayers } from './container-policy.ts';
import type { PolicyKind, ProbePolicy } from './probe-policy.ts';

export interface EffectiveCheck {
  readonly action: Action;
  /** The kind of the highest policy that sets the action. Without one, `action` is the built-in one, or the floor's. */
  readonly setBy?: PolicyKind;
  /** The highest layer's value for each parameter, else the parameter's default. */
  readonly parameters: ParameterValues;
  readonly floor?: CheckFloor;
}

export interface CheckFloor {
  /** The laxest action that the layers above may choose. */
  readonly action: Action;
  readonly source: string;
  /** The parameters up to that layer. The very object of the check's `parameters` when no higher layer sets any. */
  readonly parameters: ParameterValues;
}

export type CheckPolicy = ReadonlyMap<string, EffectiveCheck>;

/** The layers' settings for the checks of each container, by the container's name. */
export type CheckPolicyByContainer = (container: string) => CheckPolicy;

export function builtInPolicy(catalogue: CheckCatalogue): CheckPolicy {
  return new Map(
    Object.values(catalogue).map(({ id, action, parameters }) => [id, { action, parameters: defaultsOf(parameters) }]),
  );
}

/** Merges what layers say about checks, lowest first. The highest layer that sets a floor decides on the floor. */
export function mergeChecks(builtIn: CheckPolicy, layers: readonly ProbePolicy[]): CheckPolicy {
  const merged = new Map<string, Draft>();
  for (const layer of layers)
    for (const [id, setting] of layer.checks) {
      const below = merged.get(id) ?? builtIn.get(id);
      if (below !== undefined) merged.set(id, withSetting(below, setting, layer, merged.has(id)));
    }
  for (const check of merged.values())
    if (check.floor !== undefined) check.action = stricter(check.action, check.floor.action);
  return merged.size === 0 ? builtIn : new Map([...builtIn, ...merged]);
}

/** The merged settings for each container, by the container's name. */
export function checksByContainer(builtIn: CheckPolicy, all: readonly ProbePolicy[]): CheckPolicyByContainer {
  const setting = all.filter(({ checks }) => checks.size > 0);
  const merged = oncePerLayers((layers: readonly ProbePolicy[]) => mergeChecks(builtIn, layers));
  const byName = new Map<string, CheckPolicy>();
  return (name) => {
    const known =
      byName.get(name) ??
      merged(setting.filter(({ containers }) => typeof containers === 'string' || containers.includes(name)));
    byName.set(name, known);
    return known;
  };
}

type Draft = { -readonly [Key in keyof EffectiveCheck]: EffectiveCheck[Key] };

/** A hundred policies of a namespace may set each check of each container, so a setting changes a draft in place. */
function withSetting(
  below: EffectiveCheck,
  { action, floor, parameters: set }: CheckSetting,
  { kind, source }: ProbePolicy,
  isDraft: boolean,
): Draft {
  const draft: Draft = isDraft ? below : { ...below };
  if (action) [draft.action, draft.setBy] = [action, kind];
  if (Object.keys(set).length > 0) draft.parameters = { ...below.parameters, ...set };
  if (floor) draft.floor = { action: floor, source, parameters: draft.parameters };
  return draft;
}
