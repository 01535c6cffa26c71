import { looksLikeController } from './review/trusted-controllers.ts';
import { cut } from '../base/text/cut.ts';
import { controllerOwners } from '../engine/workload/controller-owner.ts';
import { destinationOf } from '../process/log.ts';
import { decisionLine } from './decision-line.ts';
import type { Logger } from 'pino';
import type { AdmissionRequest } from './review/review.ts';
import type { TrustedControllers } from './review/trusted-controllers.ts';
import type { RequestLog } from './http/app.ts';

/**
 * The level of every line about a request: a decision is info, an error of the caller is warn, an error of Probewright
 * is error. The object is never logged: environment variables hold secrets.
 */
export function requestLog(logger: Logger, controllers: TrustedControllers): RequestLog {
  const lines = destinationOf(logger);
  const noteController = untrustedControllers(logger, controllers);
  return {
    decided: (webhook, request, decision, milliseconds) => {
      if (webhook === 'validate') noteController(request);
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

/** Tenants choose the names of their service accounts, so only the first ones are named. */
const MOST_ACCOUNTS = 100;

/** Names each account once that looks like a controller and is not trusted. */
function untrustedControllers(logger: Logger, controllers: TrustedControllers): (request: AdmissionRequest) => void {
  const named = new Set<string>();
  return (request) => {
    const { userName, namespace, kind } = request;
    if (named.size >= MOST_ACCOUNTS || named.has(userName) || !looksLikeController(request, controllers)) return;
    named.add(userName);
    const owners = controllerOwners(request.object ?? {}).map((owner) => `${owner.apiVersion}/${owner.kind}`);
    logger.warn(
      {
        user: cut(userName, 253),
        namespace: cut(namespace, 253),
        kind: cut(kind.kind, 253),
        owner: cut(owners.join(), 253),
      },
      'the account looks like a controller, but its controller references do not count',
    );
  };
}
