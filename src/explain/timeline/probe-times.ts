import type { FormulaInputs } from './figure.ts';

/** The numbers of a probe in words: `every 10 s, timeout 1 s, 3 failures in a row`. */
export function probeTimes(letters: FormulaInputs): string {
  const { D = 0, P = 0, T = 0, F = 0, S = 1 } = letters;
  return [
    ...(D > 0 ? [`after ${D} s`] : []),
    `every ${P} s`,
    `timeout ${T} s`,
    F === 1 ? '1 failure' : `${F} failures in a row`,
    ...(S > 1 ? [`${S} successes in a row`] : []),
  ].join(', ');
}
