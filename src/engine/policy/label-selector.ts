import { isDnsSubdomain } from './object-names.ts';
import { BOUNDS, type Bound } from './bounds.ts';
import { given, type Reader } from './reader.ts';
import { quoted } from '../../base/json/quoted-value.ts';

export const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

/** One requirement on labels; `matchLabels` entries are In with one value. */
export interface Requirement {
  readonly key: string;
  readonly operator: (typeof OPERATORS)[number];
  readonly values: readonly string[];
}

/** A compiled label selector. No requirement at all selects everything, as in Kubernetes. */
export type LabelSelector = readonly Requirement[];

export type Labels = Pick<ReadonlyMap<string, string>, 'get'>;

/** True when the labels meet every requirement. NotIn holds without the label (apimachinery labels/selector.go). */
export function selects(selector: LabelSelector, labels: Labels): boolean {
  return selector.every(({ key, operator, values }) => {
    const value = labels.get(key);
    const isListed = value !== undefined && values.includes(value);
    const isMet = { In: isListed, NotIn: !isListed, Exists: value !== undefined, DoesNotExist: value === undefined };
    return isMet[operator];
  });
}

export type SelectorBounds = Readonly<Record<'matchLabels' | 'matchExpressions' | 'expressionValues', Bound>>;

export function readLabelSelector(reader: Reader, bounds: SelectorBounds = BOUNDS): LabelSelector | undefined {
  const fields = reader.fields<Record<'matchLabels' | 'matchExpressions', Requirement[]>>({
    matchLabels: given((labels) => readMatchLabels(labels, bounds)),
    matchExpressions: given((list) =>
      list.list(bounds.matchExpressions)?.flatMap((element) => readExpression(element, bounds) ?? []),
    ),
  });
  return fields && [...(fields.matchLabels ?? []), ...(fields.matchExpressions ?? [])];
}

function readMatchLabels(reader: Reader, bounds: SelectorBounds): Requirement[] {
  return reader.keys(bounds.matchLabels).flatMap((key) => {
    const value = readLabelValue(reader.at(key));
    return readLabelKey(reader.at(key), key) && value !== undefined ? [{ key, operator: 'In', values: [value] }] : [];
  });
}

function readExpression(reader: Reader, bounds: SelectorBounds): Requirement | undefined {
  if (reader.object(['key', 'operator', 'values']) === undefined) return undefined;
  const key = reader.at('key').string();
  const keyIsGood = key !== undefined && readLabelKey(reader.at('key'), key);
  const operator = reader.at('operator').oneOf(OPERATORS);
  const place = reader.at('values');
  const listed = place.isGiven ? place.list(bounds.expressionValues) : [];
  if (listed === undefined) return undefined;
  const values = listed.map(readLabelValue);
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) place.report(`must have at least one value with operator ${operator}`);
  } else if (operator !== undefined && values.length > 0) {
    place.report(`must be left out with operator ${operator}`);
  }
  if (!keyIsGood || operator === undefined) return undefined;
  return { key, operator, values: values.filter((value) => value !== undefined) };
}

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** An optional DNS prefix, a slash, a name of at most 63 characters (apimachinery IsQualifiedName). */
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
