import { didYouMean } from '../../base/text/suggestion.ts';
import { defaultsOf, type CheckCatalogue, type CheckDefinition, type CheckParameter } from './check-parameters.ts';
import { readMember } from './read-field.ts';
import type { Action } from './action.ts';
import type {
  CheckParameters,
  CheckSetting,
  CheckSettings,
  ParameterValue,
  ParameterValues,
} from './check-parameters.ts';
import type { Field, Fields } from './field.ts';
import type { Reader } from './reader.ts';

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

  const action = readMember(ACTION, reader.at('action')) as Action | undefined;
  const floor = mayHaveFloor ? (readMember(ACTION, place) as Action | undefined) : undefined;
  const values = readParameters(parameters, reader);
  // Most checks are set without parameters: small objects, and one empty object for all, save memory.
  return {
    ...(action && { action }),
    ...(floor && { floor }),
    parameters: Object.keys(values).length > 0 ? values : NONE,
  };
}

const NONE: ParameterValues = {};

const ACTION: Field = { type: 'action', text: '' };

function readParameters(parameters: CheckParameters, reader: Reader): ParameterValues {
  const values = Object.entries(parameters).map(
    ([name, parameter]) => [name, readParameter(parameter, reader.at(name))] as const,
  );
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function readParameter(parameter: CheckParameter, reader: Reader): ParameterValue {
  const value = readMember(parameter, reader) as ParameterValue;
  return parameter.type === 'group' && value !== undefined
    ? { ...defaultsOf(parameter.fields), ...(value as ParameterValues) }
    : value;
}

/** What a policy may say about a check. */
export function fieldsOfCheck({ action, parameters }: CheckDefinition): Fields {
  return {
    action: {
      type: 'action',
      text: 'Deny refuses the workload, Warn lets it pass with a warning, Audit only counts and logs it, Off does not run the check.',
      otherwise: action,
    },
    floor: {
      type: 'action',
      only: 'ClusterProbePolicy',
      text: 'The laxest action that a namespace may set, out of Off, Audit, Warn, Deny; a laxer one counts as this.',
      otherwise: 'namespaces are free',
    },
    ...parameters,
  };
}
