import { laxer, type Enforcement } from '../../engine/policy/action.ts';
import { coverageIn } from './coverage.ts';
import { judgeText, type Judging } from './judge-text.ts';
import { policyFindings } from './policy-findings.ts';
import type { CheckReport } from './report.ts';
import { unusedExceptions } from './unused-exceptions.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Manifests } from '../input/manifests.ts';
import type { World } from '../input/world.ts';

/** How manifests are checked. */
interface Checking extends Pick<Judging, 'honoursComments'> {
  /** The strictest action of a violation. Default Deny. */
  readonly enforcement?: Enforcement;
  /** Is called before each object. */
  readonly progress?: (done: number, total: number) => void;
}

/** Judges every text, and the policies of the world. */
export function checkManifests(
  manifests: Manifests,
  world: World,
  { enforcement = 'Deny', progress, honoursComments = true }: Checking = {},
): CheckReport {
  const objects = manifests.texts.reduce((sum, text) => sum + text.manifests.length, 0);
  let done = 0;
  const onObject = (): void => progress?.(done++, objects);
  const judged = manifests.texts.map((text) => judgeText(text, world, { honoursComments, onObject }));
  const found = judged.flatMap((each) => each.found);
  const ofWorkloads = judged.flatMap(({ violations }) => violations);
  const replaced = new Set(judged.flatMap((each) => each.replaced));
  const violations = [...policyFindings(world, ofWorkloads), ...ofWorkloads].map((violation) => ({
    ...violation,
    action: laxer(violation.action, enforcement),
  }));
  return {
    isFromCluster: world.isFromCluster,
    violations,
    summary: {
      objects,
      workloads: judged.reduce((sum, { workloads }) => sum + workloads, 0),
      ...(manifests.leftOut && { leftOut: manifests.leftOut }),
      coverage: coverageIn(manifests, world),
    },
    ignored: found.length - ofWorkloads.length,
    exempt: manifests.exempt,
    project: manifests.project,
    notes: [
      ...judged.flatMap(({ notes }) => notes),
      ...unusedExceptions(manifests, world, found),
      ...(manifests.exemptNotes ?? []),
    ],
    warnings: [
      ...manifests.warnings,
      ...judged.flatMap(({ warnings }) => warnings),
      ...judged.flatMap(({ badComments }) => badComments),
    ],
    problems: manifests.problems.filter((problem) => !replaced.has(problem)),
  };
}

/** What a command that checks nothing tells about a cluster: what is exempt, and exceptions that allow nothing. */
export function clusterNotes(manifests: Manifests, world: World): readonly FileProblem[] {
  const hasExceptions = world.isFromCluster && world.snapshot.facts.exceptions.lists.size > 0;
  return (hasExceptions ? checkManifests(manifests, world).notes : manifests.exemptNotes) ?? [];
}
