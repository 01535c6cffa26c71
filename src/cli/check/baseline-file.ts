import { formatPath, type FieldPath } from '../../base/json/field-path.ts';
import { isJsonObject, member, type JsonObject } from '../../base/json/json-value.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { jsonText } from '../../base/text/visible.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import type { FindingIdentity } from './report.ts';

/** The version of the file's format. */
export const BASELINE_VERSION = 1;

/** The members of an entry, in the order of the file. */
export const REQUIRED_MEMBERS = ['check', 'kind', 'namespace', 'name', 'container'] as const;
export const OPTIONAL_MEMBER = 'probe';

/** Entries are sorted by workload, so that a change of one workload changes one part of the file. */
const SORTED_BY = ['namespace', 'kind', 'name', 'container', 'probe', 'check'] as const;

/** Returns the text of a baseline: sorted JSON, equal for equal findings. */
export function baselineText(findings: readonly FindingIdentity[]): string {
  const entries = findings.toSorted(compared).map(({ check, kind, namespace, name, container, probe }) => ({
    check,
    kind,
    namespace,
    name,
    container,
    ...(probe !== undefined && { probe }),
  }));
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
  const entry = objectOf(path, 'an object', value, [...REQUIRED_MEMBERS, OPTIONAL_MEMBER]);
  for (const name of [...REQUIRED_MEMBERS, OPTIONAL_MEMBER]) {
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
