import { CLUSTER_PLACE } from '../input/cluster-object.ts';
import { withPipe } from '../input/passed-over.ts';
import { STDIN_NAME } from '../input/standard-input.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { NamedInputs } from '../input/live.ts';
import type { CheckReport } from './report.ts';

/**
 * Adds a problem for each input when no input has an object, and when no workload is judged and a part of the inputs
 * could not be read or rendered. A pipeline whose rendering printed nothing, or whose directory has moved, would
 * otherwise pass for ever.
 *
 * @param names the inputs of the command line
 */
export function withoutWorkloads(
  report: CheckReport,
  { manifests, world }: Pick<NamedInputs, 'manifests' | 'world'>,
  names: readonly string[],
): CheckReport {
  const { objects, workloads } = report.summary;
  const { leftOut, passedOver = [], notes = [], unchecked = [] } = manifests;
  const [why] = [...notes.map((note) => withPipe(note, 'check')), ...unchecked];
  // A named input that cannot be read has this exit code already.
  if (workloads > 0 || report.problems.some(({ isFound }) => isFound !== true && why === undefined)) return report;
  const isUnread =
    leftOut !== undefined ||
    passedOver.some(({ reason }) => reason === 'template') ||
    notes.some(({ command }) => command !== undefined);
  const isMissing = !world.isFromCluster && (isUnread || report.problems.length > 0);
  if (objects > 0 && !isMissing) return report;
  const unread = isMissing
    ? 'no workload is judged, and not all inputs could be read'
    : 'has no Kubernetes object, so nothing is checked';
  const nothing = why === undefined ? unread : `${objects > 0 ? 'no workload' : 'nothing'} is checked: ${why}`;
  const problems = (world.isFromCluster ? [CLUSTER_PLACE] : names).map((name): FileProblem => ({
    file: name === '-' ? STDIN_NAME : name,
    line: 1,
    column: 1,
    message: `${nothing}; --allow-empty accepts that`,
  }));
  return { ...report, problems: [...report.problems, ...problems] };
}
