import { workloadsIn } from '../../cli/input/manifest.ts';
import { unaskedSelectors } from '../../cli/input/unasked-selectors.ts';
import { worldOf } from '../../cli/input/world.ts';
import type { NamedInputs } from '../../cli/input/live.ts';
import type { ReadTexts } from '../../cli/input/manifests.ts';
import { readWorkloadKinds } from '../../cluster/sources/workload-kinds.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { KNOWN_KINDS, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { InvalidInputError } from './engine-options.ts';
import type { EngineOptions, InputProblem, ObjectInput, KubernetesObjects } from './engine-options.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';

/**
 * The inputs of a command, made of objects. Each object becomes a text of JSON, which is read as every manifest is. So
 * the package and the commands cannot differ, and nothing but JSON values reaches the engine. The notes are about
 * namespaceSelectors that cannot be asked.
 *
 * @param applied the policies that are to be applied over the others
 * @throws InvalidInputError when an argument cannot be used
 */
export function engineInputs(
  objects: KubernetesObjects,
  options: EngineOptions,
  applied: readonly ObjectInput[] = [],
): NamedInputs & { readonly notes: readonly FileProblem[] } {
  const { policies = [], namespace = 'default', workloadKinds, now = new Date() } = options;
  if (typeof namespace !== 'string' || namespace === '')
    throw invalidInput('options.namespace', `must be a text that is not empty, not ${typeOf(namespace)}`);
  if (!(now instanceof Date) || Number.isNaN(now.getTime())) throw invalidInput('options.now', 'must be a valid Date');
  const given = worldOf(
    textsOf('objects', Array.isArray(objects) ? (objects as readonly unknown[]) : [objects]),
    textsOf('policies', policies),
    { kinds: kindsOf(workloadKinds), namespace, now: now.getTime() },
    textsOf('apply', applied),
  );
  const { problems } = given.manifests;
  if (problems.length > 0) throw new InvalidInputError(problems.map(problemOf));
  return { ...given, notes: unaskedSelectors(workloadsIn(given.manifests, given.world), given.world) };
}

/** The names of options. The compiler finds one that is missing. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

export const ENGINE_OPTIONS: OptionNames<EngineOptions> = {
  policies: true,
  namespace: true,
  workloadKinds: true,
  now: true,
};

/**
 * Refuses options that no function reads: a misspelt `policies` would leave all policies out.
 *
 * @throws InvalidInputError with each unknown name
 */
export function refuseUnknownOptions<Options extends object>(options: Options, names: OptionNames<Options>): void {
  if (!isObject(options)) throw invalidInput('options', `must be an object, not ${typeOf(options)}`);
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(names, name));
  if (unknown.length === 0) return;
  throw new InvalidInputError(
    unknown.map((name) => ({
      place: `options.${name}`,
      message: `is not an option${didYouMean(name, Object.keys(names))}`,
    })),
  );
}

/** A line as commands print it, without the line and column of the text of JSON. */
export function withoutPosition(line: string): string {
  return line.replace(/^((?:objects|policies|apply)\[\d+\]):\d+:\d+: /, '$1: ');
}

function textsOf(argument: string, objects: unknown): ReadTexts {
  if (!Array.isArray(objects)) throw invalidInput(argument, `must be a list of objects, not ${typeOf(objects)}`);
  const texts = (objects as readonly unknown[]).map((object, index) => {
    const file = `${argument}[${index}]`;
    return { file, text: jsonOf(file, object) };
  });
  return { texts, problems: [] };
}

/** @throws InvalidInputError for a value that is no object, or that JSON cannot hold */
function jsonOf(place: string, object: unknown): string {
  if (!isObject(object)) throw invalidInput(place, `must be a Kubernetes object, not ${typeOf(object)}`);
  try {
    const text = JSON.stringify(object, undefined, 1) as string | undefined;
    if (text !== undefined) return text;
  } catch (error) {
    throw invalidInput(place, `cannot be written as JSON: ${messageOf(error)}`);
  }
  throw invalidInput(place, 'cannot be written as JSON: it has no value');
}

function kindsOf(kinds: EngineOptions['workloadKinds']): readonly WorkloadKind[] {
  if (kinds === undefined) return KNOWN_KINDS;
  const parsed = readWorkloadKinds('workloadKinds', JSON.stringify(kinds));
  if (parsed.problems !== undefined) throw new InvalidInputError(parsed.problems.map(problemOf));
  return parsed.kinds;
}

function problemOf({ file, message }: FileProblem): InputProblem {
  return { place: file, message };
}

/** The error about one argument. */
export function invalidInput(place: string, message: string): InvalidInputError {
  return new InvalidInputError([{ place, message }]);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a value is, in words of messages. */
export function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : value === '' ? 'an empty text' : typeof value;
}
