import { isDnsSubdomain } from './dns-subdomain.ts';
import { BOUNDS } from './bounds.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import type { Bound } from './bounds.ts';
import type { Reader } from './reader.ts';

/** The label selector operators of apimachinery's meta/v1 LabelSelector. */
export const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

/**
 * One requirement on labels; `matchLabels` entries are In with one value. All of a selector's requirements must hold.
 */
export interface Requirement {
  readonly key: string;
  readonly operator: (typeof OPERATORS)[number];
  readonly values: readonly string[];
}

/** A compiled label selector. No requirement at all selects everything, as in Kubernetes. */
export type LabelSelector = readonly Requirement[];

/** Labels of an object, by key. */
export type Labels = Pick<ReadonlyMap<string, string>, 'get'>;

/**
 * True when the labels meet every requirement. NotIn also holds when the label is absent (apimachinery
 * labels/selector.go).
 */
export function selects(selector: LabelSelector, labels: Labels): boolean {
  return selector.every(({ key, operator, values }) => {
    const value = labels.get(key);
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
    }
  });
}

/** The bounds of a selector's lists and maps. */
export type SelectorBounds = Readonly<Record<'matchLabels' | 'matchExpressions' | 'expressionValues', Bound>>;

/**
 * Reads a LabelSelector.
 *
 * @param bounds those of policies by default
 */
export function readLabelSelector(reader: Reader, bounds: SelectorBounds = BOUNDS): LabelSelector | undefined {
  if (reader.object(['matchLabels', 'matchExpressions']) === undefined) return undefined;
  const requirements: Requirement[] = [];
  const labels = reader.at('matchLabels');
  if (!labels.isAbsent) for (const requirement of readMatchLabels(labels, bounds)) requirements.push(requirement);
  const expressions = reader.at('matchExpressions');
  if (!expressions.isAbsent) {
    for (const element of expressions.list(bounds.matchExpressions) ?? []) {
      const requirement = readExpression(element, bounds);
      if (requirement !== undefined) requirements.push(requirement);
    }
  }
  return requirements;
}

function readMatchLabels(reader: Reader, bounds: SelectorBounds): Requirement[] {
  const requirements: Requirement[] = [];
  for (const key of reader.keys(bounds.matchLabels)) {
    const value = readLabelValue(reader.at(key));
    if (readLabelKey(reader.at(key), key) && value !== undefined) {
      requirements.push({ key, operator: 'In', values: [value] });
    }
  }
  return requirements;
}

const NONE: readonly string[] = [];

function readExpression(reader: Reader, bounds: SelectorBounds): Requirement | undefined {
  if (reader.object(['key', 'operator', 'values']) === undefined) return undefined;
  const key = reader.at('key').string();
  const keyIsGood = key !== undefined && readLabelKey(reader.at('key'), key);
  const operator = reader.at('operator').oneOf(OPERATORS);
  const given = reader.at('values');
  const listed = given.isAbsent || given.isNull ? [] : given.list(bounds.expressionValues);
  if (listed === undefined) return undefined;
  const values = listed.map(readLabelValue);
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) given.report(`must have at least one value with operator ${operator}`);
  } else if (operator !== undefined && values.length > 0) {
    given.report(`must be left out with operator ${operator}`);
  }
  if (!keyIsGood || operator === undefined) return undefined;
  return { key, operator, values: values.length === 0 ? NONE : values.filter((value) => value !== undefined) };
}

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/**
 * A qualified name: an optional DNS prefix, a slash, a name of at most 63 characters (apimachinery IsQualifiedName).
 */
function readLabelKey(reader: Reader, key: string): boolean {
  const slash = key.indexOf('/');
  const prefixIsGood = slash < 0 || isDnsSubdomain(key.slice(0, slash));
  if (prefixIsGood && NAME.test(key.slice(slash + 1))) return true;
  reader.report(
    `${quoted(key)} is not a label key: letters, digits, "-", "_" and ".", at most 63, after an optional DNS prefix and "/"`,
  );
  return false;
}

function readLabelValue(reader: Reader): string | undefined {
  const value = reader.string();
  if (value === undefined) return undefined;
  if (value === '' || NAME.test(value)) return value;
  return reader.report(`${quoted(value)} is not a label value: letters, digits, "-", "_" and ".", at most 63`);
}
