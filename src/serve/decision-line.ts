import { cut } from '../text/cut.ts';
import { jsonString } from '../text/json-text.ts';
import { objectMember, stringMember } from '../json/json-value.ts';
import { isoTime } from '../running/log.ts';
import type { Decision } from '../admission/decision.ts';
import type { AdmissionRequest } from '../admission/review.ts';
import type { Violation } from '../checks/violation.ts';
import type { Defaulting } from '../defaulting/default-probes.ts';
import type { Webhook } from '../server/metrics.ts';

/**
 * The log line about a decision, as pino would write the line, and safe to show. The line is built piece by piece, as
 * every request has such a line: JSON.stringify takes three times as long, and pino nine times.
 *
 * @param milliseconds the time from the first byte of the request to the decision
 */
export function decisionLine(
  webhook: Webhook,
  request: AdmissionRequest,
  { result, skipped, defaulting, violations, policies }: Decision,
  milliseconds: number,
): string {
  const { uid, operation, kind, namespace, userName, dryRun } = request;
  const version = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const name = nameOf(request);
  let line = `{"level":"info"${isoTime()},"webhook":"${webhook}","uid":${brief(uid)},"operation":${brief(operation)}`;
  line += `,"kind":${brief(`${version}/${kind.kind}`)},"namespace":${brief(namespace)}`;
  if (name !== undefined) line += `,"name":${brief(name)}`;
  line += `,"user":${brief(userName)},"dryRun":${dryRun},"result":"${result}"`;
  if (skipped !== undefined) line += `,"skipped":"${skipped}"`;
  if (policies !== undefined) line += policiesMember(policies);
  if (defaulting !== undefined) line += defaultingMembers(defaulting);
  if (violations !== undefined) line += list('violations', violations, violationText);
  return `${line},"durationMs":${Math.round(milliseconds * 1000) / 1000},"msg":"decision"}\n`;
}

/** The texts of lists of policies. Requests with the same policies in force share a list. */
const POLICIES_MEMBERS = new WeakMap<readonly string[], string>();

/** The last policies are of the highest layers. */
function policiesMember(policies: readonly string[]): string {
  let text = POLICIES_MEMBERS.get(policies);
  if (text === undefined)
    POLICIES_MEMBERS.set(policies, (text = list('policies', policies.slice(-MAX_LISTED), asText)));
  return text;
}

function defaultingMembers({ injections, notInjected, warnings }: Defaulting): string {
  return (
    list('injected', injections, ({ container, kind, source }) => `${container.name}.${kind} <- ${source}`) +
    list('notInjected', notInjected, ({ container, probe, code }) => dotted(container, probe, code)) +
    list('warnings', warnings, asText)
  );
}

function violationText({ check, container, probe, action, exception }: Violation): string {
  const by = exception === undefined ? '' : ` by ${exception.name}`;
  return `${check} ${dotted(container, probe)} ${action}${by}`;
}

/** The texts that exist and are not empty, with dots between them. */
function dotted(...texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join('.');
}

/** A Pod that a controller creates has no name yet, only the beginning of one. */
function nameOf({ name, object }: AdmissionRequest): string | undefined {
  if (name !== '') return name;
  const metadata = object && objectMember(object, 'metadata');
  if (metadata === undefined) return undefined;
  const generateName = stringMember(metadata, 'generateName');
  return stringMember(metadata, 'name') || (generateName && `${generateName}*`);
}

/** The caller decides how long these texts are: the API server has not validated them yet. */
const MAX_TEXT_LENGTH = 253;

function brief(text: string): string {
  return jsonString(cut(text, MAX_TEXT_LENGTH));
}

/** At most this many entries of a list: a Pod with thousands of containers must not write thousands of lines' worth. */
const MAX_LISTED = 50;

/** A member with a list of texts. Empty for an empty list. */
function list<T>(member: string, entries: readonly T[], text: (entry: T) => string): string {
  let texts = '';
  for (const entry of entries.length > MAX_LISTED ? entries.slice(0, MAX_LISTED) : entries)
    texts += `${texts === '' ? '' : ','}${jsonString(text(entry))}`;
  return texts === '' ? '' : `,"${member}":[${texts}]`;
}

const asText = (text: string): string => text;
