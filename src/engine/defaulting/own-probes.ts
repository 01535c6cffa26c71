import { equalJson } from '../../base/json/json-value.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { quote } from '../../base/text/cut.ts';
import { sideEffectOf } from '../command/changes.ts';
import { HANDLER_DEFAULTS } from '../probe/api-defaults.ts';
import type { HandlerFields, HandlerKind, ProbeKind } from '../probe/probe.ts';
import { MOST_FAILURES, MOST_KILL_SECONDS } from '../time/bounds.ts';
import {
  failureThresholdFor,
  faultSpan,
  guaranteedStartSeconds,
  probeTiming,
  type ProbeTiming,
} from '../time/timing.ts';
import type { ProbeObject } from '../workload/pod.ts';
import { findPort, type ContainerPort } from '../workload/ports.ts';
import { explicitPort, causesOf, livenessHandler, policyHandler, probeWith, soundHandler } from './handler.ts';
import type { Evidence, HandlerResult } from './handler.ts';
import { withoutHandler, type HandlerProblem } from './not-injected.ts';
import type { GivenProbe } from './injection.ts';
import type { HandlerDefault } from '../policy/probe-policy.ts';
import { isAimed, type ContainerPolicy, type Given } from '../policy/container-policy.ts';

/**
 * A handler for a container, by what its author wrote (issue 30, A). The author's probes tell the kind of handler, the
 * port and the way to ask it. A policy's endpoint is a default, unless its layer is aimed at the container.
 */
export function handlerFor(
  evidence: Evidence,
  given: Given<HandlerDefault>,
  port: Given<number | string> | undefined,
): HandlerResult {
  const { own, contradiction } = evidence;
  const ports = evidence.container.readablePorts;
  if (contradiction !== undefined && given.value.kind === 'httpGet' && !isAimed(given.layer)) return contradiction;
  if (own.length === 0) return policyHandler(evidence, given, port);
  const { kind, fields } = given.value;
  const sameKind = own.filter(({ handler }) => handler.kind === kind);
  if (sameKind.length === 0)
    return isAimed(given.layer) ? policyHandler(evidence, given, port) : differs(evidence, kind);
  const [model, ...others] = sameKind.flatMap(({ kind: probe, written }): OwnHandler[] => {
    const sound = soundHandler(ports, written);
    return sound.problem === undefined && causesOf(written).length === 0
      ? [{ probe, fields: sound.handler.fields }]
      : [];
  });
  // A probe that cannot work, such as one of a misspelt port, or that the API server refuses tells the kind alone.
  if (model === undefined) return policyHandler(evidence, given, port);
  if (kind === 'exec') return { handler: { kind, fields } };
  const named = explicitPort(given, port);
  const isPortGiven = named !== undefined && isAimed(named.layer);
  if (kind !== 'httpGet' && isPortGiven) return policyHandler(evidence, given, port);
  const difference = differenceAmong(ports, model, others);
  if (isPortGiven) return likeModelOnSamePort(ports, policyHandler(evidence, given, port), given, difference, model);
  if (difference !== undefined) return { code: 'own-handler-differs', detail: difference };
  const isGiven = (field: string): boolean => isAimed(given.layer) && fields[field] !== undefined;
  const copied = FOLLOWED[kind].filter((field) => !isGiven(field) && model.fields[field] !== undefined);
  const follows = { kind: model.probe, fields: copied };
  return { handler: { kind, fields: merged(given, model, copied) }, follows };
}

/** The liveness or readiness probe of the policy for a container that has none, or why there is none. */
export function plainDefault(
  evidence: Evidence,
  policy: ContainerPolicy,
  kind: ProbeKind,
): GivenProbe | HandlerProblem {
  const { handler, integers, removedBy } = policy.probes[kind];
  if (handler === undefined) return withoutHandler(removedBy);
  const fitted = handlerFor(evidence, handler, policy.port);
  if (fitted.code !== undefined) return fitted;
  const startup = kind === 'livenessProbe' ? evidence.own.find((own) => own.kind === 'startupProbe') : undefined;
  const safe = startup && safeThreshold(probeTiming(integers), startup.numbers);
  if (typeof safe === 'object') return safe;
  const { follows, isPortAimed } = fitted;
  return {
    probe: probeWith(fitted.handler, safe === undefined ? integers : { ...integers, failureThreshold: safe }),
    source: handler.layer.source,
    ...(follows && { follows }),
    ...(isPortAimed && { isPortAimed }),
    ...(safe !== undefined && { isMadeSafe: true }),
  };
}

