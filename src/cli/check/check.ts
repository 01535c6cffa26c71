import { applyBaseline } from './baseline.ts';
import { checkManifests } from './check-manifests.ts';
import { EXIT_DENIED, EXIT_OK, EXIT_USAGE, type CommandIo } from '../io.ts';
import { FORMATS } from './formats.ts';
import { screenOf } from '../output/screen.ts';
import { reportProblems, Progress } from '../output/messages.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import { selectedFindings, shownReport, type PlacedViolation } from './report.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import { withoutWorkloads } from './nothing-judged.ts';
import type { CHECK } from './definition.ts';

/** Checks manifests without a cluster, by the code of the webhook. */
export async function runCheck(line: ParsedCommandLine<typeof CHECK.flags>, io: CommandIo): Promise<number> {
  const progress = new Progress(io);
  const given = await readAnyInputs('check', line, io, progress, { webhook: 'exempts' });
  const { manifests, world } = given;
  const { output, enforcement, strict, 'min-level': minLevel, only, skip } = line.flags;
  const checking = {
    enforcement,
    progress: (done: number, total: number) => progress.show('checking', done, total, 'objects'),
    honoursComments: !line.flags['no-ignore'],
  };
  const checked = checkManifests(manifests, world, checking);
  const found = line.flags['allow-empty'] ? checked : withoutWorkloads(checked, given, line.positionals);
  progress.end();
  const selection = { minLevel, only: only.flat(), skip: skip.flat() };
  const { 'write-exceptions': file, expires, owner } = line.flags;
  let unknown = await applyBaseline(found, selectedFindings(found, selection), line.flags, given, io);
  if (unknown !== undefined && file !== undefined && expires !== undefined && owner !== undefined) {
    // Most command lines write none.
    const { applyExceptions } = await import('./written-exceptions.ts');
    unknown = await applyExceptions(unknown, file, { expires, owner }, selection, world, io);
  }
  if (unknown === undefined) {
    reportProblems(found.problems, io, world);
    return EXIT_USAGE;
  }
  const shown = shownReport(unknown, selection);
  const violations = await Promise.all(shown.violations.map(withChartValues));
  const { coverage } = checked.summary;
  const givesProbes = world.snapshot.policies.length + coverage.livenessProbe.get + coverage.readinessProbe.get > 0;
  // What it takes to look at Pods is loaded for a cluster only.
  const lacking =
    givesProbes && given.live !== undefined
      ? await (await import('../input/live.ts')).lackingWorkloads('check', given, io)
      : [];
  // Objects of a cluster have no text that fixes could change.
  const report = { ...shown, violations, lacking, texts: world.isFromCluster ? [] : manifests.texts };
  const format = await FORMATS[output]();
  io.stdout.write(format(report, screenOf(line.flags.color, io)));
  reportProblems([...(report.notes ?? []), ...report.warnings, ...report.problems], io, world);
  const { summary, warnings, problems } = report;
  // A manifest below a directory that cannot be read is a fault of the manifest. Everything else that cannot be read
  // leaves the command without an answer.
  if (world.policyProblems.length > 0 || problems.some(({ isFound }) => isFound !== true)) return EXIT_USAGE;
  const isDenied = summary.deny + problems.length > 0 || (strict && summary.warn + warnings.length > 0);
  return isDenied ? EXIT_DENIED : EXIT_OK;
}

/** Adds the values of a chart that write the fields at fault. `fix` names the same values. */
async function withChartValues(violation: PlacedViolation): Promise<PlacedViolation> {
  const { path, remedy, edits = [{ path, value: undefined }], chartValueOf, policy } = violation;
  // No chart writes the probe of a policy.
  if (chartValueOf === undefined || policy !== undefined) return violation;
  const values = await Promise.all(edits.map((edit) => chartValueOf(edit.path, edit.value)));
  const named = [...new Set(values.flatMap((value) => value?.text ?? []))].join(', ');
  if (named === '') return violation;
  return { ...violation, remedy: [...(remedy === undefined ? [] : [remedy]), `change value ${named}`].join('; ') };
}
