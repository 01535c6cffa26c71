import { CHECK_CATALOGUE, stricter } from './check-catalogue.ts';
import type { Action } from './check-catalogue.ts';
import type { PolicyLayer } from './probe-policy.ts';

/** What all layers together say about one check. */
export interface EffectiveCheck {
  readonly action: Action;
  /** As policies set them, the highest layer's value for each. */
  readonly parameters: ReadonlyMap<string, unknown>;
}

/** What all layers together say about the checks of one container, by check id. */
export type CheckPolicy = ReadonlyMap<string, EffectiveCheck>;

/**
 * Folds the layers' words about checks, lowest first. The built-in action is the lowest layer; a floor is the laxest action that the
 * layers above may choose, and the highest layer that sets one decides on it.
 */
export function mergeChecks(layers: Iterable<PolicyLayer>): CheckPolicy {
  const merged = new Map<string, EffectiveCheck>(defaults);
  const floors = new Map<string, Action>();
  for (const { checks } of layers) {
    for (const [id, { action, floor, parameters }] of checks) {
      const lower = merged.get(id);
      if (lower === undefined) continue;
      if (floor !== undefined) floors.set(id, floor);
      merged.set(id, { action: action ?? lower.action, parameters: new Map([...lower.parameters, ...parameters]) });
    }
  }
  for (const [id, floor] of floors) {
    const check = merged.get(id);
    if (check !== undefined) merged.set(id, { ...check, action: stricter(check.action, floor) });
  }
  return merged;
}

const defaults: readonly (readonly [string, EffectiveCheck])[] = Object.entries(CHECK_CATALOGUE).map(
  ([id, { action }]) => [id, { action, parameters: new Map() }],
);

/** What layers say about the checks of each container, by its name; containers that the same layers speak of share one policy. */
export function checkPolicyByContainer(layers: readonly PolicyLayer[]): (container: string) => CheckPolicy {
  const speaking = layers.filter(({ checks }) => checks.size > 0);
  const key = speaking.map(numberOf).join(' ');
  const known = policies.get(key);
  if (known !== undefined) return known;
  const policy = policyByContainer(speaking);
  if (policies.size >= REMEMBERED_POLICIES) policies.clear();
  policies.set(key, policy);
  return policy;
}

/** Whoever invents namespaces or labels, and so meets ever other layers, must not grow the memory. */
const REMEMBERED_POLICIES = 200;

/** What the same layers say, by their numbers: most objects meet the same few. */
const policies = new Map<string, (container: string) => CheckPolicy>();

const numbers = new WeakMap<PolicyLayer, number>();
let lastNumber = 0;

/** A number of the layer's own. Its source is none: a policy in a file and one in the cluster may have the same, and so have its versions. */
function numberOf(layer: PolicyLayer): number {
  const known = numbers.get(layer);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(layer, lastNumber);
  return lastNumber;
}

function policyByContainer(speaking: readonly PolicyLayer[]): (container: string) => CheckPolicy {
  const known = new Map<string, CheckPolicy>();
  return (container) => {
    const own = speaking.filter((layer) => appliesTo(layer, container));
    const key = own.map((layer) => speaking.indexOf(layer)).join(' ');
    const policy = known.get(key) ?? mergeChecks(own);
    known.set(key, policy);
    return policy;
  };
}

/** A policy that names no containers speaks of the checks of all of them. */
function appliesTo(layer: PolicyLayer, container: string): boolean {
  return layer.containers === 'main' || layer.containers === 'all' || layer.containers.includes(container);
}
