import { applyBaseline } from './baseline/apply-baseline.ts';
import { CLUSTER_PLACE } from './input/cluster-object.ts';
import { checkInputs } from './check-inputs.ts';
import { paintFor } from './colour.ts';
import { EXIT_DENIED, EXIT_OK, EXIT_USAGE } from './io.ts';
import { githubReport } from './output/github.ts';
import { jsonReport } from './output/json.ts';
import { junitReport } from './output/junit.ts';
import { sarifReport } from './output/sarif.ts';
import { textReport } from './output/text.ts';
import { withoutObjects } from './nothing-to-check.ts';
import { Progress } from './progress.ts';
import { readAnyInputs } from './read-command-inputs.ts';
import { reportProblems } from './report-problems.ts';
import { shownReport } from './shown-report.ts';
import type { CommandLine } from './flags/command-definition.ts';
import type { Inputs } from './input/inputs.ts';
import type { CHECK, ReportFormatName } from './definitions/check.ts';
import type { CommandIo } from './io.ts';
import type { ReportFormat, ShownReport } from './shown-report.ts';

const FORMATS: Readonly<Record<ReportFormatName, ReportFormat>> = {
  text: textReport,
  json: jsonReport,
  sarif: sarifReport,
  junit: junitReport,
  github: githubReport,
};

/** Checks manifests without a cluster, by the code of the webhook. */
export async function runCheck(line: CommandLine<typeof CHECK.flags>, io: CommandIo): Promise<number> {
  const progress = new Progress(io);
  const inputs = await readAnyInputs('check', line, io, progress);
  if (inputs === undefined) return EXIT_USAGE;
  const { output, enforcement, strict, 'min-level': minLevel, only, skip } = line.flags;
  const checked = checkInputs(inputs, enforcement, (done, total) => {
    progress.show('checking', done, total, 'objects');
  });
  const found = line.flags['allow-empty'] ? checked : withoutObjects(checked, namesOfInputs(inputs, line.positionals));
  progress.end();
  const selection = { minLevel, only: only.flat(), skip: skip.flat() };
  const baselined = await applyBaseline(found, line.flags, selection, inputs, io);
  if (baselined === undefined) {
    reportProblems(found.problems, io, inputs);
    return EXIT_USAGE;
  }
  const report = shownReport(baselined.report, selection, baselined.known);
  const screen = { columns: io.stdoutColumns, paint: paintFor(line.flags.color, io) };
  // Objects of a cluster have no text that fixes could change.
  const texts = inputs.isFromCluster === true ? [] : inputs.texts;
  io.stdout.write(FORMATS[output]({ ...report, texts }, screen));
  reportProblems([...report.warnings, ...report.problems], io, inputs);
  return exitCode(report, strict);
}

function namesOfInputs({ isFromCluster = false }: Inputs, positionals: readonly string[]): readonly string[] {
  return isFromCluster ? [CLUSTER_PLACE] : positionals;
}

function exitCode({ summary, warnings, problems }: ShownReport, isStrict: boolean): number {
  if (problems.length > 0) return EXIT_USAGE;
  return summary.deny > 0 || (isStrict && summary.warn + warnings.length > 0) ? EXIT_DENIED : EXIT_OK;
}
