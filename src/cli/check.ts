import { chosenKinds } from './chosen-kinds.ts';
import { reportProblems } from './report-problems.ts';
import { Progress } from './progress.ts';
import { didYouMean } from '../policy/suggestion.ts';
import { readFlags } from '../flags.ts';
import { ENFORCEMENTS } from '../admission/validate.ts';
import { checkTexts } from './check-manifests.ts';
import { EXIT_DENIED, EXIT_OK, EXIT_USAGE, printLine } from './io.ts';
import { readManifestTexts, readPolicyTexts } from './manifests.ts';
import { githubReport } from './output/github.ts';
import { jsonReport } from './output/json.ts';
import { junitReport } from './output/junit.ts';
import { sarifReport } from './output/sarif.ts';
import { textReport } from './output/text.ts';
import type { Enforcement } from '../admission/validate.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { CheckReport, ReportFormat } from './check-report.ts';
import type { CommandIo } from './io.ts';

const FORMATS: Readonly<Record<string, ReportFormat>> = {
  text: textReport,
  json: jsonReport,
  sarif: sarifReport,
  junit: junitReport,
  github: githubReport,
};

/** `probewright check --help`. */
export function checkHelp(): string {
  return `Usage: probewright check FILE... [flags]

Gives manifests the verdict that the webhook would. FILE is a file, a directory or - for standard input; policies and namespaces may stand
among the manifests.

  --policies DIR             directory with ProbePolicy and ClusterProbePolicy YAML files
  --namespace NAME           namespace of objects that name none (default "default")
  --output FORMAT            ${Object.keys(FORMATS).join(', ')} (default text)
  --enforcement LEVEL        ${ENFORCEMENTS.join(', ')}: the most that a violation may lead to (default Deny)
  --workload-kinds FILE      YAML list of { group, kind, podTemplatePath }: custom kinds to look into
  --strict                   warnings fail, too

Exit code: 0 nothing is denied, 1 something is (with --strict also warned), 2 input could not be read or the command line is wrong.
`;
}

interface CheckOptions {
  readonly files: readonly string[];
  readonly policies: string | undefined;
  readonly namespace: string;
  readonly format: ReportFormat;
  readonly enforcement: Enforcement;
  readonly workloadKinds: string | undefined;
  readonly strict: boolean;
}

/** Checks manifests offline, with the webhook's engine. */
export async function checkCommand(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes('--help')) {
    io.stdout.write(checkHelp());
    return EXIT_OK;
  }
  const parsed = parseCheckOptions(args);
  if ('problems' in parsed) {
    for (const problem of parsed.problems) printLine(io.stderr, `probewright check: ${problem}`);
    printLine(io.stderr, 'Run "probewright check --help" for the flags.');
    return EXIT_USAGE;
  }
  const { options } = parsed;
  const kinds = await chosenKinds('check', options.workloadKinds, io);
  if (kinds === undefined) return EXIT_USAGE;
  const manifests = await readManifestTexts(options.files, io.readStdin);
  const policies =
    options.policies === undefined ? { texts: [], problems: [] } : await readPolicyTexts(options.policies);
  const progress = new Progress(io);
  const report = checkTexts(manifests.texts, policies.texts, { ...options, kinds }, (done, total) => {
    progress.tell(`checked ${done} of ${total} objects`);
  });
  progress.end();
  io.stdout.write(options.format(report));
  const problems = [...manifests.problems, ...policies.problems, ...report.problems];
  reportProblems([...report.warnings, ...problems], io);
  return exitCode(report, problems, options.strict);
}

function exitCode({ summary, warnings }: CheckReport, problems: readonly FileProblem[], strict: boolean): number {
  if (problems.length > 0) return EXIT_USAGE;
  return summary.deny > 0 || (strict && summary.warn + warnings.length > 0) ? EXIT_DENIED : EXIT_OK;
}

function parseCheckOptions(args: readonly string[]): { options: CheckOptions } | { problems: string[] } {
  const problems: string[] = [];
  const valued = args.filter((arg) => arg !== '--strict');
  const known = ['policies', 'namespace', 'output', 'enforcement', 'workload-kinds'];
  const { flags, positionals } = readFlags(valued, known, problems);
  if (positionals.length === 0) problems.push('FILE: name at least one file or directory, or - for standard input');
  const output = flags.get('output') ?? 'text';
  const format = Object.hasOwn(FORMATS, output) ? FORMATS[output] : undefined;
  const names = Object.keys(FORMATS);
  if (format === undefined)
    problems.push(`--output: must be ${names.join(', ')}, not ${JSON.stringify(output)}${didYouMean(output, names)}`);
  const level = flags.get('enforcement') ?? 'Deny';
  const enforcement = ENFORCEMENTS.find((choice) => choice === level);
  if (enforcement === undefined) {
    problems.push(
      `--enforcement: must be ${ENFORCEMENTS.join(', ')}, not ${JSON.stringify(level)}${didYouMean(level, ENFORCEMENTS)}`,
    );
  }
  if (format === undefined || enforcement === undefined || problems.length > 0) return { problems };
  return {
    options: {
      files: positionals,
      policies: flags.get('policies'),
      namespace: flags.get('namespace') ?? 'default',
      format,
      enforcement,
      workloadKinds: flags.get('workload-kinds'),
      strict: args.includes('--strict'),
    },
  };
}
