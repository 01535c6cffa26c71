import { stricter } from './action.ts';
import { defaultsOf } from './check-parameters.ts';
import type { Action } from './action.ts';
import type { LayerNumbers } from './layer-numbers.ts';
import type { CheckCatalogue } from './check-catalogue.ts';
import type { ParameterValue, ParameterValues } from './check-parameters.ts';
import type { PolicyLayer } from './probe-policy.ts';

/** The setting of one check by all layers together. */
export interface EffectiveCheck {
  readonly action: Action;
  /** True when no layer sets the action, so `action` is the built-in one, or the floor's. */
  readonly isDefaultAction: boolean;
  /** The highest layer's value for each parameter, else the parameter's default. */
  readonly parameters: ParameterValues;
  readonly floor?: CheckFloor;
  /** True when the highest layer that sets the action is a ClusterProbePolicy. */
  readonly isPlatformAction: boolean;
}

/** The bound that a cluster policy sets to all layers above it. */
export interface CheckFloor {
  /** The laxest action that the layers above may choose. */
  readonly action: Action;
  /** The layer that sets the floor. */
  readonly source: string;
  /**
   * The parameters up to and including that layer: a violation of these counts, whatever the layers above set. The very
   * object of the check's `parameters` when the layers above set none.
   */
  readonly parameters: ParameterValues;
}

/** The settings of the checks of one container by all layers together, by check id. */
export type CheckPolicy = ReadonlyMap<string, EffectiveCheck>;

/**
 * Folds what layers say about checks, lowest first. The built-in action is the lowest layer. The highest layer that
 * sets a floor decides on the floor.
 */
export function mergeChecks(catalogue: CheckCatalogue, layers: Iterable<PolicyLayer>): CheckPolicy {
  const forAll = Array.from(layers, (layer): PolicyLayer => ({ ...layer, containers: 'all' }));
  return new CheckLayers(builtInPolicy(catalogue), forAll).policyFor('');
}

/** The layers' settings for the checks of each container, by the container's name. */
export type CheckPolicyByContainer = (container: string) => CheckPolicy;

/**
 * The layers' settings for the checks of each container, remembered for layers that were asked about before. The cache
 * lives as long as the policies: a cache that outlived the policies would hold every version that a tenant has ever
 * written.
 */
export class CheckPolicies {
  /** By the numbers of the layers. */
  readonly #remembered = new Map<string, CheckLayers>();
  readonly #numbers: LayerNumbers;
  readonly #builtIn: CheckPolicy;
  #size = 0;

  constructor(catalogue: CheckCatalogue, numbers: LayerNumbers) {
    this.#builtIn = builtInPolicy(catalogue);
    this.#numbers = numbers;
  }

  /** Containers that the same layers speak of share one policy. */
  forLayers(layers: readonly PolicyLayer[]): CheckPolicyByContainer {
    const speaking = layers.filter(({ checks }) => checks.size > 0);
    const key = this.#numbers.keyOf(speaking);
    let compiled = this.#remembered.get(key);
    if (compiled === undefined) {
      compiled = new CheckLayers(this.#builtIn, speaking);
      if (this.#remembered.size >= REMEMBERED_LISTS || this.#size + compiled.size > REMEMBERED_SIZE) {
        this.#remembered.clear();
        this.#size = 0;
      }
      this.#remembered.set(key, compiled);
      this.#size += compiled.size;
    }
    const found = compiled;
    return (container) => found.policyFor(container);
  }
}

/** Labels and namespaces are the callers' choice, and each choice may meet other layers: memory needs a limit. */
const REMEMBERED_LISTS = 50;
/** Layers and the container names in them, of all remembered lists together: some 10 MiB. */
const REMEMBERED_SIZE = 100_000;

/** A value and the number of the layer that set it. */
interface Placed<T> {
  readonly at: number;
  readonly value: T;
}

/** The setting of one check by some layers: for each field the highest value. */
interface Said {
  action?: Placed<Action>;
  floor?: Placed<Action>;
  readonly parameters: Map<string, Placed<ParameterValue>>;
}

type SaidById = Map<string, Said>;

/** Policies of containers that policies name, kept for the next object: some 60 KiB for each list of layers. */
const REMEMBERED_CONTAINERS = 16;

/**
 * Layers, sorted by whom they speak for. A namespace may have a thousand policies, and an object thousands of
 * containers: so the cost of a container is that of the layers that name it, and not that of all layers.
 */
class CheckLayers {
  /** Layers and names in them: what the object takes of memory. */
  readonly size: number;
  /** The setting that counts where no layer has one. */
  readonly #builtIn: CheckPolicy;
  readonly #layers: readonly PolicyLayer[];
  /**
   * The layers that name a container, by its name, lowest first. A layer that names no container speaks for all of
   * them.
   */
  readonly #naming = new Map<string, number[]>();
  /** The settings of the layers for all containers. */
  readonly #general: SaidById = new Map();
  readonly #generalPolicy: CheckPolicy;
  readonly #known = new Map<string, CheckPolicy>();
  /** The settings of a check by the layers for all containers up to some layer, by check and layer. */
  readonly #prefixes = new Map<string, Said>();

