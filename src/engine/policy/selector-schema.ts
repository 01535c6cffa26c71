import { quoted } from '../../base/json/quoted-value.ts';
import { BOUNDS } from './bounds.ts';
import type { Bound } from './bound.ts';
import { OPERATORS, type LabelSelector, type Requirement } from './label-selector.ts';
import { isDnsSubdomain } from './object-names.ts';
import { readField } from './read-field.ts';
import type { Field, ObjectField } from './field.ts';
import type { Reader } from './reader.ts';

export type SelectorBounds = Readonly<Record<'matchLabels' | 'matchExpressions' | 'expressionValues', Bound>>;

const NAME_PATTERN = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const NAME = new RegExp(`^${NAME_PATTERN}$`);

/** A label key needs two patterns: RE2 has no lookahead to count the prefix's characters with. */
const KEY_SYNTAX = `^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?${NAME_PATTERN}$`;
const KEY_LENGTH = '^([^/]{1,253}/)?[^/]{1,63}$';

/** An optional DNS prefix, a slash, a name of at most 63 characters (apimachinery IsQualifiedName). */
function labelKeyProblem(key: string): string | undefined {
  const slash = key.indexOf('/');
  const prefixIsGood = slash < 0 || isDnsSubdomain(key.slice(0, slash));
  if (prefixIsGood && NAME.test(key.slice(slash + 1))) return undefined;
  return `${quoted(key)} is not a label key: letters, digits, "-", "_" and ".", at most 63, after an optional DNS prefix and "/"`;
}

const LABEL_VALUE: Field = {
  type: 'text',
  text: '',
  longest: 63,
  pattern: `^(${NAME_PATTERN})?$`,
  problem: (value) =>
    value === '' || NAME.test(value)
      ? undefined
      : `${quoted(value)} is not a label value: letters, digits, "-", "_" and ".", at most 63`,
};

/** A meta/v1 LabelSelector, held to Kubernetes' own rules for labels. The bounds are those of policies by default. */
export function selectorField(text: string, bounds: SelectorBounds = BOUNDS): ObjectField {
  return {
    type: 'object',
    text,
    isAtomic: true,
    into: requirementsOf,
    fields: {
      matchLabels: {
        type: 'map',
        text: 'Labels that must be there with exactly these values, e.g. { app: shop, tier: web }. Values that YAML takes for something else (true, 1, no) need quotes.',
        count: bounds.matchLabels,
        keyProblem: labelKeyProblem,
        values: LABEL_VALUE,
        rules: [
          {
            rule: `self.all(key, key.matches('${KEY_SYNTAX}') && key.matches('${KEY_LENGTH}'))`,
            message:
              'a label key is at most 63 letters, digits, "-", "_" and ".", after an optional DNS prefix and "/": app.kubernetes.io/name',
          },
        ],
      },
      matchExpressions: {
        type: 'list',
        text: 'Requirements on labels; all of them must hold, together with matchLabels.',
        count: bounds.matchExpressions,
        items: expressionField(bounds),
      },
    },
  };
}

function expressionField(bounds: SelectorBounds): ObjectField {
  return {
    type: 'object',
    text: 'One requirement on a label, e.g. { key: tier, operator: NotIn, values: [batch] }.',
    nulls: 'absent',
    fields: {
      key: {
        type: 'text',
        required: true,
        text: 'The label, e.g. tier or app.kubernetes.io/name.',
        longest: 317,
        pattern: KEY_SYNTAX,
        also: { allOf: [{ pattern: KEY_LENGTH }] },
        problem: labelKeyProblem,
      },
      operator: {
        type: 'choice',
        required: true,
        text: 'In: the label has one of the values. NotIn: it has none of them, or is not there. Exists: it is there, whatever its value. DoesNotExist: it is not.',
        choices: OPERATORS,
      },
      values: {
        type: 'list',
        text: 'The values for In and NotIn, at least one. Left out with Exists and DoesNotExist.',
        count: bounds.expressionValues,
        items: LABEL_VALUE,
      },
    },
    rules: [
      {
        rule: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",
        message: 'values must have at least one value with operator In or NotIn',
      },
      {
        rule: "!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || size(self.values) == 0",
        message: 'values must be left out with operator Exists or DoesNotExist',
      },
    ],
    check({ operator, values }: Partial<Requirement>, expression) {
      const place = expression.at('values');
      const isUnread = place.isGiven && values === undefined;
      if (operator === undefined || isUnread) return;
      const wantsValues = operator === 'In' || operator === 'NotIn';
      const hasValues = values !== undefined && values.length > 0;
      if (wantsValues && !hasValues) place.report(`must have at least one value with operator ${operator}`);
      if (!wantsValues && hasValues) place.report(`must be left out with operator ${operator}`);
    },
  };
}

interface ReadSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Undefined for what could not be read. */
  readonly matchExpressions?: readonly ((Omit<Requirement, 'values'> & Partial<Requirement>) | undefined)[];
}

function requirementsOf({ matchLabels = {}, matchExpressions = [] }: ReadSelector): LabelSelector {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
    ...matchExpressions.flatMap((each) =>
      each ? [{ key: each.key, operator: each.operator, values: each.values ?? [] }] : [],
    ),
  ];
}

export function readLabelSelector(reader: Reader): LabelSelector | undefined {
  return readField(SELECTOR, reader) as LabelSelector | undefined;
}

const SELECTOR = selectorField('');
