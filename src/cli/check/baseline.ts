import { readUtf8File, refuseSpecialFile } from '../../base/files/regular-file.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { stringMember } from '../../base/json/json-value.ts';
import { nameOf, namespaceOf } from '../input/manifest.ts';
import { count } from '../../base/text/cut.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { baselineText, readBaseline } from './baseline-file.ts';
import { printLine, type CommandIo } from '../io.ts';
import { objectName, shownReport, withoutKnown } from './report.ts';
import type { Inputs } from '../input/inputs.ts';
import type { CheckReport, FindingIdentity, KnownFindings, Selection } from './report.ts';

interface BaselineFiles {
  /** The file whose findings are hidden. */
  readonly baseline: string | undefined;
  /** The file that gets the findings of this run. */
  readonly 'write-baseline': string | undefined;
}

interface BaselinedReport {
  readonly report: CheckReport;
  readonly known?: KnownFindings;
}

/**
 * Writes or applies a baseline, and reports entries that no finding matches. Undefined, after a message, when a file
 * cannot be read or written.
 */
export async function applyBaseline(
  report: CheckReport,
  files: BaselineFiles,
  selection: Selection,
  inputs: Inputs,
  io: CommandIo,
): Promise<BaselinedReport | undefined> {
  const { baseline, 'write-baseline': written } = files;
  // The entries of --baseline count for the errors of that file only: the new file has all current findings.
  const entries = baseline === undefined ? [] : await loadBaseline(baseline, io);
  if (entries === undefined) return undefined;
  if (written !== undefined) {
    // The end of an exception must show, so a baseline does not hide what an exception allows.
    const violations = shownReport(report, selection).violations.filter(({ action }) => action !== 'Excepted');
    const outcome = await writeBaseline(written, violations, report, io);
    if (outcome === 'failed') return undefined;
    if (outcome === 'skipped') return { report };
    const { report: unknown, known } = withoutKnown(report, violations);
    return { report: unknown, known: { baseline: written, findings: known } };
  }
  if (baseline === undefined) return { report };
  const { report: unknown, known, stale } = withoutKnown(report, entries);
  const isInput = inputTest(inputs);
  for (const line of staleLines(baseline, stale, isInput)) printLine(io.stderr, line);
  return { report: unknown, known: { baseline, findings: known } };
}

/** Reads the findings of a baseline. Undefined, after a message, when the file cannot be read. */
export async function loadBaseline(file: string, io: CommandIo): Promise<readonly FindingIdentity[] | undefined> {
  try {
    const text = await readUtf8File(file).catch((error: unknown) => {
      throw new Error(`cannot be read: ${messageOf(error)}`);
    });
    return readBaseline(text);
  } catch (error) {
    printLine(io.stderr, `${file}: ${messageOf(error)}`);
    return undefined;
  }
}

async function writeBaseline(
  file: string,
  findings: readonly FindingIdentity[],
  { problems }: CheckReport,
  io: CommandIo,
): Promise<'written' | 'skipped' | 'failed'> {
  if (problems.length > 0) {
    // The file would lose the entries of the input.
    printLine(io.stderr, `${file}: is not written, because an input cannot be read`);
    return 'skipped';
  }
  try {
    // Replacing would turn a device such as /dev/null into a file.
    await refuseSpecialFile(file);
    await replaceFile(file, baselineText(findings));
    return 'written';
  } catch (error) {
    printLine(io.stderr, `${file}: cannot be written: ${messageOf(error)}`);
    return 'failed';
  }
}

/** Returns a test for entries about objects of the inputs. Every run reads all policies that apply. */
function inputTest({ texts, namespace: given }: Inputs): (entry: FindingIdentity) => boolean {
  const objects = texts.flatMap(({ manifests }) => manifests.map(({ object }) => object));
  const known = new Set(
    objects.map((object) => {
      const kind = stringMember(object, 'kind') ?? '';
      return objectKey({ kind, namespace: namespaceOf(object) ?? given, name: nameOf(object) });
    }),
  );
  return (entry) => entry.kind.endsWith('ProbePolicy') || known.has(objectKey(entry));
}

function objectKey({ kind, namespace, name }: Pick<FindingIdentity, 'kind' | 'namespace' | 'name'>): string {
  return JSON.stringify([kind, namespace, name]);
}

const MOST_LISTED = 10;

/**
 * Reports entries of a baseline that no finding matches, a line each. A run over some of the files cannot tell whether
 * an entry about another workload is stale, so such entries are only counted.
 *
 * @param isInput true for an entry about a workload among the inputs
 */
function staleLines(
  file: string,
  stale: readonly FindingIdentity[],
  isInput: (entry: FindingIdentity) => boolean,
): readonly string[] {
  const ofInputs = stale.filter(isInput);
  const lines = ofInputs.slice(0, MOST_LISTED).map((entry) => `${file}: no longer found: ${described(entry)}`);
  const more = ofInputs.length - lines.length;
  if (more > 0) lines.push(`${file}: no longer found: ${count(more, 'more finding')}`);
  if (ofInputs.length > 0) lines.push(`${file}: --write-baseline ${file} removes such entries`);
  const others = stale.length - ofInputs.length;
  if (others > 0) lines.push(`${file}: ${count(others, 'known finding')} of workloads that are not among the inputs`);
  return lines;
}

function described(entry: FindingIdentity): string {
  const place = [entry.container, entry.probe ?? ''].filter((part) => part !== '').join('.');
  return `${entry.check} of ${objectName(entry)}${place === '' ? '' : ` ${place}`}`;
}
