import { PROBE_INTEGERS } from '../probes/probe.ts';
import { ACTIONS, CHECK_CATALOGUE, choiceBound } from './check-catalogue.ts';
import { didYouMean } from './suggestion.ts';
import { INT32_MAX } from './reader.ts';
import type { Action, ParameterShape } from './check-catalogue.ts';
import type { Reader } from './reader.ts';

/** What one policy says about one check. Parameters are as the policy wrote them, already known to be well-formed. */
export interface CheckSetting {
  readonly action?: Action;
  readonly floor?: Action;
  readonly parameters: ReadonlyMap<string, unknown>;
}

export type CheckSettings = ReadonlyMap<string, CheckSetting>;

const NONE: ReadonlyMap<string, unknown> = new Map();

/** Reads `spec.checks`. Only a cluster's policy may set a floor: it bounds what namespaces may relax. */
export function readCheckSettings(reader: Reader, mayHaveFloor: boolean): CheckSettings {
  const settings = new Map<string, CheckSetting>();
  const ids = Object.keys(CHECK_CATALOGUE);
  for (const id of Object.keys(reader.anyObject() ?? {})) {
    if (!ids.includes(id))
      reader.report(`unknown check${didYouMean(id, ids) || '; docs/checks.md lists the checks'}`, id);
    else settings.set(id, readCheckSetting(reader.at(id), id, mayHaveFloor));
  }
  return settings;
}

function readCheckSetting(reader: Reader, id: string, mayHaveFloor: boolean): CheckSetting {
  const shapes = CHECK_CATALOGUE[id]?.parameters ?? {};
  const names = Object.keys(shapes);
  if (typeof reader.value === 'string') reader.report(`must be an object; write { action: ${reader.value} }`);
  else if (!mayHaveFloor && reader.at('floor').value !== undefined) {
    reader.at('floor').report('only a ClusterProbePolicy may set a floor');
    reader.object(['action', 'floor', ...names]);
  } else reader.object(['action', ...(mayHaveFloor ? ['floor'] : []), ...names]);

  const action = readAction(reader.at('action'));
  const floor = mayHaveFloor ? readAction(reader.at('floor')) : undefined;
  const parameters = new Map<string, unknown>();
  for (const [name, shape] of Object.entries(shapes)) {
    const place = reader.at(name);
    if (!place.isAbsent && isParameter(place, shape)) parameters.set(name, place.value);
  }
  // Most checks are set without parameters: one empty map for all takes a tenth of the memory.
  return { ...(action && { action }), ...(floor && { floor }), parameters: parameters.size > 0 ? parameters : NONE };
}

/** An action. Off without quotes is false to YAML 1.1, which kubectl reads, and means what it says all the same. */
function readAction(reader: Reader): Action | undefined {
  if (reader.isAbsent) return undefined;
  return reader.value === false ? 'Off' : reader.oneOf(ACTIONS);
}

/** True when the value has the parameter's shape; what is wrong with it has been reported otherwise. */
function isParameter(reader: Reader, shape: ParameterShape): boolean {
  const before = reader.problems.length;
  switch (shape.type) {
    case 'integer':
      reader.integer(shape.minimum, INT32_MAX);
      break;
    case 'boolean':
      reader.boolean();
      break;
    case 'choice':
      reader.oneOf(shape.choices);
      break;
    case 'strings':
      reader.names('value', shape.count, shape.length);
      break;
    case 'choices':
      readChoices(reader, shape.choices);
      break;
    case 'bounds':
      readBounds(reader);
      break;
    case 'object':
      reader.object(Object.keys(shape.fields));
      for (const [name, field] of Object.entries(shape.fields)) {
        if (!reader.at(name).isAbsent) isParameter(reader.at(name), field);
      }
      break;
  }
  return reader.problems.length === before;
}

function readChoices(reader: Reader, choices: readonly string[]): void {
  const count = choiceBound(choices);
  if (reader.names('value', count) === undefined) return;
  for (const element of reader.list(count) ?? []) element.oneOf(choices);
}

function readBounds(reader: Reader): void {
  for (const field of Object.keys(reader.object(PROBE_INTEGERS) ?? {})) {
    const bounds = reader.at(field);
    if (bounds.object(['minimum', 'maximum']) === undefined) continue;
    const minimum = bounds.at('minimum').isAbsent ? undefined : bounds.at('minimum').integer(0, INT32_MAX);
    const maximum = bounds.at('maximum').isAbsent ? undefined : bounds.at('maximum').integer(0, INT32_MAX);
    if (bounds.at('minimum').isAbsent && bounds.at('maximum').isAbsent)
      bounds.report('must set minimum, maximum or both');
    if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
      bounds.report(`minimum ${minimum} is larger than maximum ${maximum}: no value would do`);
    }
  }
}
