import { checkManifests } from '../../cli/check/check-manifests.ts';
import { withoutRepeatsByObject } from '../../cli/check/report.ts';
import { listedViolation } from '../../cli/check/json.ts';
import {
  ENGINE_OPTIONS,
  engineInputs,
  invalidInput,
  refuseUnknownOptions,
  typeOf,
  withoutPosition,
  type OptionNames,
} from './engine-inputs.ts';
import { InvalidInputError, type EngineOptions, type KubernetesObjects, type ObjectInput } from './engine-options.ts';
import { SHOWN_BY_DEFAULT } from '../../cli/fix/advice.ts';
import { fixFile } from '../../cli/fix/fix-file.ts';
import { LEVELS, type Level } from '../../engine/verdict/levels.ts';
import { plannedEffects } from '../../cli/plan/formats.ts';
import { workloadsOf } from '../../cli/plan/workloads.ts';
import { snapshotAfter, unknownRemovals } from '../../engine/verdict/compare/policy-change.ts';
import { storedPod } from '../../webhook/review/stored-pod.ts';
import { planOf } from '../../engine/verdict/compare/plan.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { ListedViolation, PlannedEffects } from '../../cli/output/json-outputs.ts';

/** The exports of `import 'probewright'`. docs/api.md explains every name. */
export * from './engine-options.ts';
export type * from '../../cli/output/json-outputs.ts';

/** A warning or a note as a line: the argument, such as `policies[0]`, and the text. */
function lineOf({ file, message }: FileProblem): string {
  return `${file}: ${message.replace(/^(?:warning|note): /, '')}`;
}

/** The verdict on objects. */
export interface Verdict {
  /** All violations, findings about policies first. Fields are those of `check --output json`. */
  readonly violations: readonly ListedViolation[];
  /** Settings without effect that are probably mistakes, and namespaceSelectors whose namespaces are not known. */
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
  refuseUnknownOptions(options, ENGINE_OPTIONS);
  const { manifests, world, notes } = engineInputs(objects, options);
  const { violations, warnings, problems, summary } = checkManifests(manifests, world);
  return {
    violations: withoutRepeatsByObject(violations).map((violation) => listedViolation(violation, {})),
    warnings: [...manifests.warnings, ...warnings, ...problems, ...notes].map(lineOf),
    workloads: summary.workloads,
  };
}

export interface FixOptions extends EngineOptions {
  /** Also apply the advice of checks that is known to work. Default false. */
  readonly advice?: boolean;
  /** With `advice`: the lowest level of findings whose advice is applied. Default `warning`, as in `check`. */
  readonly minLevel?: Level;
}

const FIX_OPTIONS: OptionNames<FixOptions> = { ...ENGINE_OPTIONS, advice: true, minLevel: true };

/** Objects with probes. */
export interface Fixed {
  /** Copies of the objects with the probes. The items of a List are objects of their own. */
  readonly objects: readonly ObjectInput[];
  /** The number of probes that were added. */
  readonly probes: number;
  /** The number of findings whose advice was applied. */
  readonly advice: number;
  /** Why containers got no probe, and advice that was not applied. Also namespaceSelectors, as in a verdict. */
  readonly remarks: readonly string[];
}

/**
 * Writes the probes that policies give to Pods into copies of objects. The arguments are not changed.
 *
 * @throws InvalidInputError when an argument cannot be used
 */
export function fix(objects: KubernetesObjects, options: FixOptions = {}): Fixed {
  refuseUnknownOptions(options, FIX_OPTIONS);
  const { manifests, world, notes } = engineInputs(objects, options);
  const { advice = false, minLevel = SHOWN_BY_DEFAULT.minLevel } = options;
  if (typeof advice !== 'boolean') throw invalidInput('options.advice', `must be true or false, not ${typeOf(advice)}`);
  if (!LEVELS.includes(minLevel)) throw invalidInput('options.minLevel', `must be one of ${LEVELS.join(', ')}`);
  const selection = advice ? { ...SHOWN_BY_DEFAULT, minLevel } : undefined;
  const files = manifests.texts.map((text) => fixFile(text, world, selection));
  const problems = files.flatMap((file) => file.problems);
  if (problems.length > 0) throw new InvalidInputError(problems.map(({ file, message }) => ({ place: file, message })));
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return {
    objects: files.flatMap((file) => file.objects),
    probes: sum(files.map((file) => file.probes)),
    advice: sum(files.map((file) => file.advice)),
    remarks: [...files.flatMap((file) => file.remarks.map(withoutPosition)), ...notes.map(lineOf)],
  };
}

/** The plan of a change. */
export interface Planned extends PlannedEffects {
  /** The warnings of a verdict that are about policies. Absent without any. */
  readonly warnings?: readonly string[];
}

export interface PlanOptions extends EngineOptions {
  /** Policies and facts that are to be applied over `policies`, object by object, as `kubectl apply` does. */
  readonly apply?: readonly ObjectInput[];
  /** Removals: `ProbePolicy/NAMESPACE/NAME`, `ProbeException/NAMESPACE/NAME` or `ClusterProbePolicy/NAME`. */
  readonly remove?: readonly string[];
}

const PLAN_OPTIONS: OptionNames<PlanOptions> = { ...ENGINE_OPTIONS, apply: true, remove: true };

/**
 * Computes what a change of policies does to workloads.
 *
 * @throws InvalidInputError when an argument cannot be used
 */
export function plan(objects: KubernetesObjects, options: PlanOptions = {}): Planned {
  refuseUnknownOptions(options, PLAN_OPTIONS);
  const { apply = [], remove = [], ...others } = options;
  if (!Array.isArray(remove)) throw invalidInput('options.remove', `must be a list of names, not ${typeOf(remove)}`);
  const { manifests, world, notes } = engineInputs(objects, others, apply);
  const { snapshot: before, applied } = world;
  const change = { applied, removed: remove };
  const unknown = unknownRemovals(before, change);
  if (unknown.length > 0)
    throw new InvalidInputError(unknown.map((source) => ({ place: 'remove', message: `there is no ${source}` })));
  const after = snapshotAfter(before, change);
  const workloads = workloadsOf(manifests, world, []);
  const warnings = [...manifests.warnings, ...notes].map(lineOf);
  const planned = plannedEffects(planOf(workloads, before, after, storedPod, world.now));
  return { ...planned, ...(warnings.length > 0 && { warnings }) };
}
