import type { ProbeInteger } from '../probe/probe.ts';
import type { Bound } from './bounds.ts';

interface Described<Type extends string, Value> {
  readonly type: Type;
  /** The meaning of the parameter, its unit and its default: its description in the CRDs. */
  readonly text: string;
  readonly default: Value;
}

export type IntegerParameter = Described<'integer', number> & { readonly minimum: number };
export type BooleanParameter = Described<'boolean', boolean>;
export type ChoiceParameter<Choice extends string = string> = Described<'choice', Choice> & Choices<Choice>;
export type ChoicesParameter<
  Choice extends string = string,
  Default extends readonly Choice[] | undefined = readonly Choice[] | undefined,
> = Described<'choices', Default> & Choices<Choice>;
/** A list of distinct texts, so many and so long at most. */
export type StringsParameter = Described<'strings', ReadonlySet<string>> & Readonly<Record<'count' | 'length', Bound>>;
export type BoundsParameter = Described<'bounds', ProbeBounds>;
export interface GroupParameter<Fields extends CheckParameters = CheckParameters> extends Described<
  'group',
  ValuesOf<Fields>
> {
  readonly fields: Fields;
}

interface Choices<Choice extends string> {
  readonly choices: readonly Choice[];
}

export interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Limits of a probe's integers: `{ periodSeconds: { minimum: 2, maximum: 60 } }`. */
export type ProbeBounds = Readonly<Partial<Record<ProbeInteger, Limits>>>;

/** How a parameter of a check is written in a policy, and what it is when no policy sets it. */
export type CheckParameter =
  | IntegerParameter
  | BooleanParameter
  | ChoiceParameter
  | ChoicesParameter
  | StringsParameter
  | BoundsParameter
  | GroupParameter;

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

/** The argument of a parameter's builder: every member but the type. */
type Given<Parameter> = Omit<Parameter, 'type'>;

export const integer = (given: Given<IntegerParameter>): IntegerParameter => ({ type: 'integer', ...given });
export const boolean = (given: Given<BooleanParameter>): BooleanParameter => ({ type: 'boolean', ...given });
export const strings = (given: Given<StringsParameter>): StringsParameter => ({ type: 'strings', ...given });
export const choice = <Choice extends string>(given: Given<ChoiceParameter<Choice>>): ChoiceParameter<Choice> => ({
  type: 'choice',
  ...given,
});

/** Without a default the value is undefined where no policy sets the parameter. */
export function choices<Choice extends string>(
  given: Given<ChoicesParameter<Choice, readonly Choice[]>>,
): ChoicesParameter<Choice, readonly Choice[]>;
export function choices<Choice extends string>(
  given: Omit<Given<ChoicesParameter<Choice>>, 'default'>,
): ChoicesParameter<Choice>;
export function choices<Choice extends string>({
  default: value,
  ...given
}: Omit<ChoicesParameter<Choice>, 'type' | 'default'> & {
  readonly default?: readonly Choice[];
}): ChoicesParameter<Choice> {
  return { type: 'choices', ...given, default: value };
}

export function probeBounds({ text }: Pick<BoundsParameter, 'text'>): BoundsParameter {
  return { type: 'bounds', text, default: {} };
}

export function group<Fields extends CheckParameters>({
  text,
  fields,
}: Omit<Given<GroupParameter<Fields>>, 'default'>): GroupParameter<Fields> {
  return { type: 'group', text, fields, default: defaultsOf(fields) };
}

export function defaultsOf<Parameters extends CheckParameters>(parameters: Parameters): ValuesOf<Parameters> {
  const defaults = Object.entries(parameters).map(([name, parameter]) => [name, parameter.default] as const);
  // Object.fromEntries knows neither the names nor which value belongs to which.
  return Object.fromEntries(defaults) as ValuesOf<Parameters>;
}

/** The bound of a list of choices: as many as there are, as no choice may be listed twice. */
export function choicesBound(words: readonly string[]): Bound {
  return { maximum: words.length, unit: 'values', at: '' };
}
