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
