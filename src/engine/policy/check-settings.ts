import { PROBE_INTEGERS } from '../probe/probe.ts';
import { ACTIONS } from './action.ts';
import { choicesBound, defaultsOf } from './check-parameters.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import { INT32_MAX } from '../probe/go-values.ts';
import type { ProbeInteger } from '../probe/probe.ts';
import type { Action } from './action.ts';
import type { CheckCatalogue, CheckDefinition } from './check-catalogue.ts';
import type {
  CheckParameter,
  CheckParameters,
  Limits,
  ParameterValue,
  ParameterValues,
  ProbeBounds,
} from './check-parameters.ts';
import type { Reader } from './reader.ts';

/** The setting of one check in one policy. */
export interface CheckSetting {
  readonly action?: Action;
  readonly floor?: Action;
  /** The parameters that the policy sets, and no others. */
  readonly parameters: ParameterValues;
}

export type CheckSettings = ReadonlyMap<string, CheckSetting>;

const NONE: ParameterValues = {};

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
  const names = Object.keys(parameters);
  if (typeof reader.value === 'string') reader.report(`must be an object; write { action: ${reader.value} }`);
  else if (!mayHaveFloor && reader.at('floor').value !== undefined) {
    reader.at('floor').report('only a ClusterProbePolicy may set a floor');
    reader.object(['action', 'floor', ...names]);
  } else reader.object(['action', ...(mayHaveFloor ? ['floor'] : []), ...names]);

  const action = readAction(reader.at('action'));
  const floor = mayHaveFloor ? readAction(reader.at('floor')) : undefined;
  const values = readParameters(parameters, reader);
  // Most checks are set without parameters: one empty object for all saves memory.
  return {
    ...(action && { action }),
    ...(floor && { floor }),
    parameters: Object.keys(values).length > 0 ? values : NONE,
  };
}

/** An action. Off without quotes is false to YAML 1.1, which kubectl reads, and counts as Off. */
function readAction(reader: Reader): Action | undefined {
  if (reader.isAbsent) return undefined;
  return reader.value === false ? 'Off' : reader.oneOf(ACTIONS);
}

/** The parameters that are set, without those that have a problem. */
function readParameters(parameters: CheckParameters, reader: Reader): ParameterValues {
  const values: Record<string, ParameterValue> = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const place = reader.at(name);
    const value = place.isAbsent ? undefined : readParameter(parameter, place);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function readParameter(parameter: CheckParameter, reader: Reader): ParameterValue {
  switch (parameter.type) {
    case 'integer':
      return reader.integer(parameter.minimum, INT32_MAX);
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
  if (reader.object(['minimum', 'maximum']) === undefined) return undefined;
  const [least, most] = [reader.at('minimum'), reader.at('maximum')];
  const minimum = least.isAbsent ? undefined : least.integer(0, INT32_MAX);
  const maximum = most.isAbsent ? undefined : most.integer(0, INT32_MAX);
  if (least.isAbsent && most.isAbsent) reader.report('must set minimum, maximum or both');
  if (minimum !== undefined && maximum !== undefined && minimum > maximum)
    reader.report(`minimum ${minimum} is larger than maximum ${maximum}: no value would do`);
  return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
}
