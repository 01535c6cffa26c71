type Version = readonly [major: number, minor: number, patch: number];

/** The versions from the first up to, and without, the second. */
type Interval = readonly [from: Version, to: Version];

const NONE: Version = [0, 0, 0];
const END: Version = [Infinity, 0, 0];
const COMPARATOR =
  /^(=|!=|>=?|=>|<=?|=<|~>?|\^)?v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(-[\w.-]+)?(?:\+\S*)?$/;

/**
 * True for a version in a range as Helm's dependencies have it: `^1.2`, `~1.2.3`, `1.x.x`, `>=1.2, <2`, `1 - 2 || 4`.
 * A pre-release is in a range that names one. False for a range that cannot be read.
 */
export function isInRange(version: string, range: string): boolean {
  const [, core = '', preRelease] = /^v?(\d+(?:\.\d+){0,2})(-[\w.-]+)?(?:\+\S*)?$/.exec(version.trim()) ?? [];
  if (core === '') return false;
  const own = versionOf(core.split('.'));
  return range.split('||').some((all) => {
    const spaced = all.trim().replace(/([\d*xX])\s+-\s+(?=v?[\d*xX])/g, '$1 _ ');
    const hyphen = /^(\S+) _ (\S+)$/.exec(spaced);
    const comparators = hyphen ? [`>=${hyphen[1] ?? ''}`, `<=${hyphen[2] ?? ''}`] : comparatorsIn(spaced);
    if (preRelease !== undefined && !comparators.some((each) => COMPARATOR.exec(each)?.[5] !== undefined)) return false;
    return comparators.every((each) => holds(each, own));
  });
}

function comparatorsIn(text: string): readonly string[] {
  const parts = text
    .replace(/([=<>~^!])\s+/g, '$1')
    .split(/[\s,]+/)
    .filter((part) => part !== '');
  return parts.length === 0 ? ['*'] : parts;
}

function holds(comparator: string, own: Version): boolean {
  const [, operator = '=', ...parts] = COMPARATOR.exec(comparator) ?? [];
  const numbers = parts.slice(0, 3).filter((part: string | undefined) => part !== undefined);
  if (numbers.length === 0) return false;
  const known = numbers.findIndex((part) => !/\d/.test(part));
  const [from, to] = around(numbers.slice(0, known < 0 ? numbers.length : known), operator);
  const isFrom = compare(own, from) >= 0;
  const isBefore = compare(own, to) < 0;
  if (operator === '!=') return !(isFrom && isBefore);
  if (operator.includes('>') && operator !== '~>') return operator.includes('=') ? isFrom : !isBefore;
  if (operator.includes('<')) return operator.includes('=') ? isBefore : !isFrom;
  return isFrom && isBefore;
}

/** The versions that an incomplete version means, or that `^` and `~` allow. */
function around(parts: readonly string[], operator: string): Interval {
  const from = versionOf(parts);
  const [major, minor, patch] = from;
  if (parts.length === 0) return [NONE, END];
  const ofMajor: Interval = [from, [major + 1, 0, 0]];
  const ofMinor: Interval = [from, [major, minor + 1, 0]];
  if (parts.length === 1) return ofMajor;
  if (operator === '^' && major > 0) return ofMajor;
  if (parts.length === 2 || operator.startsWith('~') || (operator === '^' && minor > 0)) return ofMinor;
  return [from, [major, minor, patch + 1]];
}

function versionOf(parts: readonly string[]): Version {
  return [Number(parts[0] ?? 0), Number(parts[1] ?? 0), Number(parts[2] ?? 0)];
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
