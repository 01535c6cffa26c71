import type { ProbeInteger } from '../probe/probe.ts';
import type { Bound } from './bounds.ts';

/**
 * How a parameter of a check is written in a policy, and what it is when no policy sets it. This type and the next are
 * exported because the declarations of the npm package name them.
 */
export interface Parameter<Type extends string, Value> {
  readonly type: Type;
  /** The meaning of the parameter, its unit and its default: its description in the CRDs. */
  readonly text: string;
  readonly default: Value;
}

export interface Choices<Choice extends string> {
  readonly choices: readonly Choice[];
}

/** A whole number from `minimum` on, from 0 without one. */
type IntegerParameter = Parameter<'integer', number> & { readonly minimum?: number };
type BooleanParameter = Parameter<'boolean', boolean>;
type ChoiceParameter<Choice extends string> = Parameter<'choice', Choice> & Choices<Choice>;
type ChoicesParameter<Choice extends string, Default> = Parameter<'choices', Default> & Choices<Choice>;
/** A list of distinct texts, so many and so long at most. */
type StringsParameter = Parameter<'strings', ReadonlySet<string>> & Readonly<Record<'count' | 'length', Bound>>;
type BoundsParameter = Parameter<'bounds', ProbeBounds>;
interface GroupParameter<Fields extends CheckParameters> extends Parameter<'group', ValuesOf<Fields>> {
  readonly fields: Fields;
}

export interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Limits of a probe's integers: `{ periodSeconds: { minimum: 2, maximum: 60 } }`. */
export type ProbeBounds = Readonly<Partial<Record<ProbeInteger, Limits>>>;

export type CheckParameter =
  | IntegerParameter
  | BooleanParameter
  | ChoiceParameter<string>
  | ChoicesParameter<string, readonly string[] | undefined>
  | StringsParameter
  | BoundsParameter
  | GroupParameter<CheckParameters>;

export interface CheckParameters {
  readonly [name: string]: CheckParameter;
}

/** The values that a check gets: one for each of its parameters, of the parameter's own type. */
export type ValuesOf<Parameters extends CheckParameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name]['default'];
};

export type ParameterValue =
  number | boolean | string | readonly string[] | ReadonlySet<string> | ProbeBounds | ParameterValues | undefined;

export interface ParameterValues {
  readonly [name: string]: ParameterValue;
}

type Given<Built> = Omit<Built, 'type'>;

export const integer = (given: Given<IntegerParameter>): IntegerParameter => ({ type: 'integer', ...given });
export const boolean = (given: Given<BooleanParameter>): BooleanParameter => ({ type: 'boolean', ...given });
export const strings = (given: Given<StringsParameter>): StringsParameter => ({ type: 'strings', ...given });
export const choice = <Choice extends string>(given: Given<ChoiceParameter<Choice>>): ChoiceParameter<Choice> => ({
  type: 'choice',
  ...given,
});
export const choices = <Choice extends string>(
  given: Given<ChoicesParameter<Choice, readonly Choice[]>>,
): ChoicesParameter<Choice, readonly Choice[]> => ({ type: 'choices', ...given });
/** Without a default the value is undefined where no policy sets the parameter. */
export const optionalChoices = <Choice extends string>(
  given: Omit<Given<ChoicesParameter<Choice, undefined>>, 'default'>,
): ChoicesParameter<Choice, readonly Choice[] | undefined> => ({ type: 'choices', ...given, default: undefined });
export const probeBounds = (text: string): BoundsParameter => ({ type: 'bounds', text, default: {} });
export const group = <Fields extends CheckParameters>(text: string, fields: Fields): GroupParameter<Fields> => ({
  type: 'group',
  text,
  fields,
  default: defaultsOf(fields),
});

export function defaultsOf<Parameters extends CheckParameters>(parameters: Parameters): ValuesOf<Parameters> {
  const defaults = Object.entries(parameters).map(([name, parameter]) => [name, parameter.default] as const);
  // Object.fromEntries knows neither the names nor which value belongs to which.
  return Object.fromEntries(defaults) as ValuesOf<Parameters>;
}

/** The bound of a list of choices: as many as there are, as no choice may be listed twice. */
export function choicesBound(words: readonly string[]): Bound {
  return { maximum: words.length, unit: 'values', at: '' };
}
