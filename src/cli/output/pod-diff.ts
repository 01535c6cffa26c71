import { cut } from '../../base/text/cut.ts';
import { unifiedDiff } from '../../base/text/unified-diff.ts';
import { visible } from '../../base/text/visible.ts';
import { renderBlock } from '../../yaml/editing/rendering.ts';
import type { DiffLine } from '../../base/text/unified-diff.ts';
import type { ProbeChange } from '../../engine/verdict/compare/probe-changes.ts';
import type { BlockLayout } from '../../yaml/editing/rendering.ts';

const LAYOUT: BlockLayout = { step: 2, indentSequences: true, flowPadding: true };

/** Names in a comment, and the length of each. */
const MOST_NAMES = 3;
const LONGEST_NAME = 100;

/** Lines around each change. With 20 lines, a change of one number also shows the names of its probe and container. */
const CONTEXT = 20;

/**
 * Returns the probes of a Pod before and after a change as a unified diff. Probes that stay the same are left out. All
 * lines are visible.
 *
 * @param workloads the same changes in several workloads, whose containers may have different names
 */
export function podDiff(workloads: readonly (readonly ProbeChange[])[]): DiffLine[] {
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
  return `${template === undefined ? '' : `${visible(cut(template, LONGEST_NAME))}: `}${list}[${index}]`;
}

/** The names of a container in the workloads. The changes of all workloads have the same order. */
function containerNames(workloads: readonly (readonly ProbeChange[])[], position: number): string {
  const names = [...new Set(workloads.map((changes) => changes[position]?.container ?? ''))];
  const shown = names.slice(0, MOST_NAMES).map((name) => visible(cut(name, LONGEST_NAME)));
  return names.length > MOST_NAMES ? `${shown.join(', ')} and ${names.length - MOST_NAMES} more` : shown.join(', ');
}

function probeLines(probe: string, value: unknown): readonly string[] {
  return value === null ? [] : renderBlock(probe, value, LAYOUT).map((line) => `  ${line}`);
}
