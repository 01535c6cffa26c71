import { formatPath, type FieldPath } from '../../base/json/field-path.ts';
import { isJsonObject, member, type JsonObject } from '../../base/json/json-value.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { jsonText } from '../../base/text/visible.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import { staleLines, withoutKnown } from './known-findings.ts';
import type { CheckReport, FindingIdentity, PlacedViolation } from './report.ts';
import { readUtf8File, refuseSpecialFile } from '../../base/files/regular-file.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { printLine, type CommandIo } from '../io.ts';
import type { FlagValues } from '../flags/flag.ts';
import type { CHECK } from './definition.ts';
import type { NamedInputs } from '../input/live.ts';

/** The version of the file's format. */
export const BASELINE_VERSION = 1;

/** The members of an entry, in the order of the file. */
export const REQUIRED_MEMBERS = ['check', 'kind', 'namespace', 'name', 'container'] as const;
export const OPTIONAL_MEMBER = 'probe';
const MEMBERS = [...REQUIRED_MEMBERS, OPTIONAL_MEMBER] as const;

/** Entries are sorted by workload, so that a change of one workload changes one part of the file. */
const SORTED_BY = ['namespace', 'kind', 'name', 'container', 'probe', 'check'] as const;

/** Returns the text of a baseline: sorted JSON, equal for equal findings. */
export function baselineText(findings: readonly FindingIdentity[]): string {
  // JSON leaves out a probe that is undefined.
  const entries = findings
    .toSorted(compared)
    .map((finding) => Object.fromEntries(MEMBERS.map((name) => [name, finding[name]])));
  return `${jsonText({ version: BASELINE_VERSION, findings: entries }, undefined, 2)}\n`;
}

function compared(a: FindingIdentity, b: FindingIdentity): number {
  for (const part of SORTED_BY) {
    const [left, right] = [a[part] ?? '', b[part] ?? ''];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/**
 * Reads the text of a baseline.
 *
 * @throws Error that names the field and its value
 */
export function readBaseline(text: string): readonly FindingIdentity[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`is not JSON: ${messageOf(error)}`, { cause: error });
  }
  const file = objectOf([], 'a JSON object', value, ['version', 'findings']);
  const version = member(file, 'version');
  if (version !== BASELINE_VERSION) throw wrong(['version'], String(BASELINE_VERSION), version);
  const findings = member(file, 'findings');
  if (!Array.isArray(findings)) throw wrong(['findings'], 'a list', findings);
  return (findings as readonly unknown[]).map((finding, index) => readEntry(['findings', index], finding));
}

function readEntry(path: FieldPath, value: unknown): FindingIdentity {
  const entry = objectOf(path, 'an object', value, MEMBERS);
  for (const name of MEMBERS) {
    const text = member(entry, name);
    const isMissing = text === undefined && name === OPTIONAL_MEMBER;
    if (typeof text !== 'string' && !isMissing) throw wrong([...path, name], 'a text', text);
  }
  return entry as unknown as FindingIdentity;
}

function objectOf(path: FieldPath, expected: string, value: unknown, known: readonly string[]): JsonObject {
  if (!isJsonObject(value)) throw wrong(path, expected, value);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return value;
  throw new Error(`${formatPath([...path, unknown])}: unknown field${didYouMean(unknown, known)}`);
}

function wrong(path: FieldPath, expected: string, value: unknown): Error {
  return new Error(`${path.length === 0 ? '' : `${formatPath(path)}: `}must be ${expected}, not ${quoted(value)}`);
}

/**
 * Writes or applies a baseline, and reports entries that no finding matches. Undefined, after a message, when a file
 * cannot be read or written.
 *
 * @param found the findings that the command line selects: the entries of a new file
 */
export async function applyBaseline(
  report: CheckReport,
  found: readonly PlacedViolation[],
  { baseline, 'write-baseline': written }: Pick<FlagValues<typeof CHECK.flags>, 'baseline' | 'write-baseline'>,
  given: NamedInputs,
  io: CommandIo,
): Promise<CheckReport | undefined> {
  const file = written ?? baseline;
  if (file === undefined) return report;
  // The file would lose the entries of the input.
  const isIncomplete = written !== undefined && report.problems.length > 0;
  let entries: readonly FindingIdentity[];
  try {
    // The entries of --baseline count for the errors of that file only: the new file has all current findings.
    const read = baseline === undefined ? [] : await loadBaseline(baseline);
    if (written !== undefined && !isIncomplete) await writeFindings(written, baselineText(found));
    entries = written === undefined ? read : found;
  } catch (error) {
    printLine(io.stderr, messageOf(error));
    return undefined;
  }
  if (isIncomplete) {
    printLine(io.stderr, `${file}: is not written, because an input cannot be read`);
    return report;
  }
  const { violations, known, stale } = withoutKnown(report.violations, entries);
  for (const line of staleLines(file, stale, given)) printLine(io.stderr, line);
  return { ...report, violations, known: { baseline: file, findings: known } };
}

/** Reads the findings of a baseline. An error begins with the file. */
export async function loadBaseline(file: string): Promise<readonly FindingIdentity[]> {
  try {
    const text = await readUtf8File(file).catch((error: unknown) => {
      throw new Error(`cannot be read: ${messageOf(error)}`, { cause: error });
    });
    return readBaseline(text);
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Writes a file about findings. An error begins with the file. */
export async function writeFindings(file: string, text: string): Promise<void> {
  try {
    // Replacing would turn a device such as /dev/null into a file.
    await refuseSpecialFile(file);
    await replaceFile(file, text);
  } catch (error) {
    throw new Error(`${file}: cannot be written: ${messageOf(error)}`, { cause: error });
  }
}
