import { isDeepStrictEqual } from 'node:util';
import { looksLikeController, serviceAccountNamespace, type TrustedControllers } from './review/trusted-controllers.ts';
import { cut } from '../base/text/cut.ts';
import { controllerOwners, namesOf } from '../engine/workload/workload-of-pod.ts';
import type { Logger } from 'pino';
import type { AdmissionRequest, Decision, Webhook } from './review/decision.ts';
import type { Violation } from '../engine/checks/violation.ts';
import type { ReviewLog } from './http/review-endpoint.ts';

/** What is said about requests. */
export interface RequestLog extends ReviewLog {
  /** A request that the server rejected with a 4xx: not a v1 AdmissionReview, too large, or too late. */
  refused(path: string, code: number, message: string): void;
  /** The server closed a connection, or refused a body, because the client's address uses more than its share. */
  limited(address: string): void;
}

/** A client that loses thousands of connections has one line a minute. */
const LIMITED_MILLISECONDS = 60_000;

/** An error of the caller is warn, one of Probewright is error. Objects are never logged: they hold secrets. */
export function requestLog(logger: Logger, controllers: TrustedControllers, monotonic: () => number): RequestLog {
  const noteController = untrustedControllers(logger, controllers, monotonic);
  let limitedUntil = -Infinity;
  return {
    decided: (webhook, request, decision, milliseconds) => {
      if (webhook === 'validate') noteController(request, decision.result === 'deny');
      if (logger.isLevelEnabled('info'))
        logger.info(decisionFields(webhook, request, decision, milliseconds), 'decision');
    },
    refused: (path, code, message) => logger.warn({ path, code, error: cut(message, 500) }, 'request refused'),
    limited: (address) => {
      if (monotonic() < limitedUntil) return;
      limitedUntil = monotonic() + LIMITED_MILLISECONDS;
      logger.warn({ address, what: 'dropped' }, 'client uses more than its share');
    },
    failed: (path, error) => logger.error({ path, err: error }, 'request failed'),
  };
}

function decisionFields(
  webhook: Webhook,
  request: AdmissionRequest,
  { result, skipped, defaulting, violations, policies, wouldBe }: Decision,
  milliseconds: number,
): object {
  const { uid, operation, kind, namespace, userName, dryRun } = request;
  const found = listed(violations, violationText);
  const atTop = wouldBe === undefined ? found : listed(wouldBe.violations ?? violations, violationText);
  const version = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  return {
    webhook,
    uid: brief(uid),
    operation: brief(operation),
    kind: brief(`${version}/${kind.kind}`),
    namespace: brief(namespace),
    name: nameOf(request),
    user: brief(userName),
    dryRun,
    result,
    wouldBe: wouldBe?.result === result ? undefined : wouldBe?.result,
    skipped,
    // The last policies are of the highest layers.
    policies: listed(policies?.slice(-MAX_LISTED), (policy) => policy),
    [wouldBe?.result === 'mutate' ? 'wouldInject' : 'injected']: listed(
      defaulting?.injections,
      ({ container, kind: probe, source }) => `${container.name}.${probe} <- ${source}`,
    ),
    notInjected: listed(defaulting?.notInjected, ({ container, probe, code }) => dotted(container, probe, code)),
    warnings: listed(defaulting?.warnings, (warning) => warning),
    violations: found,
    wouldBeViolations: isDeepStrictEqual(found, atTop) ? undefined : (atTop ?? []),
    durationMs: Math.round(milliseconds * 1000) / 1000,
  };
}

function violationText({ check, container, probe, action, exception }: Violation): string {
  const by = exception === undefined ? '' : ` by ${exception.name}`;
  return `${check} ${dotted(container, probe)} ${action}${by}`;
}

const dotted = (...texts: readonly (string | undefined)[]): string => texts.filter(Boolean).join('.');

function nameOf({ name, object }: AdmissionRequest): string | undefined {
  const own = namesOf(object ?? {});
  const known = name || own.name || (own.generateName && `${own.generateName}*`);
  return known === undefined ? undefined : brief(known);
}

/** The caller decides how long these texts are: the API server has not validated them yet. */
const MAX_TEXT_LENGTH = 253;

const brief = (text: string): string => cut(text, MAX_TEXT_LENGTH);

/** At most this many entries of a list: a Pod with thousands of containers must not write thousands of lines' worth. */
const MAX_LISTED = 50;

function listed<T>(entries: readonly T[] | undefined, text: (entry: T) => string): readonly string[] | undefined {
  return entries === undefined || entries.length === 0 ? undefined : entries.slice(0, MAX_LISTED).map(text);
}

/**
 * A tenant invents accounts in its own namespaces, so each namespace of accounts has a share of its own. After a day
 * all shares begin again, so nobody fills them for good. A day has at most 10,000 such lines.
 */
const NAMED = { accounts: 10, namespaces: 1000, milliseconds: 86_400_000 } as const;

/** Names each account once a day that looks like a controller and is not trusted. */
function untrustedControllers(
  logger: Logger,
  controllers: TrustedControllers,
  monotonic: () => number,
): (request: AdmissionRequest, isDenied: boolean) => void {
  const named = new Map<string, Set<string>>();
  let until = -Infinity;
  return (request, isDenied) => {
    const { userName, namespace, kind } = request;
    if (!looksLikeController(request, controllers, isDenied)) return;
    if (monotonic() >= until) {
      named.clear();
      until = monotonic() + NAMED.milliseconds;
    }
    const home = serviceAccountNamespace(userName) ?? '';
    const ofHome = named.get(home) ?? new Set();
    if (ofHome.has(userName) || ofHome.size >= NAMED.accounts) return;
    if (ofHome.size === 0 && named.size >= NAMED.namespaces) return;
    named.set(home, ofHome.add(userName));
    const owners = controllerOwners(request.object ?? {}).map((owner) => `${owner.apiVersion}/${owner.kind}`);
    logger.warn(
      { user: brief(userName), namespace: brief(namespace), kind: brief(kind.kind), owner: brief(owners.join()) },
      'the account looks like a controller, but its controller references do not count',
    );
  };
}
