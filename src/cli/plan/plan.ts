import { didYouMean } from '../../base/text/suggestion.ts';
import { knownSources, snapshotAfter, unknownRemovals } from '../../engine/verdict/compare/policy-change.ts';
import { adviceAbout } from '../../engine/verdict/policy-advice.ts';
import { EXIT_DENIED, EXIT_OK, EXIT_USAGE, PROGRAM, printLine, type CommandIo } from '../io.ts';
import { manifestsIn } from '../input/manifest.ts';
import { hasNative, injectedProbes } from './injected-probes.ts';
import { workloadsOf } from './workloads.ts';
import { planAsJson, planAsMarkdown, planAsText, type ShownPlan } from './formats.ts';
import { clusterNotes } from '../check/check-manifests.ts';
import { screenOf, type Screen } from '../output/screen.ts';
import { reportProblems, Progress } from '../output/messages.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import { storedPod } from '../../webhook/review/stored-pod.ts';
import { planOf, type PlanSummary } from '../../engine/verdict/compare/plan.ts';
import type { FlagValues, ParsedCommandLine } from '../flags/flag.ts';
import type { World } from '../input/world.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { Workload } from '../../engine/verdict/judge.ts';
import type { PLAN } from './definition.ts';

type PlanFlags = FlagValues<typeof PLAN.flags>;

const FORMATS: Readonly<Record<PlanFlags['output'], (plan: ShownPlan, screen: Screen) => string>> = {
  text: planAsText,
  json: planAsJson,
  markdown: planAsMarkdown,
};

export async function runPlan(line: ParsedCommandLine<typeof PLAN.flags>, io: CommandIo): Promise<number> {
  const { flags } = line;
  const progress = new Progress(io);
  const old = { ...line, flags: { ...flags, policies: flags.from } };
  const wishes = { change: { newPolicies: flags.policies }, webhook: 'exempts' } as const;
  const { manifests, world } = await readAnyInputs('plan', old, io, progress, wishes);
  // Without one of the policies, the plan would be wrong.
  if (world.policyProblems.length > 0) {
    // Warnings name optional rights that are missing. All missing rights are named at once.
    reportProblems([...manifests.warnings, ...manifests.problems], io, world);
    return EXIT_USAGE;
  }
  const hasNothing = manifestsIn(manifests).length === 0 && (manifests.exempt ?? []).length === 0;
  if (hasNothing && manifests.problems.length === 0)
    printLine(io.stderr, `${PROGRAM} plan: the inputs have no Kubernetes object, so the plan is empty`);
  const snapshots = changedSnapshots(world, flags.remove, io);
  if (snapshots === undefined) return EXIT_USAGE;
  const replaced: FileProblem[] = [];
  const workloads = workloadsOf(manifests, world, replaced);
  const plan = planOf(counted(workloads, progress), snapshots.before, snapshots.after, storedPod, world.now);
  const injection = await injectionAfter(world, workloads, snapshots.after);
  progress.end();
  const problems = manifests.problems.filter((problem) => !replaced.includes(problem));
  io.stdout.write(
    FORMATS[flags.output]({ ...plan, ...injection, exempt: manifests.exempt }, screenOf(flags.color, io)),
  );
  for (const policy of world.applied.policies)
    for (const { check, field, message } of adviceAbout(policy))
      printLine(io.stderr, `${PROGRAM} plan: ${policy.source}: ${field}: ${message} (${check})`);
  reportProblems([...clusterNotes(manifests, world), ...manifests.warnings, ...problems], io, world);
  if (problems.length > 0) return EXIT_USAGE;
  return fails(plan.summary, flags['fail-on']) ? EXIT_DENIED : EXIT_OK;
}

/** What tiers inject after the change. Nothing where it is not known what injects. */
async function injectionAfter({ tier }: World, workloads: readonly Workload[], after: Snapshot) {
  if (tier === undefined) return {};
  if (!hasNative(tier)) return { injection: injectedProbes(tier, workloads, after) };
  const { constructText, leftOutByNative } = await import('../../native/native-injection.ts');
  const native = after.with(after.tiers, after.facts, leftOutByNative);
  return { injection: injectedProbes(tier, workloads, native), constructText };
}

/** Undefined, after a report, when a removed policy is unknown. */
function changedSnapshots({ snapshot: before, applied }: World, removed: readonly string[], io: CommandIo) {
  const change = { applied, removed };
  const unknown = unknownRemovals(before, change);
  const known = knownSources(before, applied);
  for (const source of unknown)
    printLine(io.stderr, `${PROGRAM} plan: --remove: there is no ${source}${didYouMean(source, known)}`);
  return unknown.length > 0 ? undefined : { before, after: snapshotAfter(before, change) };
}

function* counted<T>(items: readonly T[], progress: Progress): Generator<T, undefined, undefined> {
  for (const [index, item] of items.entries()) {
    progress.show('planning', index, items.length, 'workloads');
    yield item;
  }
}

function fails(summary: PlanSummary, failure: PlanFlags['fail-on']): boolean {
  const { workloads, unchanged, newlyDenied, newlyWarned } = summary;
  if (failure === 'any') return unchanged < workloads;
  return newlyDenied > 0 || (failure === 'warned' && newlyWarned > 0);
}
