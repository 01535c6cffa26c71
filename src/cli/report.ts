import { replaceFile } from '../base/files/replace-file.ts';
import { reportPage } from '../explain/fleet-page/report-page.ts';
import { messageOf } from '../base/text/error-message.ts';
import { PROGRAM } from './command-table.ts';
import { EXIT_OK, EXIT_USAGE, printLine } from './io.ts';
import { Progress } from './progress.ts';
import { readAnyInputs } from './read-command-inputs.ts';
import { reportOfInputs } from './report-of-inputs.ts';
import { reportProblems } from './report-problems.ts';
import type { CommandLine } from './flags/command-definition.ts';
import type { REPORT } from './definitions/report.ts';
import type { CommandIo } from './io.ts';

/** Writes a page about the workloads of the inputs. */
export async function runReport(line: CommandLine<typeof REPORT.flags>, io: CommandIo): Promise<number> {
  const progress = new Progress(io);
  const inputs = await readAnyInputs('report', line, io, progress, undefined, { readsReports: true });
  if (inputs === undefined) return EXIT_USAGE;
  const { report, warnings } = reportOfInputs(inputs, line, (done, total) => {
    progress.show('checking', done, total, 'objects');
  });
  progress.end();
  if (report.workloads.length === 0 && report.problems.length === 0)
    printLine(io.stderr, `${PROGRAM} report: the inputs have no workload, so the page is empty`);
  const isWritten = await write(reportPage(report), line.flags['output-file'], io);
  reportProblems([...warnings, ...inputs.problems], io, inputs);
  return isWritten && inputs.problems.length === 0 ? EXIT_OK : EXIT_USAGE;
}

/** @returns false when the page could not be written */
async function write(page: string, file: string | undefined, io: CommandIo): Promise<boolean> {
  if (file === undefined) {
    io.stdout.write(page);
    return true;
  }
  try {
    await replaceFile(file, page);
    return true;
  } catch (error) {
    printLine(io.stderr, `${PROGRAM} report: ${file} cannot be written: ${messageOf(error)}`);
    return false;
  }
}
