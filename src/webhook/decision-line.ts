import { cut } from '../base/text/cut.ts';
import { jsonString } from '../base/text/json-text.ts';
import { objectMember, stringMember } from '../base/json/json-value.ts';
import { isoTime } from '../process/log.ts';
import type { Decision } from './review/decision.ts';
import type { AdmissionRequest } from './review/review.ts';
import type { Violation } from '../engine/checks/violation.ts';
import type { Defaulting } from '../engine/defaulting/default-probes.ts';
import type { Webhook } from './http/metrics.ts';

/**
 * The log line about a decision, as pino would write the line, and safe to show. The line is built piece by piece, as
 * every request has such a line: JSON.stringify takes longer, and pino several times as long.
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
  const line = ['{"level":"info"', isoTime(), ',"webhook":"', webhook, '","uid":', brief(uid)];
  line.push(',"operation":', brief(operation), ',"kind":', brief(`${version}/${kind.kind}`));
  line.push(',"namespace":', brief(namespace));
  if (name !== undefined) line.push(',"name":', brief(name));
  line.push(',"user":', brief(userName), ',"dryRun":', String(dryRun), ',"result":"', result, '"');
  if (skipped !== undefined) line.push(',"skipped":"', skipped, '"');
  if (policies !== undefined) line.push(policiesMember(policies));
  if (defaulting !== undefined) addDefaulting(line, defaulting);
  if (violations !== undefined) addList(line, 'violations', violations, violationText);
  line.push(',"durationMs":', String(Math.round(milliseconds * 1000) / 1000), ',"msg":"decision"}\n');
  return line.join('');
}

/** The texts of lists of policies. Requests with the same policies in force share a list. */
const POLICIES_MEMBERS = new WeakMap<readonly string[], string>();

/** The last policies are of the highest layers. */
function policiesMember(policies: readonly string[]): string {
  let text = POLICIES_MEMBERS.get(policies);
  if (text === undefined) {
    const pieces: string[] = [];
    addList(pieces, 'policies', policies.slice(-MAX_LISTED), asText);
    POLICIES_MEMBERS.set(policies, (text = pieces.join('')));
  }
  return text;
}

function addDefaulting(line: string[], { injections, notInjected, warnings }: Defaulting): void {
  addList(line, 'injected', injections, ({ container, kind, source }) => `${container.name}.${kind} <- ${source}`);
  addList(line, 'notInjected', notInjected, ({ container, probe, code }) => dotted(container, probe, code));
  addList(line, 'warnings', warnings, asText);
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

/** Adds a member with a list of texts. Adds nothing for an empty list. */
function addList<T>(line: string[], member: string, entries: readonly T[], text: (entry: T) => string): void {
  if (entries.length === 0) return;
  line.push(',"', member, '":[');
  for (let at = 0; at < entries.length && at < MAX_LISTED; at++)
    line.push(at === 0 ? '' : ',', jsonString(text(entries[at] as T)));
  line.push(']');
}

const asText = (text: string): string => text;
