import { stricter, type Action } from './action.ts';
import { defaultsOf, type ParameterValues, type CheckSetting, type CheckCatalogue } from './check-parameters.ts';
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
  const merged = new Map(builtIn);
  for (const layer of layers)
    for (const [id, setting] of layer.checks) {
      const below = merged.get(id);
      if (below !== undefined) merged.set(id, withSetting(below, setting, layer));
    }
  for (const [id, check] of merged)
    if (check.floor !== undefined) merged.set(id, { ...check, action: stricter(check.action, check.floor.action) });
  return merged;
}

/** The merged settings for each container. Containers that no layer names share one: a Pod may have hundreds. */
export function checksByContainer(builtIn: CheckPolicy, all: readonly ProbePolicy[]): CheckPolicyByContainer {
  const layers = all.filter(({ checks }) => checks.size > 0);
  const named = new Set(layers.flatMap(({ containers }) => (typeof containers === 'string' ? [] : containers)));
  const merged = new Map<string, CheckPolicy>();
  return (container) => {
    const key = named.has(container) ? container : '';
    const applying = ({ containers }: ProbePolicy): boolean =>
      typeof containers === 'string' || containers.includes(container);
    const policy = merged.get(key) ?? mergeChecks(builtIn, layers.filter(applying));
    merged.set(key, policy);
    return policy;
  };
}

function withSetting(
  below: EffectiveCheck,
  { action, floor, parameters: set }: CheckSetting,
  { kind, source }: ProbePolicy,
): EffectiveCheck {
  const parameters = Object.keys(set).length === 0 ? below.parameters : { ...below.parameters, ...set };
  return {
    ...below,
    ...(action && { action, setBy: kind }),
    parameters,
    ...(floor && { floor: { action: floor, source, parameters } }),
  };
}
