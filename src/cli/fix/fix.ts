import { isStandardInput, STDIN_NAME } from '../input/standard-input.ts';
import { jsonText, visible } from '../../base/text/visible.ts';
import { loadBaseline } from '../check/baseline.ts';
import { namedLinks, writeFixedFiles, writeIntoDirectory } from './write-files.ts';
import { fixFile, type FixedFile } from './fix-file.ts';
import { editsByHand, isRendered, type EditByHand } from './rendered-edits.ts';
import { EXIT_DENIED, EXIT_OK, EXIT_USAGE, PROGRAM, printLine, type CommandIo } from '../io.ts';
import { coverageIn } from '../check/coverage.ts';
import { findingLine, REASON_TEXTS } from '../check/text.ts';
import { count } from '../../base/text/cut.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { COVERED_PROBES, type LackReason } from '../../engine/verdict/coverage.ts';
import { diffText } from '../output/diff.ts';
import { paintFor } from '../output/screen.ts';
import { Progress, reportProblems } from '../output/messages.ts';
import { readCommandInputs } from '../input/read-inputs.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { PlacedViolation } from '../check/report.ts';
import type { NamedInputs } from '../input/live.ts';
import type { AdviceSelection } from './advice.ts';
import type { FIX } from './definition.ts';

type FixLine = ParsedCommandLine<typeof FIX.flags>;

/** Writes probes into manifests. The probes are the author's own from then on, so no annotation is added. */
export async function runFix(line: FixLine, io: CommandIo): Promise<number> {
  const { flags, positionals } = line;
  const tell = (text: string): void => {
    printLine(io.stderr, `${PROGRAM} fix: ${text}`);
  };
  const streams = positionals.filter(isStandardInput);
  if (streams.length > 0 && (flags.write || flags['output-dir'] !== undefined)) {
    const flag = flags.write ? '--write' : '--output-dir';
    tell(`${flag}: standard input (${streams.join(', ')}) has no file to write; name files`);
    return EXIT_USAGE;
  }
  const links = flags.write ? await namedLinks(positionals) : [];
  links.forEach(tell);
  if (links.length > 0) return EXIT_USAGE;
  // JSON is one list of all objects.
  const readsAll = flags.output === 'json';
  const given = await readCommandInputs('fix', line, io, new Progress(io), undefined, readsAll);
  const { manifests, world } = given;
  // Without one of the policies, other probes would be written than the webhook adds.
  if (world.policyProblems.length > 0) {
    reportProblems(manifests.problems, io);
    return EXIT_USAGE;
  }
  const advice = await adviceSelection(flags, io);
  if (advice === 'unreadable') return EXIT_USAGE;
  const files = manifests.texts.map((text) => fixFile(text, world, advice));
  for (const { remarks } of files) for (const remark of remarks) printLine(io.stderr, remark);
  if (world.snapshot.policies.length === 0 && !flags.advice) {
    const remedy = 'name policies with --policies FILE|DIR, or apply the advice of checks with --advice';
    tell(`there is no policy, so no probe is added; ${remedy}`);
  }
  // A rendered text is printed as a whole, but no file has it: a diff could not be applied.
  const changesFiles = flags.diff || flags.write || flags['output-dir'] !== undefined;
  const rendered = files.filter(({ source }) => changesFiles && isRendered(source));
  const edits = await Promise.all(rendered.map((file) => editsByHand(file, world.namespace)));
  const byHand = edits.flat();
  for (const { line: text } of byHand) printLine(io.stderr, text);
  if (byHand.length > 0) printLine(io.stderr, countByFile(byHand));
  const ofFiles = files.filter((file) => !rendered.includes(file));
  const unwritten = await putOut(ofFiles, line, io, byHand.length > 0);
  if (world.snapshot.policies.length > 0 && !files.some(isChanged)) whyNothingIsAdded(given, files).forEach(tell);
  const problems = [...manifests.problems, ...files.flatMap((file) => file.problems), ...unwritten];
  reportProblems([...manifests.warnings, ...problems], io);
  const left = files.flatMap((file) => file.left);
  if (left.length > 0) reportLeft(left, io);
  if (problems.length > 0) return EXIT_USAGE;
  const needsHand = byHand.length > 0 || left.some(({ action }) => action === 'Deny');
  return needsHand || (flags.diff && files.some(isChanged)) ? EXIT_DENIED : EXIT_OK;
}

/** `3 edits are left to be made by hand: 2 in web/values.yaml, 1 in web/templates/web.yaml`. */
function countByFile(edits: readonly EditByHand[]): string {
  const files = [...Map.groupBy(edits, ({ file }) => file)].map(([file, { length }]) => `${length} in ${file}`);
  const are = edits.length === 1 ? 'is' : 'are';
  return `${count(edits.length, 'edit')} ${are} left to be made by hand: ${files.join(', ')}`;
}

