import { didYouMean } from '../../base/text/suggestion.ts';
import {
  defaultsOf,
  type CheckCatalogue,
  type CheckDefinition,
  type CheckSetting,
  type CheckSettings,
  type ParameterValue,
  type ParameterValues,
} from './check-parameters.ts';
import { readObject } from './read-field.ts';
import type { Fields, ObjectField } from './field.ts';
import type { Reader } from './reader.ts';

/** Reads `spec.checks`. Only a cluster's policy may set a floor: a floor bounds what namespaces may relax. */
export function readCheckSettings(
  catalogue: CheckCatalogue,
  reader: Reader,
  mayHaveFloor: boolean,
): CheckSettings | undefined {
  if (!reader.isGiven) return undefined;
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

function readCheckSetting(check: CheckDefinition, reader: Reader, mayHaveFloor: boolean): CheckSetting {
  const place = reader.at('floor');
  const isMisplaced = !mayHaveFloor && !place.isAbsent;
  if (isMisplaced) place.report('only a ClusterProbePolicy may set a floor');
  if (typeof reader.value === 'string') {
    reader.report(`must be an object; write { action: ${reader.value} }`);
    return { parameters: NONE };
  }
  const fields = Object.entries(fieldsOfCheck(check)).filter(([, { only }]) => !only || mayHaveFloor || isMisplaced);
  const entry: ObjectField = { type: 'object', text: '', fields: Object.fromEntries(fields) };
  const read = readObject(entry, reader, isMisplaced ? { floor: () => undefined } : {}) ?? {};
  const { action, floor, ...set } = read as Record<string, ParameterValue> & Omit<CheckSetting, 'parameters'>;
  const values = Object.entries(set).map(([name, value]) => {
    const parameter = check.parameters[name];
    const isGroup = parameter?.type === 'group';
    return [name, isGroup ? { ...defaultsOf(parameter.fields), ...(value as ParameterValues) } : value] as const;
  });
  // Most checks are set without parameters: small objects, and one empty object for all, save memory.
  return {
    ...(action && { action }),
    ...(floor && { floor }),
    parameters: values.length > 0 ? Object.fromEntries(values) : NONE,
  };
}

const NONE: ParameterValues = {};

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
