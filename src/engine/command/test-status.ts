import { FAILED, OUTPUT, type Value } from './state.ts';

/** `true` and `false` are known results, `free` depends on the world, `unknown` on what this reader cannot tell. */
export type TestResult = boolean | 'free' | 'unknown';

const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '-eq': (left, right) => left === right,
  '-ne': (left, right) => left !== right,
  '-lt': (left, right) => left < right,
  '-le': (left, right) => left <= right,
  '-gt': (left, right) => left > right,
  '-ge': (left, right) => left >= right,
};
const OF_FILES = /^-[bcdefghkLOGprsStuwxN]$/;

/** The result of `test` or `[`, without its closing bracket (POSIX, test). */
export function resultOfTest(operands: readonly Value[]): TestResult {
  const [first, second, third] = operands;
  if (operands.length <= 3 && operands.includes(OUTPUT) && !operands.includes(undefined)) return 'free';
  if (operands.length === 0) return false;
  if (first === '!' && operands.length > 1) {
    const result = resultOfTest(operands.slice(1));
    return typeof result === 'boolean' ? !result : result;
  }
  if (operands.length === 1) return first === undefined || first === OUTPUT ? 'unknown' : first !== '';
  if (operands.length === 2) return ofTwo(first, second);
  return operands.length === 3 && typeof second === 'string' ? ofThree(first, second, third) : 'unknown';
}

function ofTwo(first: Value, second: Value): TestResult {
  // The root is always there.
  if ((first === '-d' || first === '-e') && second === '/') return true;
  if (typeof first === 'string' && OF_FILES.test(first)) return 'free';
  if (second === undefined || (first !== '-n' && first !== '-z')) return 'unknown';
  return (second === '') === (first === '-z');
}

function ofThree(left: Value, sign: string, right: Value): TestResult {
  if (/^(?:-nt|-ot|-ef)$/.test(sign)) return 'free';
  if (left === undefined || right === undefined || left === OUTPUT || right === OUTPUT) return 'unknown';
  const compare = Object.hasOwn(COMPARISONS, sign) ? COMPARISONS[sign] : undefined;
  if (left === FAILED || right === FAILED) return ofFailed(left, sign, right);
  if (compare !== undefined) {
    const isNumber = [left, right].every((text) => /^\s*[-+]?\d{1,9}\s*$/.test(text));
    // A comparison of other texts is an error, which is a status of 2.
    return isNumber ? compare(Number(left), Number(right)) : 'unknown';
  }
  if (sign === '=' || sign === '==') return left === right;
  return sign === '!=' ? left !== right : 'unknown';
}

/** A comparison of a status other than 0 with 0. */
function ofFailed(left: Value, sign: string, right: Value): TestResult {
  if (left !== FAILED || right !== '0') return 'unknown';
  if (/^(?:-eq|==?|-le)$/.test(sign)) return false;
  return /^(?:-ne|!=|-gt|-ge)$/.test(sign) ? true : sign === '-lt' ? false : 'unknown';
}
