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
const MEMBERS: readonly string[] = [...REQUIRED_MEMBERS, OPTIONAL_MEMBER];

/** Entries are sorted by workload, so that a change of one workload changes one part of the file. */
const SORTED_BY = ['namespace', 'kind', 'name', 'container', 'probe', 'check'] as const;

/** The entries of a baseline, or the first problem with its text. */
type BaselineReading = { readonly entries: readonly FindingIdentity[] } | { readonly problem: string };

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

/** Reads the text of a baseline. A problem names the field and its value. */
export function readBaseline(text: string): BaselineReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `is not JSON: ${messageOf(error)}` };
  }
  if (!isJsonObject(value)) return wrong([], 'a JSON object', value);
  const unknown = unknownMember([], value, ['version', 'findings']);
  if (unknown !== undefined) return unknown;
  const version = member(value, 'version');
  if (version !== BASELINE_VERSION) return wrong(['version'], String(BASELINE_VERSION), version);
  const findings = member(value, 'findings');
  if (!Array.isArray(findings)) return wrong(['findings'], 'a list', findings);
  const entries: FindingIdentity[] = [];
  for (const [index, finding] of (findings as readonly unknown[]).entries()) {
    const entry = readEntry(['findings', index], finding);
    if ('problem' in entry) return entry;
    entries.push(entry);
  }
  return { entries };
}

function readEntry(path: FieldPath, value: unknown): FindingIdentity | { readonly problem: string } {
  if (!isJsonObject(value)) return wrong(path, 'an object', value);
  const unknown = unknownMember(path, value, MEMBERS);
  if (unknown !== undefined) return unknown;
  for (const name of REQUIRED_MEMBERS)
    if (!isText(member(value, name))) return wrong([...path, name], 'a text', member(value, name));
  const probe = member(value, OPTIONAL_MEMBER);
  if (probe !== undefined && !isText(probe)) return wrong([...path, OPTIONAL_MEMBER], 'a text', probe);
  return value as unknown as FindingIdentity;
}

const isText = (value: unknown): value is string => typeof value === 'string';

function unknownMember(
  path: FieldPath,
  value: JsonObject,
  known: readonly string[],
): { readonly problem: string } | undefined {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  return { problem: `${formatPath([...path, unknown])}: unknown field${didYouMean(unknown, known)}` };
}

function wrong(path: FieldPath, expected: string, value: unknown): { readonly problem: string } {
  const must = `must be ${expected}, not ${quoted(value)}`;
  return { problem: path.length === 0 ? must : `${formatPath(path)}: ${must}` };
}
