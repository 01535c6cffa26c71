import { PROBE_INTEGERS, type ProbeInteger } from '../probe/probe.ts';
import { ACTIONS, type Action } from './action.ts';
import { given, type Reader } from './reader.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import { INT32_MAX } from '../probe/go-values.ts';
import type { Bound } from './bounds.ts';

export interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Limits of a probe's integers: `{ periodSeconds: { minimum: 2, maximum: 60 } }`. */
export type ProbeBounds = Readonly<Partial<Record<ProbeInteger, Limits>>>;

/**
 * How a parameter of a check is written in a policy, and its value when no policy sets it. `text` is its description in
 * the CRDs: the meaning, the unit and the default. An integer is from `minimum` on, from 0 without one.
 */
export type CheckParameter = { readonly text: string } & (
  | { readonly type: 'integer'; readonly default: number; readonly minimum?: number }
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'choice'; readonly default: string; readonly choices: readonly string[] }
  | { readonly type: 'choices'; readonly default?: readonly string[]; readonly choices: readonly string[] }
  | { readonly type: 'strings'; readonly default: ReadonlySet<string>; readonly count: Bound; readonly length: Bound }
  | { readonly type: 'bounds'; readonly default: ProbeBounds }
  | { readonly type: 'group'; readonly fields: CheckParameters }
);

export interface CheckParameters {
  readonly [name: string]: CheckParameter;
}

/** The values by the type of the parameter, but for groups. */
interface PlainValues {
  readonly integer: number;
  readonly boolean: boolean;
  readonly choice: string;
  readonly choices: readonly string[];
  readonly strings: ReadonlySet<string>;
  readonly bounds: ProbeBounds;
}

type ValueOf<Of extends CheckParameter> = Of extends { readonly fields: infer Fields extends CheckParameters }
  ? ValuesOf<Fields>
  : PlainValues[Exclude<Of['type'], 'group'>] | (Of extends { readonly default: unknown } ? never : undefined);

/** The values that a check gets: one for each of its parameters. Undefined without a default where nobody sets one. */
export type ValuesOf<Parameters extends CheckParameters> = {
  readonly [Name in keyof Parameters]: ValueOf<Parameters[Name]>;
};

export type ParameterValue = PlainValues[keyof PlainValues] | ParameterValues | undefined;

export interface ParameterValues {
  readonly [name: string]: ParameterValue;
}

export function defaultsOf(parameters: CheckParameters): ParameterValues {
  const defaults = Object.entries(parameters).map(
    ([name, parameter]) =>
      [name, parameter.type === 'group' ? defaultsOf(parameter.fields) : parameter.default] as const,
  );
  return Object.fromEntries(defaults);
}

/** The bound of a list of choices: as many as there are, as no choice may be listed twice. */
export function choicesBound(words: readonly string[]): Bound {
  return { maximum: words.length, unit: 'values', at: '' };
}

export interface CheckSetting {
  readonly action?: Action;
  readonly floor?: Action;
  readonly parameters: ParameterValues;
}

export type CheckSettings = ReadonlyMap<string, CheckSetting>;

/** Reads `spec.checks`. Only a cluster's policy may set a floor: a floor bounds what namespaces may relax. */
export function readCheckSettings(catalogue: CheckCatalogue, reader: Reader, mayHaveFloor: boolean): CheckSettings {
  const settings = new Map<string, CheckSetting>();
  const ids = Object.keys(catalogue);
  for (const id of Object.keys(reader.anyObject() ?? {})) {
    if (reader.isFull) break;
    const check = Object.hasOwn(catalogue, id) ? catalogue[id] : undefined;
    if (check === undefined)
      reader.report(`unknown check${didYouMean(id, ids) || '; docs/checks.md lists the checks'}`, id);
    else settings.set(id, readCheckSetting(check, reader.at(id), mayHaveFloor));
  }
  return settings;
}

function readCheckSetting({ parameters }: CheckDefinition, reader: Reader, mayHaveFloor: boolean): CheckSetting {
  const place = reader.at('floor');
  const isMisplaced = !mayHaveFloor && !place.isAbsent;
  if (isMisplaced) place.report('only a ClusterProbePolicy may set a floor');
  if (typeof reader.value === 'string') reader.report(`must be an object; write { action: ${reader.value} }`);
  else reader.object(['action', ...(mayHaveFloor || isMisplaced ? ['floor'] : []), ...Object.keys(parameters)]);

  const action = readAction(reader.at('action'));
  const floor = mayHaveFloor ? readAction(place) : undefined;
  const values = readParameters(parameters, reader);
  // Most checks are set without parameters: small objects, and one empty object for all, save memory.
  return {
    ...(action && { action }),
    ...(floor && { floor }),
    parameters: Object.keys(values).length > 0 ? values : NONE,
  };
}

const NONE: ParameterValues = {};

/** An action. Off without quotes is false to YAML 1.1, which kubectl reads, and counts as Off. */
const readAction = given((place) => (place.value === false ? 'Off' : place.oneOf(ACTIONS)));

function readParameters(parameters: CheckParameters, reader: Reader): ParameterValues {
  const values = Object.entries(parameters).map(
    ([name, parameter]) => [name, readParameter(parameter, reader.at(name))] as const,
  );
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function readParameter(parameter: CheckParameter, reader: Reader): ParameterValue {
  if (reader.isAbsent) return undefined;
  switch (parameter.type) {
    case 'integer':
      return reader.integer(parameter.minimum ?? 0, INT32_MAX);
    case 'boolean':
      return reader.boolean();
    case 'choice':
      return reader.oneOf(parameter.choices);
    case 'choices':
      return readChoices(reader, parameter.choices);
    case 'strings': {
      const names = reader.names('value', parameter.count, parameter.length);
      return names && new Set(names);
    }
    case 'bounds':
      return readBounds(reader);
    case 'group':
      reader.object(Object.keys(parameter.fields));
      return { ...defaultsOf(parameter.fields), ...readParameters(parameter.fields, reader) };
  }
}

function readChoices(reader: Reader, choices: readonly string[]): readonly string[] | undefined {
  const count = choicesBound(choices);
  const names = reader.names('value', count);
  if (names !== undefined) for (const element of reader.list(count) ?? []) element.oneOf(choices);
  return names;
}

function readBounds(reader: Reader): ProbeBounds {
  const bounds: Partial<Record<ProbeInteger, Limits>> = {};
  for (const name of Object.keys(reader.object(PROBE_INTEGERS) ?? {})) {
    const limits = readLimits(reader.at(name));
    const field = PROBE_INTEGERS.find((known) => known === name);
    if (field !== undefined && limits !== undefined) bounds[field] = limits;
  }
  return bounds;
}

function readLimits(reader: Reader): Limits | undefined {
  const integer = given((place) => place.integer(0, INT32_MAX));
  const limits = reader.fields<Limits>({ minimum: integer, maximum: integer });
  if (limits === undefined) return undefined;
  if (reader.at('minimum').isAbsent && reader.at('maximum').isAbsent)
    reader.report('must set minimum, maximum or both');
  const { minimum = 0, maximum = Infinity } = limits;
  if (minimum > maximum) reader.report(`minimum ${minimum} is larger than maximum ${maximum}: no value would do`);
  return limits;
}

/** A check as policies may speak of it. What it looks for is the business of src/engine/checks. */
export interface CheckDefinition {
  /** The key in `spec.checks`, the end of each message, and the heading in docs/checks.md. */
  readonly id: string;
  readonly summary: string;
  readonly action: Action;
  readonly parameters: CheckParameters;
}

export type CheckCatalogue = Readonly<Record<string, CheckDefinition>>;
