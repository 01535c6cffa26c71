import { count, cut } from '../../base/text/cut.ts';
import { unifiedDiff, type DiffLine } from '../../base/text/unified-diff.ts';
import { visible } from '../../base/text/visible.ts';
import { renderBlock, type BlockLayout } from '../../yaml/editing/rendering.ts';
import { objectName } from '../check/report.ts';
import type { Plan, PlanSummary, WorkloadEffect } from '../../engine/verdict/compare/plan.ts';
import type { ProbeChange } from '../../engine/verdict/compare/probe-changes.ts';
import type { ViolationChange } from '../../engine/verdict/compare/violation-changes.ts';

/** Workloads with the same effect, as people read them. All texts are visible. */
export interface PlanGroup {
  readonly title: string;
  readonly names: string;
  /** The difference of the probes of the Pods. Empty for violations. */
  readonly diff: readonly DiffLine[];
  readonly example: string | undefined;
}

/** Returns the effects of a plan: workloads with the same effect are one group, the largest group first. */
export function planGroups({ effects }: Plan): readonly PlanGroup[] {
  return [...probeGroups(effects), ...violationGroups(effects)]
    .toSorted((a, b) => b.size - a.size)
    .map(({ group }) => group());
}

/** Returns the last line of a plan. */
export function planSentence({ changedProbes, newlyDenied, noLongerDenied, unchanged }: PlanSummary): string {
  const probes = `${count(changedProbes, 'workload')} ${changedProbes === 1 ? 'gets' : 'get'} other probes`;
  const denied = `${newlyDenied} would be denied at ${newlyDenied === 1 ? 'its' : 'their'} next change`;
  return `Plan: ${probes}, ${denied}, ${noLongerDenied} no longer; ${unchanged} unchanged.`;
}

interface SizedGroup {
  readonly size: number;
  readonly group: () => PlanGroup;
}

/** The same patch is the same probes in the same places. Names of containers differ between workloads. */
function probeGroups(effects: readonly WorkloadEffect[]): SizedGroup[] {
  const changed = effects.filter(({ probes }) => probes.length > 0);
  return [...Map.groupBy(changed, ({ probes }) => patchKey(probes)).values()].map((same) => ({
    size: same.length,
    group: () => ({
      title: `${count(same.length, 'workload')} ${same.length === 1 ? 'gets' : 'get'} other probes`,
      names: namesOf(same),
      diff: podDiff(same.map(({ probes }) => probes)),
      example: undefined,
    }),
  }));
}

function patchKey(probes: readonly ProbeChange[]): string {
  return JSON.stringify(
    probes.map(({ template, list, index, probe, before, after }) => [template, list, index, probe, before, after]),
  );
}

interface Found {
  readonly effect: WorkloadEffect;
  readonly change: ViolationChange;
}

function violationGroups(effects: readonly WorkloadEffect[]): SizedGroup[] {
  const all = effects.flatMap((effect) => effect.violations.map((change): Found => ({ effect, change })));
  const keyOf = ({ change: { violation, before, after } }: Found): string =>
    JSON.stringify([violation.check, before, after]);
  return [...Map.groupBy(all, keyOf).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const workloads = [...new Set(same.map(({ effect }) => effect))];
    const group = (): PlanGroup => ({
      title: violationTitle(workloads.length, first.change),
      names: namesOf(workloads),
      diff: [],
      example: exampleOf(first.change, same),
    });
    return [{ size: workloads.length, group }];
  });
}

function violationTitle(size: number, { violation: { check }, before, after }: ViolationChange): string {
  const workloads = count(size, 'workload');
  if (before === null) return `${workloads} ${size === 1 ? 'violates' : 'violate'} ${check} (${after ?? ''})`;
  if (after === null) return `${workloads} no longer ${size === 1 ? 'violates' : 'violate'} ${check} (was ${before})`;
  const violate = size === 1 ? 'violates' : 'violate';
  return `${workloads} ${violate} ${check} with another action: ${after} (was ${before})`;
}

/** Names and messages come from tenants and may have any length. */
const LONGEST_NAME = 300;
const LONGEST_EXAMPLE = 1000;

/** Says that the violation is an example if the others of the group read differently. */
function exampleOf(first: ViolationChange, same: readonly Found[]): string {
  const text = textOf(first);
  return same.some(({ change }) => textOf(change) !== text) ? `for example: ${text}` : text;
}

function textOf({ violation: { container, probe, message } }: ViolationChange): string {
  const places = [
    ...(container === '' ? [] : [`container "${cut(container, LONGEST_NAME)}"`]),
    ...(probe ? [probe] : []),
  ];
  return cut(visible([places.join(', '), message].filter((part) => part !== '').join(': ')), LONGEST_EXAMPLE);
}

const MOST_NAMES = 3;

function namesOf(effects: readonly WorkloadEffect[]): string {
  const names = effects.slice(0, MOST_NAMES).map((effect) => cut(visible(objectName(effect)), LONGEST_NAME));
  const others = effects.length - names.length;
  return others > 0 ? `${names.join(', ')} and ${others} more` : names.join(', ');
}

const LAYOUT: BlockLayout = { step: 2, indentSequences: true, flowPadding: true };

const LONGEST_COMMENT_NAME = 100;

/** Lines around each change. With 20 lines, a change of one number also shows the names of its probe and container. */
const CONTEXT = 20;

/**
 * Returns the probes of a Pod before and after a change as a unified diff. Probes that stay the same are left out. All
 * lines are visible.
 *
 * @param workloads the same changes in several workloads, whose containers may have different names
 */
function podDiff(workloads: readonly (readonly ProbeChange[])[]): DiffLine[] {
  const [first = []] = workloads;
  const byContainer = [...Map.groupBy(first.entries(), ([, change]) => placeOf(change))];
  const side = (of: 'before' | 'after'): string =>
    byContainer
      .flatMap(([place, changes]) => [
        `${place}: # ${containerNames(workloads, changes[0]?.[0] ?? 0)}`,
        ...changes.flatMap(([, change]) => probeLines(change.probe, change[of])),
      ])
      .map((line) => `${line}\n`)
      .join('');
  return unifiedDiff('Pod', side('before'), side('after'), CONTEXT);
}

function placeOf({ template, list, index }: ProbeChange): string {
  return `${template === undefined ? '' : `${visible(cut(template, LONGEST_COMMENT_NAME))}: `}${list}[${index}]`;
}

function containerNames(workloads: readonly (readonly ProbeChange[])[], position: number): string {
  const names = [...new Set(workloads.map((changes) => changes[position]?.container ?? ''))];
  const shown = names.slice(0, MOST_NAMES).map((name) => visible(cut(name, LONGEST_COMMENT_NAME)));
  return names.length > MOST_NAMES ? `${shown.join(', ')} and ${names.length - MOST_NAMES} more` : shown.join(', ');
}

function probeLines(probe: string, value: unknown): readonly string[] {
  return value === null ? [] : renderBlock(probe, value, LAYOUT).map((line) => `  ${line}`);
}