/** The reasons why policies add no probe, as far as no remark has told them. */
function whyNothingIsAdded({ manifests, world }: NamedInputs, files: readonly FixedFile[]): readonly string[] {
  const coverage = coverageIn(manifests, world);
  const reasons = COVERED_PROBES.flatMap((probe) =>
    Object.entries({ ...(coverage[probe].have > 0 && { have: coverage[probe].have }), ...coverage[probe].reasons }).map(
      ([reason, number]) => ({ reason, text: `no ${probe} to ${count(number, 'container')}` }),
    ),
  );
  if (reasons.length === 0 && manifests.problems.length === 0)
    return ['the inputs have no container, so no probe is added'];
  const remarks = files.flatMap((file) => file.remarks);
  return [...Map.groupBy(reasons, (one) => one.reason)].flatMap(([reason, own]) => {
    if (remarks.some((remark) => remark.includes(`(${reason})`))) return [];
    const why = reason === 'have' ? 'the manifests have one' : `${REASON_TEXTS[reason as LackReason]} (${reason})`;
    return [`the policies add ${own.map(({ text }) => text).join(' and ')}: ${why}`];
  });
}

/** The findings for which no advice is known to work, as `check` shows them. */
function reportLeft(left: readonly PlacedViolation[], io: CommandIo): void {
  printLine(io.stderr, `${count(left.length, 'finding')} ${left.length === 1 ? 'needs' : 'need'} a hand:`);
  const paint = paintFor('never', io);
  for (const violation of left) printLine(io.stderr, findingLine(violation, paint));
}

/** Returns the findings whose advice is applied. 'unreadable', after a message, when the baseline cannot be read. */
async function adviceSelection(
  { advice, enforcement, 'min-level': minLevel, only, skip, baseline, 'no-ignore': ignoresNothing }: FixLine['flags'],
  io: CommandIo,
): Promise<AdviceSelection | undefined | 'unreadable'> {
  if (!advice) return undefined;
  const honoursComments = !ignoresNothing;
  try {
    const known = baseline === undefined ? [] : await loadBaseline(baseline);
    return { enforcement, minLevel, only: only.flat(), skip: skip.flat(), honoursComments, known };
  } catch (error) {
    printLine(io.stderr, messageOf(error));
    return 'unreadable';
  }
}

async function putOut(
  files: readonly FixedFile[],
  { flags, positionals }: FixLine,
  io: CommandIo,
  leavesEdits: boolean,
): Promise<readonly FileProblem[]> {
  const directory = flags['output-dir'];
  if (flags.write) return writeFixedFiles(files, positionals, io, leavesEdits);
  if (directory !== undefined) return writeIntoDirectory(files, positionals, directory, io);
  if (flags.diff) io.stdout.write(diffText(files, paintFor(flags.color, io), io.stdoutColumns !== undefined));
  else if (flags.output === 'json') io.stdout.write(listOfObjects(files));
  else {
    // Named files need no comment that tells where they come from.
    const named = new Set([...positionals, STDIN_NAME]);
    io.stdout.write(yamlStream(files, named));
  }
  return [];
}

function isChanged({ before, after }: FixedFile): boolean {
  return before !== after;
}

function listOfObjects(files: readonly FixedFile[]): string {
  const items = files.flatMap(({ objects }) => objects);
  return `${jsonText({ apiVersion: 'v1', kind: 'List', items }, undefined, 2)}\n`;
}

function yamlStream(files: readonly FixedFile[], named: ReadonlySet<string>): string {
  let stream = '';
  for (const { file, after } of files) {
    const isFirst = stream === '';
    if (!isFirst && !stream.endsWith('\n')) stream += '\n';
    if (!named.has(file)) stream += withSource(after, file, isFirst);
    else stream += (isFirst ? '' : separatorBefore(after)) + after;
  }
  return stream;
}

/**
 * Puts the comment below the separator, as helm does, so that the comment belongs to the file's first document. A byte
 * order mark is dropped, because only the start of a stream may have one.
 */
function withSource(text: string, source: string, isFirst: boolean): string {
  const comment = `# Source: ${visible(source)}\n`;
  const [, marker, rest = ''] = /^\uFEFF?(---[ \t]*\r?\n)?(.*)$/s.exec(text) ?? [];
  if (marker !== undefined) return marker + comment + rest;
  return (isFirst ? '' : separatorBefore(rest)) + comment + rest;
}

/**
 * The line between documents and a text that follows: none when the text begins with a separator, an end mark before
 * directives.
 */
function separatorBefore(text: string): string {
  const first = text.split('\n').find((line) => line.trim() !== '' && !line.trimStart().startsWith('#')) ?? '';
  if (first.startsWith('%')) return '...\n';
  return first.startsWith('---') ? '' : '---\n';
}
