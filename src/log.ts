import pino from 'pino';
import { objectMember, stringMember } from './probes/json.ts';
import type { DestinationStream, Logger } from 'pino';
import type { Decision } from './admission/decision.ts';
import type { AdmissionRequest } from './admission/review.ts';
import type { RequestLog } from './server/app.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A JSON logger: one line an event, a constant message plus fields. */
export function createLogger(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

let second = NaN;
let secondText = '';

/** As pino.stdTimeFunctions.isoTime, which makes a date of every line: the lines of one second share all but the milliseconds. */
function isoTime(): string {
  const now = Date.now();
  if (Math.floor(now / 1000) !== second) {
    second = Math.floor(now / 1000);
    secondText = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
  }
  return `,"time":"${secondText}${String(now - second * 1000).padStart(3, '0')}Z"`;
}

/**
 * The level of every line about a request: decisions are info, what a caller did wrong is warn, what we did wrong is error. The object
 * is never logged: environment variables hold secrets.
 */
export function requestLog(logger: Logger): RequestLog {
  return {
    decided: (webhook, request, decision, milliseconds) => {
      logger.info(
        {
          webhook,
          ...requestFields(request),
          ...decisionFields(decision),
          durationMs: Math.round(milliseconds * 1000) / 1000,
        },
        'decision',
      );
    },
    refused: (path, code, message) => {
      logger.warn({ path, code, error: message.slice(0, 500) }, 'request refused');
    },
    failed: (path, error) => {
      logger.error({ path, err: error }, 'request failed');
    },
  };
}

function requestFields(request: AdmissionRequest): Record<string, unknown> {
  const { uid, operation, kind, namespace, userName, dryRun } = request;
  const metadata = request.object && objectMember(request.object, 'metadata');
  const generateName = metadata && stringMember(metadata, 'generateName');
  return {
    uid: cut(uid),
    operation: cut(operation),
    kind: cut(kind.group === '' ? `${kind.version}/${kind.kind}` : `${kind.group}/${kind.version}/${kind.kind}`),
    namespace,
    name: cut(request.name || (metadata && stringMember(metadata, 'name')) || (generateName && `${generateName}*`)),
    user: cut(userName),
    dryRun,
  };
}

/** Whoever asks us says how long these are: the API server has not looked at them yet. */
const MAX_TEXT_LENGTH = 253;

function cut<Text extends string | undefined>(text: Text): Text | string {
  return text === undefined || text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}...`;
}

/** At most this many entries of a list: a Pod with thousands of containers must not write thousands of lines' worth. */
const MAX_LISTED = 50;

function decisionFields({ result, skipped, defaulting, violations, policies }: Decision): Record<string, unknown> {
  return {
    result,
    ...(skipped && { skipped }),
    ...(policies && policies.length > 0 && { policies: policies.slice(-MAX_LISTED) }),
    ...(defaulting &&
      defaulting.injections.length > 0 && {
        injected: defaulting.injections
          .slice(0, MAX_LISTED)
          .map(({ container, kind, source }) => `${container.name}.${kind} <- ${source}`),
      }),
    ...(defaulting &&
      defaulting.notInjected.length > 0 && {
        notInjected: defaulting.notInjected
          .slice(0, MAX_LISTED)
          .map(({ container, probe, code }) => [container, probe, code].filter(Boolean).join('.')),
      }),
    ...(violations &&
      violations.length > 0 && {
        violations: violations
          .slice(0, MAX_LISTED)
          .map(
            ({ check, container, probe, action }) =>
              `${check} ${[container, probe].filter(Boolean).join('.')} ${action}`,
          ),
      }),
    ...(defaulting && defaulting.warnings.length > 0 && { warnings: defaulting.warnings.slice(0, MAX_LISTED) }),
  };
}
