import { checkInputs } from '../../cli/check/check-inputs.ts';
import { listedViolation } from '../../cli/check/formats.ts';
import { engineInputs, withoutPosition } from './engine-inputs.ts';
import type { ListedViolation } from '../../cli/output/json-outputs.ts';
import type { EngineOptions, KubernetesObjects } from './engine-options.ts';

/** The verdict on objects. */
export interface Verdict {
  /** All violations, findings about policies first. Fields are those of `check --output json`. */
  readonly violations: readonly ListedViolation[];
  /** The settings without effect that are probably mistakes, such as a malformed annotation. */
  readonly warnings: readonly string[];
  /** How many objects have a Pod template. Other objects have no violations. */
  readonly workloads: number;
}

/**
 * Gives objects the verdict that the webhook would give when they are created.
 *
 * @throws InvalidInputError when an argument cannot be used
 */
export function judge(objects: KubernetesObjects, options: EngineOptions = {}): Verdict {
  const inputs = engineInputs(objects, options);
  const { violations, warnings, problems, summary } = checkInputs(inputs, 'Deny');
  return {
    violations: violations.map(listedViolation),
    warnings: [...inputs.policyWarnings, ...warnings, ...problems].map(({ file, message }) =>
      withoutPosition(`${file}:1:1: ${message.replace(/^warning: /, '')}`),
    ),
    workloads: summary.workloads,
  };
}
