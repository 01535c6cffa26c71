import pino from 'pino';
import { cut } from '../text/cut.ts';
import { objectMember, stringMember } from '../json/json-value.ts';
import { isoTime } from '../running/log.ts';
import type { DestinationStream, Logger } from 'pino';
import type { Decision } from '../admission/decision.ts';
import type { AdmissionRequest } from '../admission/review.ts';
import type { RequestLog } from '../server/app.ts';
import type { Webhook } from '../server/metrics.ts';

/**
 * The level of every line about a request: a decision is info, an error of the caller is warn, an error of Probewright
 * is error. The object is never logged: environment variables hold secrets.
 */
export function requestLog(logger: Logger): RequestLog {
  const lines = (logger as unknown as Readonly<Record<symbol, DestinationStream>>)[pino.symbols.streamSym];
  if (lines === undefined) throw new Error('the logger has no stream');
  return {
    decided: (webhook, request, decision, milliseconds) => {
      if (logger.isLevelEnabled('info'))
        lines.write(decisionLine(decisionFields(webhook, request, decision, milliseconds)));
    },
    refused: (path, code, message) => {
      logger.warn({ path, code, error: cut(message, 500) }, 'request refused');
    },
    limited: (address, what) => {
      logger.warn({ address, what }, 'client uses more than its share');
    },
    failed: (path, error) => {
      logger.error({ path, err: error }, 'request failed');
    },
  };
}

/** The line that pino would write. Pino takes the fields one by one, which takes three times as long. */
function decisionLine(fields: Readonly<Record<string, unknown>>): string {
  return `{"level":"info"${isoTime()},${JSON.stringify(fields).slice(1, -1)},"msg":"decision"}\n`;
}

/**
 * The fields of a decision's log line. They are set one by one, as this runs for every request and spreading objects
 * takes longer.
 */
function decisionFields(
  webhook: Webhook,
  request: AdmissionRequest,
  { result, skipped, defaulting, violations, policies }: Decision,
  milliseconds: number,
): Record<string, unknown> {
  const { uid, operation, kind, namespace, userName, dryRun } = request;
  const fields: Record<string, unknown> = {
    webhook,
    uid: brief(uid),
    operation: brief(operation),
    kind: brief(kind.group === '' ? `${kind.version}/${kind.kind}` : `${kind.group}/${kind.version}/${kind.kind}`),
    namespace: brief(namespace),
    name: brief(nameOf(request)),
    user: brief(userName),
    dryRun,
    result,
  };
  if (skipped !== undefined) fields['skipped'] = skipped;
  if (policies !== undefined && policies.length > 0) fields['policies'] = policies.slice(-MAX_LISTED);
  if (defaulting !== undefined) {
    const { injections, notInjected, warnings } = defaulting;
    if (injections.length > 0)
      fields['injected'] = listed(
        injections,
        ({ container, kind: probe, source }) => `${container.name}.${probe} <- ${source}`,
      );
    if (notInjected.length > 0)
      fields['notInjected'] = listed(notInjected, ({ container, probe, code }) =>
        [container, probe, code].filter(Boolean).join('.'),
      );
    if (warnings.length > 0) fields['warnings'] = warnings.slice(0, MAX_LISTED);
  }
  if (violations !== undefined && violations.length > 0)
    fields['violations'] = listed(
      violations,
      ({ check, container, probe, action, exception }) =>
        `${check} ${[container, probe].filter(Boolean).join('.')} ${action}${exception === undefined ? '' : ` by ${exception.name}`}`,
    );
  fields['durationMs'] = Math.round(milliseconds * 1000) / 1000;
  return fields;
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

function brief<Text extends string | undefined>(text: Text): Text | string {
  return text === undefined ? text : cut(text, MAX_TEXT_LENGTH);
}

/** At most this many entries of a list: a Pod with thousands of containers must not write thousands of lines' worth. */
const MAX_LISTED = 50;

function listed<T>(entries: readonly T[], line: (entry: T) => string): string[] {
  return entries.slice(0, MAX_LISTED).map(line);
}
