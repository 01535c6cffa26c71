import { append } from './append.ts';
import { jsonText } from '../text/json-text.ts';
import { reportProblems } from './report-problems.ts';
import { objectMember, stringMembers, stringMember } from '../probes/json.ts';
import { readFlags } from '../flags.ts';
import { permittedProbes } from '../verdict/permitted-defaulting.ts';
import { effectiveTemplate } from '../defaulting/effective.ts';
import { formatNotInjected } from '../defaulting/reason.ts';
import { PolicySet } from '../policy/policy-set.ts';
import { readPolicyDocuments } from '../sources/policy-documents.ts';
import { KNOWN_KINDS } from '../workload/custom-kinds.ts';
import { templatesToLookAt, withTemplateAt, workloadKindOfManifest } from '../workload/kinds.ts';
import { EXIT_OK, EXIT_USAGE, printLine } from './io.ts';
import { describeManifest, manifestsOf, readManifestTexts, readPolicyTexts } from './manifests.ts';
import { insertIntoYaml } from './yaml-insertion.ts';
import type { JsonObject } from '../probes/json.ts';
import type { Defaulting } from '../defaulting/default-probes.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { CommandIo } from './io.ts';
import type { Manifest, ManifestText } from './manifests.ts';
import type { Insertion } from './yaml-insertion.ts';

/** `probewright fix --help`. */
export function fixHelp(): string {
  return `Usage: probewright fix FILE... --policies DIR [flags]

Prints manifests with the probes that their Pods would get written into them. FILE is a file, a directory or - for standard input.
Why a container got nothing goes to standard error.

  --policies DIR        directory with ProbePolicy and ClusterProbePolicy YAML files (required)
  --namespace NAME      namespace of objects that name none (default "default")
  --output yaml|json    yaml keeps the input as it is but for what is added; json prints one List of all objects (default yaml)
`;
}

interface FixOptions {
  readonly files: readonly string[];
  readonly policies: string;
  readonly namespace: string;
  readonly output: 'yaml' | 'json';
}

/** Writes probes into manifests. They are the author's own from then on, so no annotation is added. */
export async function fixCommand(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes('--help')) {
    io.stdout.write(fixHelp());
    return EXIT_OK;
  }
  const parsed = parseFixOptions(args);
  if ('problems' in parsed) {
    for (const problem of parsed.problems) printLine(io.stderr, `probewright fix: ${problem}`);
    printLine(io.stderr, 'Run "probewright fix --help" for the flags.');
    return EXIT_USAGE;
  }
  const { options } = parsed;
  const policies = await readPolicies(options.policies);
  if ('problems' in policies) {
    reportProblems(policies.problems, io);
    return EXIT_USAGE;
  }
  const { texts, problems } = await readManifestTexts(options.files, io.readStdin);
  const fixed = texts.map((text) => fixText(text, policies.set, options.namespace, io));
  const allProblems = [...problems, ...fixed.flatMap((text) => text.problems)];
  if (options.output === 'json') {
    io.stdout.write(jsonList(fixed));
  } else {
    const edits = fixed.map(({ text, insertions }) => edited(text, insertions, io));
    append(
      allProblems,
      edits.flatMap((edit) => edit.problems),
    );
    io.stdout.write(joinTexts(edits.map(({ text }) => text)));
  }
  reportProblems(allProblems, io);
  return allProblems.length > 0 ? EXIT_USAGE : EXIT_OK;
}

function parseFixOptions(args: readonly string[]): { options: FixOptions } | { problems: string[] } {
  const problems: string[] = [];
  const { flags, positionals } = readFlags(args, ['policies', 'namespace', 'output'], problems);
  const policies = flags.get('policies');
  const output = flags.get('output') ?? 'yaml';
  if (policies === undefined) problems.push('--policies: must be given');
  if (positionals.length === 0) problems.push('FILE: name at least one file or directory, or - for standard input');
  if (output !== 'yaml' && output !== 'json')
    problems.push(`--output: must be yaml or json, not ${JSON.stringify(output)}`);
  if (policies === undefined || (output !== 'yaml' && output !== 'json') || problems.length > 0) return { problems };
  return { options: { files: positionals, policies, namespace: flags.get('namespace') ?? 'default', output } };
}

async function readPolicies(directory: string): Promise<{ set: PolicySet } | { problems: readonly FileProblem[] }> {
  const read = await readPolicyTexts(directory);
  const { policies, namespaceLabels, problems } = readPolicyDocuments(read.texts);
  const allProblems = [...read.problems, ...problems];
  return allProblems.length > 0 ? { problems: allProblems } : { set: new PolicySet(policies, namespaceLabels) };
}

