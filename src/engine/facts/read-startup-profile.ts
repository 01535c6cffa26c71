import { isJsonObject, listMember, member, objectMember, stringMember } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { FieldPlace } from '../../base/json/field-path.ts';
import { boundProblem, PROFILE_BOUNDS, type Bound } from '../policy/bounds.ts';
import { PROFILE_STATUS } from '../policy/profile-schema.ts';
import { START_BASES } from '../probe/startup-budget.ts';
import { isCount } from '../probe/timing.ts';
import type { Field } from '../policy/field.ts';
import type { Problem } from '../policy/reader.ts';
import type { ContainerProfile, StartSample, StartupProfile } from './startup-profile.ts';

/**
 * Reads the status of a StartupProfile. What is malformed is left out: the observer's next write replaces it. Undefined
 * without a status, and when a bound is exceeded.
 */
export function readStartupProfile(document: JsonObject): StartupProfile | undefined {
  const status = objectMember(document, 'status');
  const workload = status && objectMember(status, 'workload');
  if (status === undefined || workload === undefined || profileProblem(document) !== undefined) return undefined;
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((field) => stringMember(workload, field));
  if (apiVersion === undefined || kind === undefined || name === undefined) return undefined;
  const containers = listMember(status, 'containers').filter(isJsonObject).flatMap(readContainer);
  return { workload: { apiVersion, kind, name }, containers };
}

function readContainer(container: JsonObject): ContainerProfile[] {
  const name = stringMember(container, 'name');
  if (name === undefined) return [];
  const image = stringMember(container, 'image') ?? '';
  const censored = member(container, 'censored');
  const samples = listMember(container, 'samples').filter(isJsonObject).flatMap(readSample);
  const killed = {
    count: isCount(censored) ? censored : 0,
    boundSeconds: seconds(container, 'censoredBoundSeconds') ?? 0,
    at: stringMember(container, 'censoredAt') ?? '',
    ids: listMember(container, 'censoredIds').filter((id) => typeof id === 'string'),
  };
  return [{ name, image, samples, killed }];
}

function readSample(sample: JsonObject): StartSample[] {
  const measured = seconds(sample, 'seconds');
  const basis = START_BASES.find((one) => one === sample['basis']);
  const [at, id, node = ''] = ['at', 'id', 'node'].map((field) => stringMember(sample, field));
  if (measured === undefined || basis === undefined || at === undefined || id === undefined) return [];
  const within = seconds(sample, 'within') ?? measured;
  return [{ seconds: measured, within, basis, restart: sample['restart'] === true, node, at, id }];
}

function seconds(object: JsonObject, field: string): number | undefined {
  const value = member(object, field);
  return isCount(value) && value <= PROFILE_BOUNDS.seconds ? value : undefined;
}

/** A list or text of a StartupProfile that exceeds its bound. Such a profile has no effect as a whole. */
export function profileProblem(document: JsonObject): Problem | undefined {
  return sizeProblems(PROFILE_STATUS, member(document, 'status'), new FieldPlace([], 'status')).next().value;
}

const TIME: Bound = { maximum: PROFILE_BOUNDS.text, unit: 'characters', at: '' };

function* sizeProblems(field: Field, value: unknown, place: FieldPlace): Generator<Problem, undefined> {
  if (field.type === 'object' && isJsonObject(value)) {
    for (const [name, each] of Object.entries(field.fields))
      yield* sizeProblems(each, member(value, name), place.at(name));
  }
  if (field.type === 'list' && Array.isArray(value)) {
    yield* sizeProblem(field.count, value.length, place);
    for (const [index, element] of value.entries()) yield* sizeProblems(field.items, element, place.at(index));
  }
  if (typeof value !== 'string') return;
  if (field.type === 'text' && field.bound !== undefined) yield* sizeProblem(field.bound, value.length, place);
  if (field.type === 'time') yield* sizeProblem(TIME, value.length, place);
}

function* sizeProblem(bound: Bound, size: number, place: FieldPlace): Generator<Problem> {
  const message = boundProblem(bound, size);
  if (message !== undefined) yield { path: place.path(), message };
}
