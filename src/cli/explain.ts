import { chosenKinds } from './chosen-kinds.ts';
import { reportProblems } from './report-problems.ts';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../files/replace-file.ts';
import { didYouMean } from '../policy/suggestion.ts';
import { readFlags } from '../flags.ts';
import { FileNames } from './explain/file-name.ts';
import { explanationAsSvg } from './explain/svg.ts';
import { explanationsAsText } from './explain/text.ts';
import { explainManifest } from './explain/workload.ts';
import { EXIT_OK, EXIT_USAGE, printLine } from './io.ts';
import { policiesAmong } from './policies-among.ts';
import { manifestsOf, readManifestTexts, readPolicyTexts } from './manifests.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { WorkloadKind } from '../workload/kinds.ts';
import type { WorkloadExplanation } from './explain/model.ts';
import type { CommandIo } from './io.ts';

const OUTPUTS = ['text', 'svg'] as const;
type Output = (typeof OUTPUTS)[number];

/** `probewright explain --help`. */
export function explainHelp(): string {
  return `Usage: probewright explain FILE... [flags]

Tells what the probes of manifests come to in seconds: how long a container has to start, when it is killed, when it gets no traffic. The
probes that policies add are counted in. FILE is a file, a directory or - for standard input; policies and namespaces may stand among the
manifests.

  --policies DIR             directory with ProbePolicy and ClusterProbePolicy YAML files
  --namespace NAME           namespace of objects that name none (default "default")
  --workload-kinds FILE      YAML list of { group, kind, podTemplatePath }: custom kinds to look into
  --output text|svg          text prints tables and timelines, svg writes one picture a workload (default text)
  --output-dir DIR           where pictures go, made when it is missing (default the working directory)

Exit code: 0, or 2 when input could not be read or the command line is wrong.
`;
}

interface ExplainOptions {
  readonly files: readonly string[];
  readonly policies: string | undefined;
  readonly namespace: string;
  readonly workloadKinds: string | undefined;
  readonly output: Output;
  readonly outputDirectory: string;
}

/** Explains what the probes of manifests come to. */
export async function explainCommand(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes('--help')) {
    io.stdout.write(explainHelp());
    return EXIT_OK;
  }
  const parsed = parseExplainOptions(args);
  if ('problems' in parsed) {
    for (const problem of parsed.problems) printLine(io.stderr, `probewright explain: ${problem}`);
    printLine(io.stderr, 'Run "probewright explain --help" for the flags.');
    return EXIT_USAGE;
  }
  const { options } = parsed;
  const kinds = await chosenKinds('explain', options.workloadKinds, io);
  if (kinds === undefined) return EXIT_USAGE;
  const { workloads, problems } = await explainFiles(options, kinds, io);
  const written = options.output === 'svg' ? await writePictures(workloads, options.outputDirectory, io) : true;
  if (options.output === 'text') io.stdout.write(explanationsAsText(workloads));
  reportProblems(problems, io);
  return problems.length > 0 || !written ? EXIT_USAGE : EXIT_OK;
}

function parseExplainOptions(args: readonly string[]): { options: ExplainOptions } | { problems: string[] } {
  const problems: string[] = [];
  const known = ['policies', 'namespace', 'workload-kinds', 'output', 'output-dir'];
  const { flags, positionals } = readFlags(args, known, problems);
  if (positionals.length === 0) problems.push('FILE: name at least one file or directory, or - for standard input');
  const given = flags.get('output') ?? 'text';
  const output = OUTPUTS.find((choice) => choice === given);
  if (output === undefined)
    problems.push(`--output: must be text or svg, not ${JSON.stringify(given)}${didYouMean(given, OUTPUTS)}`);
  const directory = flags.get('output-dir');
  if (directory !== undefined && output === 'text') problems.push('--output-dir: pictures need --output svg');
  if (output === undefined || problems.length > 0) return { problems };
  return {
    options: {
      files: positionals,
      policies: flags.get('policies'),
      namespace: flags.get('namespace') ?? 'default',
      workloadKinds: flags.get('workload-kinds'),
      output,
      outputDirectory: directory ?? '.',
    },
  };
}

async function explainFiles(
  options: ExplainOptions,
  kinds: readonly WorkloadKind[],
  io: CommandIo,
): Promise<{ workloads: WorkloadExplanation[]; problems: FileProblem[] }> {
  const read = await readManifestTexts(options.files, io.readStdin);
  const policyTexts =
    options.policies === undefined ? { texts: [], problems: [] } : await readPolicyTexts(options.policies);
  const found = read.texts.map(manifestsOf);
  const manifests = found.flatMap((text) => text.manifests);
  const policies = policiesAmong(manifests, policyTexts.texts);
  const settings = { policies: policies.set, namespace: options.namespace, kinds };
  return {
    workloads: manifests.flatMap((manifest) => explainManifest(manifest, settings) ?? []),
    problems: [
      ...read.problems,
      ...policyTexts.problems,
      ...found.flatMap((text) => text.problems),
      ...policies.problems,
    ],
  };
}

/** Writes one file a workload and prints its name. False when one could not be written; the others are. */
async function writePictures(
  workloads: readonly WorkloadExplanation[],
  directory: string,
  io: CommandIo,
): Promise<boolean> {
  const names = new FileNames();
  let complete = true;
  for (const workload of workloads) {
    const path = join(directory, names.next(workload));
    try {
      await mkdir(directory, { recursive: true });
      await replaceFile(path, explanationAsSvg(workload));
      printLine(io.stdout, path);
    } catch (error) {
      printLine(io.stderr, `probewright explain: ${path} cannot be written: ${messageOf(error)}`);
      complete = false;
    }
  }
  return complete;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