/**
 * The failureThreshold of an injected liveness probe that cannot kill a restarted container before the author's startup
 * probe asks (kubernetes/kubernetes#141155): max(0, D-1) + (F-1)*P >= P of the startup probe. Undefined when the
 * policy's number is large enough; a problem where a safe number would find a deadlock too late.
 */
function safeThreshold(timing: ProbeTiming, { periodSeconds }: ProbeTiming): number | HandlerProblem | undefined {
  if (guaranteedStartSeconds(timing) >= periodSeconds) return undefined;
  const needed = failureThresholdFor(periodSeconds, timing.initialDelaySeconds, timing.periodSeconds);
  const { latest } = faultSpan({ ...timing, failureThreshold: needed }, timing.timeoutSeconds);
  if (needed <= MOST_FAILURES.livenessProbe && latest <= MOST_KILL_SECONDS) return needed;
  return {
    code: 'startup-period-too-long',
    detail:
      `its startupProbe asks every ${periodSeconds} s, and after a restart this livenessProbe may kill it ` +
      `${guaranteedStartSeconds(timing)} s after the start; give the startupProbe a shorter periodSeconds`,
  };
}

/**
 * The path of an author's httpGet probe that differs from the policy's path for the same kind: the policy's convention
 * does not hold in this container (issue 38, B). Undefined where the policy names no path for the author's kinds.
 */
export function ownPathDiffers(own: Evidence['own'], { probes }: ContainerPolicy): HandlerProblem | undefined {
  for (const { kind, handler } of own) {
    const path = handler.kind === 'httpGet' ? handler.path : undefined;
    const given = probes[kind].handler?.value;
    const wanted = given?.kind === 'httpGet' ? given.fields.path : undefined;
    if (wanted === undefined || path === undefined || withSlash(path) === withSlash(wanted)) continue;
    const remedy = 'to inject them all the same, name the container in a policy with containers or workloadSelector';
    const asked = `its ${kind} asks ${quote(withSlash(path), MOST_PATH)}, and the policy's asks ${quote(wanted, MOST_PATH)}`;
    return { code: 'own-path-differs', detail: `${asked}, so the policy's paths do not hold here; ${remedy}` };
  }
  return undefined;
}

const MOST_PATH = 100;

/** The API server's default of a path is `/`, and the kubelet puts one before a path without it (net/url, String). */
const withSlash = (path: string): string => (path.startsWith('/') ? path : `/${path}`);

/** The handler of a probe of the author that can work. */
interface OwnHandler {
  readonly probe: ProbeKind;
  readonly fields: HandlerFields;
}

/** The fields that tell how to reach the server. `path` and `service` tell what to ask it. */
const FOLLOWED: Readonly<Record<HandlerKind, readonly string[]>> = {
  httpGet: ['port', 'host', 'scheme', 'httpHeaders', 'protocol'],
  tcpSocket: ['port', 'host'],
  grpc: ['port', 'mode'],
  exec: [],
};

/** What to ask is the policy's. How to reach the server is the author's, unless an aimed layer gives a field itself. */
function merged({ layer, value }: Given<HandlerDefault>, model: OwnHandler, copied: readonly string[]): HandlerFields {
  const { fields, kind } = value;
  const { path } = fields;
  const own = pick(model.fields, copied);
  const kept = Object.entries(fields).filter(([field]) => isAimed(layer) || !FOLLOWED[kind].includes(field));
  return { ...(path !== undefined && { path }), ...own, ...Object.fromEntries(kept) };
}

function pick(from: HandlerFields, fields: readonly string[]): HandlerFields {
  return Object.fromEntries(fields.map((field) => [field, from[field]]));
}

