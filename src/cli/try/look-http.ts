import { isSuccess } from './answer.ts';
import { askHttp, httpRequestOf } from './ask.ts';
import { LOOK_MILLISECONDS, USUAL_PATHS, type Diagnosis, type Look } from './diagnosis.ts';
import { probeField, type PlannedProbe } from './planned-probes.ts';
import { causeOfAnswer, type TryCause } from './cause.ts';
import type { HttpProbe } from './http-probe.ts';

const MOST_LATE = 2;
/** A server that gives this many of the paths a success gives it to every path. */
const CATCH_ALL = 8;
/** The other scheme, if the port speaks it; with a usual path, if the path of the probe does not answer. */
export async function wrongScheme(look: Look, port: number): Promise<Diagnosis | undefined> {
  const { planned, target } = look;
  if (planned.handlerKind !== 'httpGet') return undefined;
  const request = httpRequestOf(planned, port);
  const other = { ...request, isHttps: !request.isHttps };
  const answer = await askHttp(target, other, LOOK_MILLISECONDS);
  if ('notRun' in answer || answer.code === undefined) return undefined;
  // A server of TLS answers 400 to a request without it.
  if (request.isHttps && answer.code === 400) return undefined;
  const value = request.isHttps ? 'HTTP' : 'HTTPS';
  const edit = { path: probeField(planned, planned.handlerKind, 'scheme'), value };
  const cause = 'tls-mismatch';
  if (isSuccess(answer))
    return { cause, remedy: `With ${value} the probe passes: set httpGet.scheme: ${value}.`, edits: [edit] };
  const path = await otherPath(look, other, cause);
  const remedy = `With ${value} the probe gets HTTP status ${answer.code}: set httpGet.scheme: ${value}.`;
  return {
    cause,
    remedy: path === undefined ? remedy : `${remedy} ${path.remedy}`,
    edits: [edit, ...(path?.edits ?? [])],
  };
}

/** A header with which the probe passes: frameworks check the host, and redirect requests that came without TLS. */
export async function otherHeader(
  { planned, target }: Look,
  request: HttpProbe,
  cause: TryCause,
  name: string,
  value: string,
): Promise<Diagnosis | undefined> {
  if (request.headers.some(([given]) => given.toLowerCase() === name.toLowerCase())) return undefined;
  const headers = [...request.headers, [name, value] as const];
  const answer = await askHttp(target, { ...request, headers }, LOOK_MILLISECONDS);
  if ('notRun' in answer || answer.result !== 'success') return undefined;
  const also = name === 'Host' ? ', or let the application accept the address of the Pod' : '';
  return {
    cause,
    remedy: `With the header ${name}: ${value} the probe passes: set it in httpGet.httpHeaders${also}.`,
    edits: [
      {
        path: probeField(planned, 'httpGet', 'httpHeaders'),
        value: headers.map(([header, content]) => ({ name: header, value: content })),
      },
    ],
  };
}

/** A usual path that answers. */
export async function otherPath(
  { planned, target }: Look,
  request: HttpProbe,
  cause: TryCause,
): Promise<Diagnosis | undefined> {
  const paths = [...new Set([...planned.policyPaths, ...USUAL_PATHS])].filter(
    (path) => path !== request.path && isFor(path, planned, cause),
  );
  const good: string[] = [];
  let late = 0;
  for (const path of paths) {
    const answer = await askHttp(target, { ...request, path }, LOOK_MILLISECONDS);
    if ('notRun' in answer) return undefined;
    if (answer.result === 'success') good.push(path);
    // A server that hangs on two paths hangs on all, and a person waits.
    late = causeOfAnswer(answer) === 'timeout' ? late + 1 : 0;
    if (late === MOST_LATE) break;
  }
  const [best] = good.toSorted((a, b) => rank(a, planned) - rank(b, planned));
  if (best === undefined || good.length >= CATCH_ALL) return undefined;
  const others = good.filter((path) => path !== best);
  const also = others.length === 0 ? '' : ` So ${others.length === 1 ? 'does' : 'do'} ${others.join(', ')}.`;
  return {
    cause,
    remedy: `${best} answers with success: set httpGet.path to it.${also}`,
    edits: [{ path: probeField(planned, 'httpGet', 'path'), value: best }],
  };
}

const READY = /ready|readiness/;
const LIVE = /live|healthy|ping|\/up$/;

/** A liveness probe never asks for readiness. An endpoint that is not healthy has no replacement for readiness. */
function isFor(path: string, { probe, policyPaths }: PlannedProbe, cause: TryCause): boolean {
  if (cause === 'http-5xx') return probe !== 'readinessProbe' && LIVE.test(path);
  return probe === 'readinessProbe' || policyPaths.includes(path) || !READY.test(path);
}

/** The policies' endpoints first, then a path that is named after the question of the probe. */
function rank(path: string, { probe, policyPaths }: PlannedProbe): number {
  const [own, other] = probe === 'readinessProbe' ? [READY, LIVE] : [LIVE, READY];
  const kind = own.test(path) ? 0 : other.test(path) ? 4 : 2;
  return (policyPaths.includes(path) && !other.test(path) ? 0 : 10) + kind + USUAL_PATHS.indexOf(path) / 100;
}
