import type { Flags, FlagValues } from './flag.ts';
import type { Suggestions } from './value-types.ts';

/** The arguments of a command that are not flags. */
export interface Positionals {
  /** Placeholder of such an argument in messages: `FILE`. */
  readonly name: string;
  readonly minimum: number;
  readonly maximum: number;
  /** A list of words means that only these words are valid. */
  readonly suggestions: Suggestions;
  /** The names of flags that replace such arguments: with one of these flags, the arguments may be missing. */
  readonly replacedBy?: readonly string[];
  /** Advice for a command line with too few arguments. */
  readonly missing: string;
}

/** The arguments and flags that a command accepts, with the command's texts. */
export interface CommandDefinition<F extends Flags = Flags> {
  readonly name: string;
  /** The purpose of the command, without a subject and without a period, for the list of commands. */
  readonly summary: string;
  /** The usage after the command's name: `FILE... [flags]`. */
  readonly usage: string;
  /** Paragraphs for help. */
  readonly description: readonly string[];
  /** Undefined when the command accepts flags only. */
  readonly positionals: Positionals | undefined;
  readonly flags: F;
  /** True when each flag can also be set by an environment variable. */
  readonly readsEnvironment: boolean;
  readonly exitCodes: readonly ExitCode[];
  /**
   * Returns problems between values that are valid individually. Invalid values have already been replaced by their
   * defaults.
   */
  conflicts?(values: FlagValues<F>): readonly string[];
}

/** The flags of a command without flags. */
export type NoFlags = Readonly<Record<string, never>>;

/** An exit code, with the condition under which a command returns the code. */
export interface ExitCode {
  readonly code: number;
  readonly meaning: string;
}

/** A command line without problems. */
export interface CommandLine<F extends Flags> {
  readonly flags: FlagValues<F>;
  readonly positionals: readonly string[];
}
