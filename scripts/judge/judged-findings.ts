import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { compareText, count } from '../../src/base/text/cut.ts';
import { messageOf } from '../../src/base/text/error-message.ts';
import { runCommandLine } from '../../src/cli/commands.ts';
import { EXIT_USAGE } from '../../src/cli/io.ts';
import { LEVELS_OF, LEVELS, type Level } from '../../src/engine/verdict/levels.ts';
import type { CheckOutput } from '../../src/cli/output/json-outputs.ts';

/** A finding as the table of judgements knows it. */
export interface JudgedFinding {
  /** Equal for the same finding after lines, values and the order of containers have changed. */
  readonly key: string;
  readonly check: string;
  readonly level: Level;
}

/** What `check` finds in a directory. `problems` are its messages about inputs that it cannot read. */
export interface DirectoryFindings {
  readonly workloads: number;
  readonly findings: readonly JudgedFinding[];
  readonly problems: readonly string[];
}

/**
 * Asks `check` for the findings of all levels in a directory of manifests, without the project file and comments.
 *
 * @throws Error that names the directory, when there is no such directory or no workload in the directory
 */
export async function findingsIn(directory: string): Promise<DirectoryFindings> {
  // `check` takes a name such as deploy/web for an object of a cluster if there is no such file.
  const found = await stat(directory).catch((error: unknown) => messageOf(error));
  if (typeof found === 'string') throw new Error(`${directory}: cannot be read: ${found}`);
  if (!found.isDirectory()) throw new Error(`${directory}: is no directory; name a directory of manifests`);
  const printed = { stdout: '', stderr: '' };
  const streamTo = (name: keyof typeof printed) => ({ write: (text: string) => (printed[name] += text) });
  const code = await runCommandLine(
    [
      'check',
      directory,
      '--output',
      'json',
      '--min-level',
      'note',
      '--no-project-file',
      '--no-ignore',
      '--allow-empty',
    ],
    {
      env: process.env,
      stdout: streamTo('stdout'),
      stderr: streamTo('stderr'),
      stdoutColumns: undefined,
      stderrColumns: undefined,
      readStdin: () => Promise.resolve(''),
      now: () => Date.now(),
      monotonic: () => performance.now(),
      untilSignal: () => Promise.withResolvers<'SIGINT'>().promise,
    },
  );
  if (code === EXIT_USAGE) throw new Error(printed.stderr.trimEnd());
  const { violations, problems, summary } = JSON.parse(printed.stdout) as CheckOutput;
  if (summary.workloads === 0 && problems.length === 0) throw new Error(`${directory}: has no workload to judge`);
  const findings = violations.map((of) => ({ key: keyOf(of), check: of.check, level: LEVELS_OF[of.action].level }));
  return {
    workloads: summary.workloads,
    findings: findings.toSorted(compared),
    problems: problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`),
  };
}

/** The file, the object, the container, the check and the field, without what moves: directories, lines and indices. */
export function keyOf({
  file,
  kind,
  namespace,
  name,
  container,
  check,
  path,
}: CheckOutput['violations'][number]): string {
  const source = basename(file, extname(file));
  const field = path.replaceAll(/\[\d+\]/g, '').replace(/^.*\b(?:containers|initContainers)(?:\.|$)/, '');
  const object = namespace === '' ? name : `${namespace}/${name}`;
  return [source, kind, object, container, check, field].filter((part) => part !== '').join(' ');
}

function compared(a: JudgedFinding, b: JudgedFinding): number {
  return LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) || compareText(a.key, b.key);
}

/** The number of findings of a level. */
export function countOf(level: Level, findings: readonly JudgedFinding[]): number {
  return findings.filter((finding) => finding.level === level).length;
}

/** The report: totals, a table of checks and levels, and a line for each finding. */
export function judgeReport({ workloads, findings }: DirectoryFindings): string {
  const warnings = countOf('warning', findings);
  const rate = workloads === 0 ? '' : `, ${(warnings / workloads).toFixed(2)} warnings a workload`;
  const totals = LEVELS.map((level) => count(countOf(level, findings), level)).join(', ');
  const byCheck = [...Map.groupBy(findings, ({ check }) => check)].toSorted(([a], [b]) => compareText(a, b));
  const width = Math.max(0, ...byCheck.map(([check]) => check.length));
  return [
    `${count(workloads, 'workload')}: ${totals}${rate}`,
    ...(findings.length === 0 ? [] : [`${''.padEnd(width)}${LEVELS.map((level) => level.padStart(9)).join('')}`]),
    ...byCheck.map(
      ([check, own]) =>
        `${check.padEnd(width)}${LEVELS.map((level) => String(countOf(level, own)).padStart(9)).join('')}`,
    ),
    ...findings.map(({ level, key }) => `${level}: ${key}`),
  ].join('\n');
}
