import { SHOWN_BY_DEFAULT } from '../../cli/fix/advice.ts';
import { fixFile } from '../../cli/fix/fix-file.ts';
import { LEVELS, type Level } from '../../cli/output/level.ts';
import { engineInputs, withoutPosition } from './engine-inputs.ts';
import { InvalidInputError } from './engine-options.ts';
import type { EngineOptions, KubernetesObject, KubernetesObjects } from './engine-options.ts';

export interface FixOptions extends EngineOptions {
  /** Also apply the advice of checks that is known to work. Default false. */
  readonly advice?: boolean;
  /** With `advice`: the lowest level of findings whose advice is applied. Default `warning`, as in `check`. */
  readonly minLevel?: Level;
}

/** Objects with probes. */
export interface Fixed {
  /** Copies of the objects with the probes. The items of a List are objects of their own. */
  readonly objects: readonly KubernetesObject[];
  /** The number of probes that were added. */
  readonly probes: number;
  /** The number of findings whose advice was applied. */
  readonly advice: number;
  /** Why containers got no probe, and advice that was not applied. */
  readonly remarks: readonly string[];
}

/**
 * Writes the probes that policies give to Pods into copies of objects. The arguments are not changed.
 *
 * @throws InvalidInputError when an argument cannot be used
 */
export function fix(objects: KubernetesObjects, options: FixOptions = {}): Fixed {
  const inputs = engineInputs(objects, options);
  const { advice = false, minLevel = SHOWN_BY_DEFAULT.minLevel } = options;
  if (!LEVELS.includes(minLevel))
    throw new InvalidInputError([{ place: 'options.minLevel', message: `must be one of ${LEVELS.join(', ')}` }]);
  const selection = advice ? { ...SHOWN_BY_DEFAULT, minLevel } : undefined;
  const files = inputs.texts.map((text) => fixFile(text, inputs, selection));
  const problems = files.flatMap((file) => file.problems);
  if (problems.length > 0) throw new InvalidInputError(problems.map(({ file, message }) => ({ place: file, message })));
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return {
    objects: files.flatMap((file) => file.objects),
    probes: sum(files.map((file) => file.probes)),
    advice: sum(files.map((file) => file.advice)),
    remarks: files.flatMap((file) => file.remarks.map(withoutPosition)),
  };
}
