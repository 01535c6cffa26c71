import { formatPath, type FieldPath, type PathStep } from '../../base/json/field-path.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { boundProblem, textLength, type Bound } from './bound.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { didYouMean } from '../../base/text/suggestion.ts';

/** Something wrong with a document: where, and what to write instead. `path` is [] for the document itself. */
export interface Problem {
  readonly path: FieldPath;
  readonly message: string;
}

/** One line: `spec.port: 70000 is not a port number`. */
export function formatProblem(problem: Problem): string {
  return problem.path.length === 0 ? problem.message : `${formatPath(problem.path)}: ${problem.message}`;
}

/** Reported in place of all problems beyond the limit. */
export const MORE_PROBLEMS = 'more problems, from here on, are not listed';

const MOST_PROBLEMS = 100;

/**
 * A place in a document that is being read, and the lists of problems and warnings. Reading goes on after a problem, so
 * that one run reports all, up to a hundred. What could not be read is undefined.
 */
export class Reader {
  readonly value: unknown;
  readonly path: readonly PathStep[];
  readonly problems: Problem[];
  readonly warnings: Problem[];

  constructor(value: unknown, path: readonly PathStep[], problems: Problem[], warnings: Problem[] = []) {
    this.value = value;
    this.path = path;
    this.problems = problems;
    this.warnings = warnings;
  }

  /** Reports a problem at this place, or at a key below this place. */
  report(message: string, key?: PathStep): undefined {
    if (this.isFull) return undefined;
    const path = key === undefined ? this.path : [...this.path, key];
    this.problems.push({ path, message: this.problems.length < MOST_PROBLEMS ? message : MORE_PROBLEMS });
    return undefined;
  }

  /** Notes that what stands at this place is valid, and probably not what its author meant. */
  warn(message: string): void {
    if (this.warnings.length < MOST_PROBLEMS) this.warnings.push({ path: this.path, message });
  }

  /** No further problem is listed. Do not look for suggestions, because each takes time. */
  get isFull(): boolean {
    return this.problems.length > MOST_PROBLEMS;
  }

  at(key: PathStep): Reader {
    const value: unknown =
      typeof this.value === 'object' && this.value !== null && Object.hasOwn(this.value, key)
        ? (this.value as Record<PathStep, unknown>)[key]
        : undefined;
    return new Reader(value, [...this.path, key], this.problems, this.warnings);
  }

  get isAbsent(): boolean {
    return this.value === undefined;
  }

  get isNull(): boolean {
    return this.value === null;
  }

  /** Null is an empty field in YAML, and counts as absent. */
  get isGiven(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /**
   * The value as an object whose keys are all among `known`. Unknown ones are reported with the nearest known one.
   *
   * @param what the word for a key in problems
   */
  object(known: readonly string[], what = 'field'): JsonObject | undefined {
    const value = this.anyObject();
    if (value === undefined) return undefined;
    for (const key of Object.keys(value)) {
      if (this.isFull) break;
      if (!known.includes(key))
        this.report(`unknown ${what}${didYouMean(key, known) || `; known here: ${known.join(', ')}`}`, key);
    }
    return value;
  }

  anyObject(): JsonObject | undefined {
    return isJsonObject(this.value) ? this.value : this.report(`must be an object, not ${quoted(this.value)}`);
  }

  list(bound?: Bound): Reader[] | undefined {
    if (!Array.isArray(this.value)) return this.report(`must be a list, not ${quoted(this.value)}`);
    const problem = bound && boundProblem(bound, this.value.length);
    return problem === undefined ? this.value.map((_, index) => this.at(index)) : this.report(problem);
  }

  /** The keys of an object that may have any key. An object with too many keys is not read. */
  keys(bound: Bound): string[] {
    const keys = Object.keys(this.anyObject() ?? {});
    const problem = boundProblem(bound, keys.length);
    if (problem === undefined) return keys;
    this.report(problem);
    return [];
  }

  /** @param bound undefined when what the text must be says how long it may be */
  string(bound?: Bound): string | undefined {
    if (typeof this.value === 'string') {
      const problem = bound && boundProblem(bound, textLength(this.value));
      return problem === undefined ? this.value : this.report(`${problem}: ${quoted(this.value)}`);
    }
    // YAML reads on, no, y and 8080 as something else than text.
    const hint = typeof this.value === 'number' || typeof this.value === 'boolean' ? '; put it in quotes' : '';
    return this.report(`must be a string, not ${quoted(this.value)}${hint}`);
  }

  boolean(): boolean | undefined {
    return typeof this.value === 'boolean'
      ? this.value
      : this.report(`must be true or false, not ${quoted(this.value)}`);
  }

  integer(minimum: number, maximum: number): number | undefined {
    if (Number.isInteger(this.value)) return this.number(minimum, maximum);
    return this.report(`must be a whole number, not ${quoted(this.value)}`);
  }

  number(minimum: number, maximum: number): number | undefined {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isFinite(value))
      return this.report(`must be a number, not ${quoted(value)}`);
    if (value < minimum) return this.report(`must be at least ${minimum}, not ${value}`);
    if (value > maximum) return this.report(`must be at most ${maximum}, not ${value}`);
    return value;
  }

  oneOf<T extends string>(choices: readonly T[]): T | undefined {
    const choice = choices.find((candidate) => candidate === this.value);
    if (choice !== undefined) return choice;
    const hint = typeof this.value === 'string' ? didYouMean(this.value, choices) : '';
    return this.report(`must be ${choices.join(' or ')}, not ${quoted(this.value)}${hint}`);
  }

  /** A list of distinct, non-empty strings with at least one element. `problemOf` says what is wrong with a name. */
  names(
    what: string,
    count: Bound,
    length?: Bound,
    problemOf?: (name: string) => string | undefined,
  ): string[] | undefined {
    const elements = this.list(count);
    if (elements === undefined) return undefined;
    if (elements.length === 0)
      return this.report(`must name at least one ${what}; leave the field out for the default`);
    const names = new Set<string>();
    for (const element of elements) {
      const name = element.string(length);
      if (name === undefined) continue;
      const problem = name === '' ? 'must not be empty' : problemOf?.(name);
      if (problem !== undefined) element.report(problem);
      else if (names.has(name)) element.report(`${quoted(name)} is listed twice`);
      else names.add(name);
    }
    return [...names];
  }
}
