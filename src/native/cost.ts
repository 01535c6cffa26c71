import { layersOf, type NativeLayer } from './namespace-layers.ts';
import { OWNER_PATTERN } from './tables.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';

/** The API server's limits, in its units of cost (k8s.io/apiserver, pkg/apis/cel/config.go). */
export const COST_LIMITS = { expression: 1_000_000, policy: 10_000_000 };

/** Names and image paths are assumed to have at most so many characters. */
const NAME = 30;
const PATH = 60;

/** `matches` costs a quarter of the pattern's length times a tenth of the text's (cel-go, runtimecost.go). */
const matching = (pattern: number, text: number): number => Math.ceil(pattern / 4) * Math.ceil((text + 1) / 10);

/**
 * What the native policy costs for a Pod with so many containers that differ in their names alone, in the API server's
 * units: the most expensive expression, and all of them. The numbers are those of the server's own library, rounded up;
 * test/native/cost.alone.test.ts holds them. Different containers are bounded in the policy itself (`shapes`).
 */
export function estimatedCost(layers: readonly NativeLayer[], containers: number): typeof COST_LIMITS {
  const selector = ({ workloadSelector, namespaceSelector }: NativeLayer): number =>
    [...workloadSelector, ...namespaceSelector].reduce((sum, { values }) => sum + 30 + values.length, 30);
  const matched = (layer: NativeLayer): number =>
    layer.images.reduce((sum, image) => sum + 10 + matching(image.length, PATH), 30 + layer.containers.length);
  const sum = (of: (layer: NativeLayer) => number): number => layers.reduce((all, layer) => all + of(layer), 0);
  const named = containers * (500 + matching(OWNER_PATTERN.length, NAME) + sum(matched));
  const known = 4_000 + 550 * layers.length;
  return {
    expression: Math.max(named, known, sum(selector)),
    policy: named + known + sum(selector) + 15_000 + containers * 1_200,
  };
}

/** With more containers, a Pod may get no probe, if its layers have many patterns of images. */
export const ORDINARY_CONTAINERS = 30;

/** True for layers that an ordinary Pod cannot pay. The dearest expression reaches its limit long before the policy. */
export function areTooCostly(layers: readonly NativeLayer[]): boolean {
  return estimatedCost(layers, ORDINARY_CONTAINERS).expression > COST_LIMITS.expression;
}

/**
 * The namespaces whose layers cost too much for an ordinary Pod, with the units and the limit. The empty name stands
 * for the cluster's layers.
 */
export function tooCostly(snapshot: Snapshot): readonly (readonly [namespace: string, units: number, limit: number])[] {
  const namespaces = ['', ...snapshot.tiers.flatMap(({ byNamespace }) => [...byNamespace.keys()])];
  return namespaces.flatMap((name) => {
    const layers = layersOf(snapshot, name === '' ? undefined : name);
    if (!areTooCostly(layers)) return [];
    return [[name, estimatedCost(layers, ORDINARY_CONTAINERS).expression, COST_LIMITS.expression] as const];
  });
}
