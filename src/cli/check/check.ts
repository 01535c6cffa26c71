import { CLUSTER_PLACE } from '../input/cluster-object.ts';
import { STDIN_NAME } from '../input/read-inputs.ts';
import { applyBaseline } from './baseline.ts';
import { checkInputs } from './check-inputs.ts';
import { EXIT_DENIED, EXIT_OK, EXIT_USAGE, type CommandIo } from '../io.ts';
import { githubReport, jsonReport, junitReport, markdownReport } from './formats.ts';
import { gitlabReport } from './gitlab.ts';
import { sarifReport } from './sarif.ts';
import { screenOf } from '../output/screen.ts';
import { textReport } from './text.ts';
import { reportProblems, Progress } from '../output/messages.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import { lackOf, readLivePods, nameOfManifest } from '../input/live-pods.ts';
import { shownReport, type CheckReport, type PlacedViolation, type ReportFormat, type ShownReport } from './report.ts';
import { manifestsIn } from '../input/manifest.ts';
import type { FlagValues, ParsedCommandLine } from '../flags/flag.ts';
import { reasonForNothing } from '../input/passed-over.ts';
import type { Inputs } from '../input/inputs.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { CHECK } from './definition.ts';

const FORMATS: Readonly<Record<FlagValues<typeof CHECK.flags>['output'], ReportFormat>> = {
  text: textReport,
  json: jsonReport,
  sarif: sarifReport,
  junit: junitReport,
  github: githubReport,
  gitlab: gitlabReport,
  markdown: markdownReport,
};

/** Checks manifests without a cluster, by the code of the webhook. */
export async function runCheck(line: ParsedCommandLine<typeof CHECK.flags>, io: CommandIo): Promise<number> {
  const progress = new Progress(io);
  const inputs = await readAnyInputs('check', line, io, progress, { webhook: 'exempts' });
  const { output, enforcement, strict, 'min-level': minLevel, only, skip } = line.flags;
  const onObject = (done: number, total: number): void => {
    progress.show('checking', done, total, 'objects');
  };
  const checked = checkInputs(inputs, enforcement, onObject, !line.flags['no-ignore']);
  const found = line.flags['allow-empty'] ? checked : withoutObjects(checked, inputs, line.positionals);
  progress.end();
  const selection = { minLevel, only: only.flat(), skip: skip.flat() };
  const unknown = await applyBaseline(found, line.flags, selection, inputs, io);
  if (unknown === undefined) {
    reportProblems(found.problems, io, inputs);
    return EXIT_USAGE;
  }
  const shown = shownReport(unknown, selection);
  const violations = await Promise.all(shown.violations.map(withChartValues));
  const report = { ...shown, violations, lacking: await lackingPods(checked, inputs, io) };
  // Objects of a cluster have no text that fixes could change.
  const texts = inputs.isFromCluster ? [] : inputs.texts;
  io.stdout.write(FORMATS[output]({ ...report, texts }, screenOf(line.flags.color, io)));
  reportProblems([...(report.notes ?? []), ...report.warnings, ...report.problems], io, inputs);
  return exitCode(report, inputs, strict);
}

/** Adds the values of a chart that write the fields at fault. `fix` names the same values. */
async function withChartValues(violation: PlacedViolation): Promise<PlacedViolation> {
  const { path, remedy, edits = [{ path }], chartValueOf, policy } = violation;
  // No chart writes the probe of a policy.
  if (chartValueOf === undefined || policy !== undefined) return violation;
  const values = await Promise.all(edits.map((edit) => chartValueOf(edit.path)));
  const named = [...new Set(values.flatMap((value) => value?.text ?? []))].join(', ');
  if (named === '') return violation;
  return { ...violation, remedy: [...(remedy === undefined ? [] : [remedy]), `change value ${named}`].join('; ') };
}

/** The workloads of a cluster whose live Pods lack the probes that policies give. */
async function lackingPods(
  { summary: { coverage } }: CheckReport,
  inputs: Inputs,
  io: CommandIo,
): Promise<NonNullable<CheckReport['lacking']>> {
  const gives = inputs.policies.policies.length + coverage.livenessProbe.get + coverage.readinessProbe.get > 0;
  const look = gives ? await readLivePods('check', inputs, io, false) : undefined;
  if (look === undefined) return [];
  return manifestsIn(inputs).flatMap(({ object }) => {
    const message = lackOf(look, object);
    const { kind, namespace, name } = nameOfManifest(object);
    return message === undefined ? [] : [{ kind, namespace, name, message }];
  });
}

/**
 * A manifest below a directory that cannot be read is a fault of the manifest, so the exit code is that of an error.
 * Everything else that cannot be read leaves the command without an answer.
 */
function exitCode({ summary, warnings, problems }: ShownReport, inputs: Inputs, isStrict: boolean): number {
  if (inputs.policyProblems.length > 0 || problems.some(({ isFound }) => isFound !== true)) return EXIT_USAGE;
  const isDenied = summary.deny + problems.length > 0 || (isStrict && summary.warn + warnings.length > 0);
  return isDenied ? EXIT_DENIED : EXIT_OK;
}

/**
 * Adds a problem for each input when no input has an object. A pipeline whose rendering printed nothing, or whose
 * directory has moved, would otherwise pass for ever.
 *
 * @param names the inputs of the command line
 */
function withoutObjects(report: CheckReport, inputs: Inputs, names: readonly string[]): CheckReport {
  const why = reasonForNothing(inputs, 'check');
  // A named input that cannot be read has this exit code already, and a broken manifest is no chart.
  if (report.summary.objects > 0 || (report.problems.length > 0 && why === undefined)) return report;
  const nothing = why === undefined ? 'has no Kubernetes object, so nothing is checked' : `nothing is checked: ${why}`;
  const problems = (inputs.isFromCluster ? [CLUSTER_PLACE] : names).map((name): FileProblem => ({
    file: name === '-' ? STDIN_NAME : name,
    line: 1,
    column: 1,
    message: `${nothing}; --allow-empty accepts that`,
  }));
  return { ...report, problems: [...report.problems, ...problems] };
}