/** What became of one text. */
interface FixedText {
  readonly problems: readonly FileProblem[];
  readonly objects: readonly JsonObject[];
  readonly text: ManifestText;
  /** The probes to write into the text. */
  readonly insertions: readonly Insertion[];
}

function fixText(text: ManifestText, policies: PolicySet, defaultNamespace: string, io: CommandIo): FixedText {
  const { manifests, problems } = manifestsOf(text);
  const insertions: Insertion[] = [];
  const objects: JsonObject[] = [];
  for (const manifest of manifests) {
    const { object, document, path } = manifest;
    const namespace = namespaceOf(object) ?? defaultNamespace;
    const fix = fixManifest(manifest, policies, namespace);
    objects.push(fix?.object ?? object);
    if (fix === undefined) continue;
    append(insertions, fix.insertions);
    const { line, column } = document.position(path);
    const place = `${text.file}:${line}:${column}: ${describeManifest(object, namespace)}`;
    for (const reason of fix.defaultings.flatMap(({ notInjected }) => notInjected))
      printLine(io.stderr, `${place}: ${formatNotInjected(reason)}`);
    for (const warning of fix.defaultings.flatMap(({ warnings }) => warnings))
      printLine(io.stderr, `${place}: ${warning}`);
  }
  return { problems, objects, text, insertions };
}

interface EditedText {
  readonly text: string;
  readonly problems: readonly FileProblem[];
}

/** A text that cannot be written into comes out as it is, and does not keep others from coming out. */
function edited({ file, text }: ManifestText, insertions: readonly Insertion[], io: CommandIo): EditedText {
  try {
    const result = insertIntoYaml(text, insertions);
    for (const index of result.rewritten) {
      printLine(
        io.stderr,
        `${file}: document ${index + 1} cannot be edited in place (aliases, or an unusual form); it is printed anew`,
      );
    }
    return { text: result.text, problems: [] };
  } catch (error) {
    const message = `no probes are written into this file: ${error instanceof Error ? error.message : String(error)}`;
    return { text, problems: [{ file, line: 1, column: 1, message }] };
  }
}

function namespaceOf(object: JsonObject): string | undefined {
  const metadata = objectMember(object, 'metadata');
  return metadata && stringMember(metadata, 'namespace');
}

interface FixedManifest {
  readonly object: JsonObject;
  readonly defaultings: readonly Defaulting[];
  readonly insertions: readonly Insertion[];
}

/** Undefined for objects that hold no Pod template, or whose Pods or template others look after. */
function fixManifest(
  { object, document, path }: Manifest,
  policies: PolicySet,
  namespace: string,
): FixedManifest | undefined {
  const kind = workloadKindOfManifest(object, KNOWN_KINDS);
  const found = kind && templatesToLookAt(object, kind);
  if (kind === undefined || found === undefined || 'skipped' in found) return undefined;
  let fixed = object;
  const insertions: Insertion[] = [];
  const defaultings: Defaulting[] = [];
  for (const { template, path: templatePath } of found.templates) {
    const policy = policies.policyFor(namespace, stringMembers(objectMember(template, 'metadata') ?? {}, 'labels'));
    const defaulting = permittedProbes(template, policy, kind);
    defaultings.push(defaulting);
    fixed = withTemplateAt(fixed, templatePath, effectiveTemplate(template, defaulting.injections)) as JsonObject;
    for (const { container, kind: key, probe } of defaulting.injections) {
      const containerPath = [...path, ...templatePath, 'spec', container.list, container.index];
      insertions.push({ document: document.index, path: containerPath, key, value: probe });
    }
  }
  return { object: fixed, defaultings, insertions };
}

function jsonList(fixed: readonly FixedText[]): string {
  return `${jsonText({ apiVersion: 'v1', kind: 'List', items: fixed.flatMap(({ objects }) => objects) }, undefined, 2)}\n`;
}

/** Several files in one stream: a separator where the next one does not bring its own. */
function joinTexts(texts: readonly string[]): string {
  let joined = '';
  for (const text of texts) {
    if (joined !== '' && !joined.endsWith('\n')) joined += '\n';
    if (joined !== '') joined += separatorBefore(text);
    joined += text;
  }
  return joined;
}

/** What must stand between documents and a text that follows: nothing when it brings its own separator, an end mark before directives. */
function separatorBefore(text: string): string {
  const first = text.split('\n').find((line) => line.trim() !== '' && !line.trimStart().startsWith('#')) ?? '';
  if (first.startsWith('%')) return '...\n';
  return first.startsWith('---') ? '' : '---\n';
}
