import type { JsonObject } from '../../base/json/json-value.ts';
import type { Bound } from './bound.ts';
import type { Reader } from './reader.ts';

/**
 * A rule between fields in CEL, for the API server. Only what Kubernetes 1.25 knows: an older server refuses or drops
 * the rest.
 */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
}

/** What is declared of every field of our kinds. The parser, the CRDs and the schemas of editors follow from it. */
interface Described {
  /** The description in the CRDs, without what the other members say. Empty for the elements of a list of texts. */
  readonly text: string;
  /** What counts when no layer sets the field. */
  readonly otherwise?: string | number;
  /** Null removes what lower layers say: the meaning of null, or true when `text` has it. Else null is a mistake. */
  readonly nullMeans?: string | true;
  /** The field must be given: true, or the message without it. */
  readonly required?: true | string;
  /** The field of one kind only. */
  readonly only?: 'ClusterProbePolicy';
  /** Rules between what the field holds, for the API server. `check` says the same for the parser, in its words. */
  readonly rules?: readonly CelRule[];
  check?(read: unknown, place: Reader): void;
}

/** A text. `problem` says what is wrong with it; `pattern` says the same to the API server. */
interface TextShape {
  readonly type: 'text';
  readonly bound?: Bound;
  /** The length that `problem` allows, when there is no `bound`. */
  readonly longest?: number;
  readonly shortest?: number;
  readonly format?: 'date-time';
  readonly pattern?: string;
  readonly problem?: (text: string) => string | undefined;
  /** Further conditions in the words of OpenAPI. */
  readonly also?: JsonObject;
}

/** A list of different texts, at least one. */
interface NamesShape {
  readonly type: 'names';
  readonly what: string;
  readonly count: Bound;
  readonly length: Bound;
  readonly pattern: string;
  readonly problem: (name: string) => string | undefined;
}

interface ObjectShape {
  readonly type: 'object';
  readonly fields: Fields;
  /** The word for a field in messages. */
  readonly what?: string;
  readonly fewest?: 1;
  /** A null without a meaning counts as an absent field. Else it is a mistake. */
  readonly nulls?: 'absent';
  /** Two appliers that each own half of it would say what neither meant. */
  readonly isAtomic?: true;
  /** Conditions that CEL cannot express, because it takes null for absent, in the words of OpenAPI. */
  readonly also?: JsonObject;
  /** What the engine keeps of the object. */
  into?(read: unknown): unknown;
}

type Shape =
  | TextShape
  | NamesShape
  | ObjectShape
  /** From 0 to the largest int32, if nothing else is said. `beyond` is the message about a number above the maximum. */
  | {
      readonly type: 'integer';
      readonly minimum?: number;
      readonly maximum?: number;
      readonly format?: 'int64';
      readonly beyond?: string;
    }
  | { readonly type: 'number'; readonly minimum: number; readonly maximum: number }
  /** `port` is a port's number or name, `path` an HTTP path, `time` an instant that a program writes. */
  | { readonly type: 'boolean' | 'action' | 'port' | 'path' | 'time' }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  | {
      readonly type: 'list';
      readonly count: Bound;
      readonly items: Field;
      readonly empty?: string;
      readonly key?: string;
    }
  | {
      readonly type: 'map';
      readonly count: Bound;
      readonly keyProblem: (key: string) => string | undefined;
      readonly values: Field;
    }
  /** What depends on the catalogue of checks. */
  | { readonly type: 'checks' }
  | { readonly type: 'checkIds'; readonly fewest: 0 | 1 }
  /** The other types of the parameters of checks. */
  | { readonly type: 'choices'; readonly choices: readonly string[] }
  | { readonly type: 'strings'; readonly count: Bound; readonly length: Bound }
  | { readonly type: 'bounds' }
  | { readonly type: 'group'; readonly fields: Fields };

export type Field = Described & Shape;
export type ObjectField = Described & ObjectShape;
export type FieldOf<Type extends Field['type']> = Extract<Field, { readonly type: Type }>;

export interface Fields {
  readonly [name: string]: Field;
}
