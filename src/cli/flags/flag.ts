import type { ProjectInForce } from '../input/charts.ts';
import type { Suggestions, ValueType } from './value-types.ts';

/** The arguments of a command that are not flags. */
export interface Positionals {
  readonly name: string;
  readonly minimum: number;
  readonly maximum: number;
  /** A list of words means that only these words are valid. */
  readonly suggestions: Suggestions;
  /** The names of flags that replace such arguments: with one of these flags, the arguments may be missing. */
  readonly replacedBy?: readonly string[];
  readonly missing: string;
}

/** The arguments and flags that a command accepts, with the command's texts. */
export interface CommandDefinition<F extends Flags = Flags> {
  readonly name: string;
  /** The purpose of the command, without a subject and without a period, for the list of commands. */
  readonly summary: string;
  /** The usage after the command's name: `FILE... [flags]`. */
  readonly usage: string;
  readonly description: readonly string[];
  /** Absent when the command accepts flags only. */
  readonly positionals?: Positionals | undefined;
  readonly flags: F;
  /** True when each flag can also be set by an environment variable. */
  readonly readsEnvironment?: boolean;
  /** What each exit code means. */
  readonly exitCodes: Readonly<Record<number, string>>;
  /**
   * Returns problems between values that are valid individually. Invalid values have already been replaced by their
   * defaults. False is no problem.
   */
  conflicts?(values: FlagValues<F>): readonly (string | false)[];
}

/** The flags of a command without flags. */
export type NoFlags = Readonly<Record<string, never>>;

export interface ParsedCommandLine<F extends Flags> {
  readonly flags: FlagValues<F>;
  readonly positionals: readonly string[];
  readonly project?: ProjectInForce;
}

/** What a flag may have beside its type, its default and its summary. */
interface MoreTexts {
  /** One letter that may be written for the name: `n` for `-n`. */
  readonly short?: string;
  readonly details?: string;
  /** More sentences in Markdown, with links between pages of docs/, for docs only. */
  readonly links?: string;
  /** The behavior without the flag, in words, for a flag without a default value. */
  readonly otherwise?: string;
  /** The heading of the group that the flag is listed in. A flag without a group is listed first. */
  readonly group?: string;
}

/** A flag of a command, without its name, with the function that reads the flag's value. */
export interface Flag<T> extends MoreTexts {
  readonly summary: string;
  /** Undefined for a switch, because a switch takes no value. */
  readonly type: ValueType<unknown> | undefined;
  /** The default as a user would write it. Undefined for a flag without a default value. */
  readonly default: string | undefined;
  /** True when every use of the flag counts. Otherwise only the last use counts. */
  readonly isRepeatable: boolean;
  /**
   * Reads the value from the given texts, in the order of the command line. Without texts, the default is returned.
   *
   * @throws Error with the problem of a text
   */
  readonly read: (texts: readonly string[]) => T;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;

export type FlagValues<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer T> ? T : never;
};

/** Defines an optional flag. The flag's value is undefined when the flag is not given. */
export function optional<T>(type: ValueType<T>, summary: string, more: MoreTexts = {}): Flag<T | undefined> {
  const read = (texts: readonly string[]): T | undefined => texts.slice(-1).map((text) => type.read(text))[0];
  return { type, summary, ...more, default: undefined, isRepeatable: false, read };
}

/** Defines a flag with a default, as a user would write it. */
export function withDefault<T>(type: ValueType<T>, value: string, summary: string, more: MoreTexts = {}): Flag<T> {
  const read = (texts: readonly string[]): T => type.read(texts.at(-1) ?? value);
  return { type, summary, ...more, default: value, isRepeatable: false, read };
}

/** Defines a switch: a flag that takes no value. The switch is true when the flag is given. */
export function toggle(summary: string, more: MoreTexts = {}): Flag<boolean> {
  const read = (texts: readonly string[]): boolean => texts.length > 0;
  return { type: undefined, summary, ...more, default: undefined, isRepeatable: false, read };
}

/** Defines a flag that may be given several times. The flag's value is the list of all values. */
export function repeatable<T>(type: ValueType<T>, summary: string, more: MoreTexts = {}): Flag<readonly T[]> {
  const read = (texts: readonly string[]): readonly T[] => texts.map((text) => type.read(text));
  return { type, summary, ...more, default: undefined, isRepeatable: true, read };
}

/** Lists flags under a heading. */
export function inGroup<F extends Flags>(group: string, flags: F): F {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, group }])) as F;
}