/** The author's probes of the kind disagree: nobody knows which of them is right about another probe. */
function differenceAmong(
  ports: readonly ContainerPort[],
  model: OwnHandler,
  others: readonly OwnHandler[],
): string | undefined {
  for (const other of others) {
    const field = ['port', 'scheme', 'host', 'httpHeaders', 'protocol', 'mode'].find(
      (name) => !equalJson(meaning(ports, model.fields, name), meaning(ports, other.fields, name)),
    );
    if (field === undefined) continue;
    // Headers may hold a password, and reasons are logged.
    const isShown = field !== 'httpHeaders';
    const [one, another] = [model, other].map(
      ({ probe, fields }) => `its ${probe}${isShown ? ` has ${field} ${quoted(fields[field] ?? null)}` : ''}`,
    );
    const problem = isShown ? `${one}, and ${another}` : `${one} and ${another} have different ${field}`;
    return `${problem}; ${PORT_REMEDY}`;
  }
  return undefined;
}

const PORT_REMEDY = 'name the port in a policy with containers or workloadSelector';

/** The value of a field with the API server's default, and the number of a port that the container declares. */
function meaning(ports: readonly ContainerPort[], fields: HandlerFields, field: string): unknown {
  const value = fields[field] ?? '';
  if (field === 'scheme' && value === '') return HANDLER_DEFAULTS.scheme;
  if (field === 'httpHeaders' && Array.isArray(value) && value.length === 0) return '';
  if (field !== 'port' || typeof value !== 'string') return value;
  return findPort(ports, value)?.number ?? value;
}

/** An aimed layer gives the port. Where the author asks the same port, scheme, host and headers are the author's. */
function likeModelOnSamePort(
  ports: readonly ContainerPort[],
  fitted: HandlerResult,
  { value: { fields } }: Given<HandlerDefault>,
  difference: string | undefined,
  model: OwnHandler,
): HandlerResult {
  if (fitted.code !== undefined || difference !== undefined) return fitted;
  const httpGet = fitted.handler.fields;
  if (meaning(ports, httpGet, 'port') !== meaning(ports, model.fields, 'port')) return fitted;
  const copied = FOLLOWED.httpGet.filter(
    (field) => field !== 'port' && fields[field] === undefined && model.fields[field] !== undefined,
  );
  return {
    ...fitted,
    handler: { kind: 'httpGet', fields: { ...httpGet, ...pick(model.fields, copied) } },
    follows: { kind: model.probe, fields: copied },
  };
}

function differs({ own }: Evidence, kind: HandlerKind): HandlerResult {
  const described = own.map((probe) => `its ${probe.kind} asks by ${probe.handler.kind}`);
  const remedy = 'a policy for this container names it in containers, or has a workloadSelector';
  const detail = `${described.join(', ')}; the policy asks by ${kind}; ${remedy}`;
  return { code: 'own-handler-differs', detail };
}

/** The startup probe beside the author's liveness probe asks the same. Only an aimed layer changes the HTTP path. */
export function likeOwnLiveness(
  { container }: Pick<Evidence, 'container'>,
  { written, command }: ProbeObject,
  given?: Given<HandlerDefault>,
): HandlerResult {
  const copied = livenessHandler(container.readablePorts, written);
  if (copied.code !== undefined) return copied;
  const { kind, fields } = copied.handler;
  if (kind === 'exec') return commandProblem(command) ?? copied;
  const isOther = kind === 'httpGet' && given?.value.kind === kind && isAimed(given.layer);
  const path = isOther ? given.value.fields.path : undefined;
  if (path === undefined || fields.path === path) return copied;
  const others = Object.keys(fields).filter((field) => field !== 'path');
  return { handler: { kind, fields: { ...fields, path } }, follows: { kind: 'livenessProbe', fields: others } };
}

/** Why a startup probe must not run a command of the author, as it would run the command from the first second. */
function commandProblem(command: ProbeObject['command']): HandlerProblem | undefined {
  const unread = 'the command of its livenessProbe is too long to be read';
  if (!command.isWhole) return { code: 'own-handler-acts', detail: unread };
  const effect = sideEffectOf(command);
  if (effect === undefined) return undefined;
  const doubt = `the command of its livenessProbe may have side effects (${quoted(effect)})`;
  return { code: 'own-handler-acts', detail: `${doubt}, so a startupProbe must not run it` };
}
