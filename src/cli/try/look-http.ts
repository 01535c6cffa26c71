import { isSuccess } from './answer.ts';
import { objectsAt } from '../../base/json/field-path.ts';
import { causeOfAnswer, asked, diagnosis, edit, type Diagnosis, type Finder, type Look } from './diagnosis.ts';
import { readHandler } from '../../engine/workload/read-probe.ts';
import type { ProbeToTry } from './planned-probes.ts';

/** The paths that are tried after a failure, beside those of the policies. No other path is ever asked. */
export const USUAL_PATHS: readonly string[] = (
  '/livez /readyz /healthz /health /health/live /health/ready /ping /up ' +
  '/-/healthy /-/ready /actuator/health/liveness /actuator/health/readiness /q/health/live /q/health/ready /api/health'
).split(' ');
/** So many paths in a row without an answer: a server that hangs on two paths hangs on all, and a person waits. */
const MOST_LATE = 2;
/** A server that gives this many of the paths a success gives it to every path. */
const CATCH_ALL = 8;

/** The other scheme, if the port speaks it; with a usual path, if the path of the probe does not answer. */
export async function wrongScheme(look: Look): Promise<Diagnosis | undefined> {
  const { handler } = look.planned;
  if (handler.kind !== 'httpGet') return undefined;
  const isHttps = handler.scheme === 'HTTPS';
  const scheme = isHttps ? 'HTTP' : 'HTTPS';
  const other = readHandler('httpGet', { ...handler.spec, scheme });
  const answer = await asked(look, other);
  // A server of TLS answers 400 to a request without it.
  if (answer?.code === undefined || (isHttps && answer.code === 400)) return undefined;
  const found = { ...look, cause: 'tls-mismatch', planned: { ...look.planned, handler: other } } as const;
  const edits = [edit(look, ['httpGet', 'scheme'], scheme)];
  const set = `set httpGet.scheme: ${scheme}.`;
  if (isSuccess(answer)) return diagnosis(found, `With ${scheme} the probe passes: ${set}`, edits);
  const path = await otherPath(found);
  const remedy = [`With ${scheme} the probe gets HTTP status ${answer.code}: ${set}`, path?.remedy];
  return diagnosis(found, remedy.filter(Boolean).join(' '), [...edits, ...(path?.edits ?? [])]);
}

/** Frameworks check the host, */
export const localHost: Finder = (look) =>
  otherHeader(look, 'Host', 'localhost', ', or let the application accept the address of the Pod');
/** and redirect requests that came without TLS. */
export const secureProto: Finder = (look) => otherHeader(look, 'X-Forwarded-Proto', 'https', '');

async function otherHeader(look: Look, name: string, value: string, also: string): Promise<Diagnosis | undefined> {
  const { handler } = look.planned;
  if (handler.kind !== 'httpGet') return undefined;
  if (handler.headers.some((header) => header.name.toLowerCase() === name.toLowerCase())) return undefined;
  const httpHeaders = [...objectsAt(handler.spec, 'httpHeaders'), { name, value }];
  const answer = await asked(look, readHandler('httpGet', { ...handler.spec, httpHeaders }));
  if (answer?.result !== 'success') return undefined;
  const remedy = `With the header ${name}: ${value} the probe passes: set it in httpGet.httpHeaders${also}.`;
  return diagnosis(look, remedy, [edit(look, ['httpGet', 'httpHeaders'], httpHeaders)]);
}

/** A usual path that answers. */
export async function otherPath(look: Look): Promise<Diagnosis | undefined> {
  const { planned, cause } = look;
  const { handler } = planned;
  if (handler.kind !== 'httpGet') return undefined;
  const { path: own = '/' } = handler;
  const good: string[] = [];
  let late = 0;
  for (const path of new Set([...planned.policyPaths, ...USUAL_PATHS])) {
    if (path === own || !isFor(path, planned, cause)) continue;
    const answer = await asked(look, readHandler('httpGet', { ...handler.spec, path }));
    if (answer === undefined) return undefined;
    // A redirect often leads to a login page.
    if (answer.result === 'success' && answer.redirectedTo === undefined) good.push(path);
    late = causeOfAnswer(answer, 'httpGet') === 'timeout' ? late + 1 : 0;
    if (late === MOST_LATE) break;
  }
  const [best, ...others] = good.toSorted((a, b) => rank(a, planned) - rank(b, planned));
  if (best === undefined || good.length >= CATCH_ALL) return undefined;
  const named = good.filter((path) => path !== best).join(', ');
  const also = named === '' ? '' : ` So ${others.length === 1 ? 'does' : 'do'} ${named}.`;
  const remedy = `${best} answers with success: set httpGet.path to it.${also}`;
  return diagnosis(look, remedy, [edit(look, ['httpGet', 'path'], best)]);
}

const READY = /ready|readiness/;
const LIVE = /live|healthy|ping|\/up$/;

/** A liveness probe never asks for readiness. An endpoint that is not healthy has no replacement for readiness. */
function isFor(path: string, { probe, policyPaths }: ProbeToTry, cause: Look['cause']): boolean {
  if (cause === 'http-5xx') return probe !== 'readinessProbe' && LIVE.test(path);
  return probe === 'readinessProbe' || policyPaths.includes(path) || !READY.test(path);
}

/** The policies' endpoints first, then a path that is named after the question of the probe. */
function rank(path: string, { probe, policyPaths }: ProbeToTry): number {
  const [own, other] = probe === 'readinessProbe' ? [READY, LIVE] : [LIVE, READY];
  const kind = own.test(path) ? 0 : other.test(path) ? 4 : 2;
  return (policyPaths.includes(path) && !other.test(path) ? 0 : 10) + kind + USUAL_PATHS.indexOf(path) / 100;
}
