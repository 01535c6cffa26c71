import type { ProbeInteger } from '../probe/probe.ts';
import type { Action } from './action.ts';
import type { Bound } from './bound.ts';

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

export interface CheckSetting {
  readonly action?: Action;
  readonly floor?: Action;
  readonly parameters: ParameterValues;
}

export type CheckSettings = ReadonlyMap<string, CheckSetting>;

/** A check as policies may speak of it. What it looks for is the business of src/engine/checks. */
export interface CheckDefinition {
  /** The key in `spec.checks`, the end of each message, and the heading in docs/checks.md. */
  readonly id: string;
  readonly summary: string;
  readonly action: Action;
  readonly parameters: CheckParameters;
}

export type CheckCatalogue = Readonly<Record<string, CheckDefinition>>;
