/** Prints what `check` finds in a directory of manifests, with keys for test/judged: `npm run judge -- ../shared/corpus`. */
import { messageOf } from '../../src/base/text/error-message.ts';
import { outputLine } from '../../src/base/text/visible.ts';
import { printLine } from '../../src/cli/io.ts';
import { findingsIn, judgeReport } from './judged-findings.ts';

// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', () => process.exit());
const [directory, ...others] = process.argv.slice(2);
try {
  if (directory === undefined || others.length > 0) throw new Error('name one directory, such as ../shared/corpus');
  const found = await findingsIn(directory);
  process.stdout.write(`${judgeReport(found).split('\n').map(outputLine).join('\n')}\n`);
  for (const problem of found.problems) printLine(process.stderr, `judge: ${problem}`);
  // The figures lack a file that cannot be read.
  if (found.problems.length > 0) process.exitCode = 1;
} catch (error) {
  for (const line of messageOf(error).split('\n')) printLine(process.stderr, `judge: ${line}`);
  process.exitCode = 2;
}
