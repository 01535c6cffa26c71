import { cut } from '../text/cut.ts';
import { destinationOf } from '../running/log.ts';
import { decisionLine } from './decision-line.ts';
import type { Logger } from 'pino';
import type { RequestLog } from '../server/app.ts';

/**
 * The level of every line about a request: a decision is info, an error of the caller is warn, an error of Probewright
 * is error. The object is never logged: environment variables hold secrets.
 */
export function requestLog(logger: Logger): RequestLog {
  const lines = destinationOf(logger);
  return {
    decided: (webhook, request, decision, milliseconds) => {
      if (logger.isLevelEnabled('info')) lines.write(decisionLine(webhook, request, decision, milliseconds));
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
