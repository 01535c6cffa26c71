import { isJsonObject, listMember, member, objectMember, stringMember, without } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { parseInstant } from '../../base/text/duration.ts';
import { FieldPlace } from '../../base/json/field-path.ts';
import { PROFILE_BOUNDS } from '../policy/bounds.ts';
import { boundProblem, type Bound } from '../policy/bound.ts';
import { PROFILE_STATUS } from '../policy/profile-schema.ts';
import { START_BASES, type StartFigures } from '../time/learned-start.ts';
import { isCount } from '../time/timing.ts';
import type { Field } from '../policy/field.ts';
import type { Problem } from '../policy/reader.ts';
import type { WorkloadReference } from '../workload/workload-of-pod.ts';
import { type ContainerStarts, type WorkloadStarts } from './startup-profile.ts';

export type StartBasis = (typeof START_BASES)[number];

export interface StartSample {
  /** From the start of the container until its probe passed: never below the truth. */
  readonly seconds: number;
  /** The truth is at most this many seconds below. */
  readonly within: number;
  readonly basis: StartBasis;
  /** The container was restarted in place. */
  readonly restart: boolean;
  readonly node: string;
  /** RFC 3339: when the container was started. */
  readonly at: string;
  /** Identifies the start, so that two observers count it once. */
  readonly id: string;
  /** The image that started, as the Pod names it. Undefined in profiles of earlier builds: nobody knows. */
  readonly image?: string;
}

export interface KilledStarts {
  /** Since the profile exists. */
  readonly count: number;
  /** The largest time that a probe had granted; 0 when none counts any more. */
  readonly boundSeconds: number;
  /** RFC 3339: the last one; '' without one. */
  readonly at: string;
  readonly ids: readonly string[];
}

export interface ContainerProfile {
  readonly name: string;
  readonly image: string;
  readonly samples: readonly StartSample[];
  readonly killed: KilledStarts;
}

export interface StartupProfile {
  readonly workload: WorkloadReference;
  readonly containers: readonly ContainerProfile[];
}

export function figuresOf({ samples, killed }: ContainerProfile): StartFigures {
  return { ...figuresOfSamples(samples), boundSeconds: killed.boundSeconds };
}

function figuresOfSamples(samples: readonly StartSample[]): Pick<StartFigures, 'starts' | 'longestSeconds'> {
  const starts = samples.filter(({ restart }) => !restart).length;
  return { starts, longestSeconds: Math.max(0, ...samples.map((sample) => sample.seconds)) };
}

/** What is known of the starts of a container, by image too. */
export function startsOfProfile(container: ContainerProfile): ContainerStarts {
  const { name, samples } = container;
  const byImage = Map.groupBy(samples, ({ image = '' }) => image);
  byImage.delete('');
  const images = Array.from(byImage, ([image, own]) => ({ image, ...figuresOfSamples(own) }));
  return { name, ...figuresOf(container), images };
}

/**
 * Reads the status of a StartupProfile. What is malformed is left out: the observer's next write replaces it. Undefined
 * without a status, and when a bound is exceeded.
 */
export function readStartupProfile(document: JsonObject): StartupProfile | undefined {
  const status = objectMember(document, 'status') ?? {};
  const workload = objectMember(status, 'workload');
  if (workload === undefined || profileProblem(document) !== undefined) return undefined;
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
  const read = listMember(container, 'samples').filter(isJsonObject).flatMap(readSample);
  // A start counts once.
  const samples = [...new Map(read.map((sample) => [sample.id, sample])).values()];
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
  const [at, id, node = '', image = ''] = ['at', 'id', 'node', 'image'].map((field) => stringMember(sample, field));
  // The kubelet's instants are whole seconds, so no measured start is shorter than one.
  if (measured === undefined || measured < 1 || basis === undefined || id === undefined) return [];
  if (at === undefined || parseInstant(at) === undefined) return [];
  const within = seconds(sample, 'within') ?? measured;
  const start = { seconds: measured, within, basis, restart: sample['restart'] === true, node, at, id };
  return [image === '' ? start : { ...start, image }];
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

export function workloadStarts(name: string, { workload, containers }: StartupProfile): WorkloadStarts {
  return {
    name,
    containers: containers.map((container) => ({
      ...startsOfProfile(container),
      seconds: container.samples.map((sample) => sample.seconds),
    })),
    workload,
  };
}

/** The digest without each measured start, as the webhook keeps it. */
export function withoutSeconds({ name, containers }: WorkloadStarts): WorkloadStarts {
  return { name, containers: containers.map((container) => without(container, 'seconds')) };
}