  constructor(builtIn: CheckPolicy, layers: readonly PolicyLayer[]) {
    this.#builtIn = builtIn;
    this.#layers = layers;
    let size = layers.length;
    for (const [at, layer] of layers.entries()) {
      if (typeof layer.containers === 'string') say(this.#general, layer, at);
      else {
        size += layer.containers.length;
        for (const name of layer.containers) {
          const others = this.#naming.get(name);
          if (others === undefined) this.#naming.set(name, [at]);
          else others.push(at);
        }
      }
    }
    this.size = size;
    const policy = new Map(builtIn);
    for (const id of this.#general.keys()) this.#override(policy, id, NOTHING_SAID);
    this.#generalPolicy = policy;
  }

  policyFor(container: string): CheckPolicy {
    const naming = this.#naming.get(container);
    if (naming === undefined) return this.#generalPolicy;
    const known = this.#known.get(container);
    if (known !== undefined) return known;
    const own: SaidById = new Map();
    for (const at of naming) {
      const layer = this.#layers[at];
      if (layer !== undefined) say(own, layer, at);
    }
    const policy = new Map(this.#generalPolicy);
    for (const id of own.keys()) this.#override(policy, id, own, naming);
    if (this.#known.size >= REMEMBERED_CONTAINERS) this.#known.clear();
    this.#known.set(container, policy);
    return policy;
  }

  #override(policy: Map<string, EffectiveCheck>, id: string, own: SaidById, naming: readonly number[] = []): void {
    const builtIn = this.#builtIn.get(id);
    if (builtIn === undefined) return;
    const { action, floor, parameters } = higher(this.#general.get(id), own.get(id));
    const chosen = action?.value ?? builtIn.action;
    const values = valuesOf(builtIn.parameters, parameters);
    const isPlatformAction = action !== undefined && this.#layers[action.at]?.kind === 'ClusterProbePolicy';
    const setBy = { isDefaultAction: action === undefined, isPlatformAction };
    if (floor === undefined) {
      policy.set(id, { action: chosen, ...setBy, parameters: values });
      return;
    }
    const isAbove = [...parameters.values()].some(({ at }) => at > floor.at);
    policy.set(id, {
      action: stricter(chosen, floor.value),
      ...setBy,
      parameters: values,
      floor: {
        action: floor.value,
        source: this.#layers[floor.at]?.source ?? '',
        parameters: isAbove ? valuesOf(builtIn.parameters, this.#parametersUpTo(floor.at, id, naming)) : values,
      },
    });
  }

  /** The parameters that the layers up to a number set. */
  #parametersUpTo(last: number, id: string, naming: readonly number[]): Said['parameters'] {
    const key = `${last} ${id}`;
    let general = this.#prefixes.get(key);
    if (general === undefined) {
      const said: SaidById = new Map();
      for (const [at, layer] of this.#layers.slice(0, last + 1).entries())
        if (typeof layer.containers === 'string') say(said, layer, at, id);
      general = said.get(id) ?? unsaid();
      this.#prefixes.set(key, general);
    }
    const own: SaidById = new Map();
    for (const at of naming) {
      const layer = at <= last ? this.#layers[at] : undefined;
      if (layer !== undefined) say(own, layer, at, id);
    }
    return higher(general, own.get(id)).parameters;
  }
}

/** The policy of the checks themselves, which is below all layers. */
function builtInPolicy(catalogue: CheckCatalogue): CheckPolicy {
  const checks = Object.values(catalogue);
  return new Map(
    checks.map(({ id, action, parameters }) => [
      id,
      { action, isDefaultAction: true, isPlatformAction: false, parameters: defaultsOf(parameters) },
    ]),
  );
}

const NOTHING_SAID: SaidById = new Map();

function unsaid(): Said {
  return { parameters: new Map() };
}

/** Adds what a layer says, which is above all that were added before. */
function say(said: SaidById, { checks }: PolicyLayer, at: number, only?: string): void {
  for (const [id, { action, floor, parameters }] of checks) {
    if (only !== undefined && id !== only) continue;
    const entry = said.get(id) ?? unsaid();
    if (action !== undefined) entry.action = { at, value: action };
    if (floor !== undefined) entry.floor = { at, value: floor };
    for (const [name, value] of Object.entries(parameters)) entry.parameters.set(name, { at, value });
    said.set(id, entry);
  }
}

/** Field by field, what the higher layer says. */
function higher(one: Said = unsaid(), other: Said = unsaid()): Said {
  const action = above(one.action, other.action);
  const floor = above(one.floor, other.floor);
  const parameters = new Map(one.parameters);
  for (const [name, placed] of other.parameters) parameters.set(name, above(parameters.get(name), placed) ?? placed);
  return { ...(action && { action }), ...(floor && { floor }), parameters };
}

function above<T>(one: Placed<T> | undefined, other: Placed<T> | undefined): Placed<T> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.at > other.at ? one : other;
}

/** The defaults, and over them what layers set. */
function valuesOf(defaults: ParameterValues, parameters: Said['parameters']): ParameterValues {
  if (parameters.size === 0) return defaults;
  const values: Record<string, ParameterValue> = { ...defaults };
  for (const [name, { value }] of parameters) values[name] = value;
  return values;
}
