import { causesOfEach, forbidden, invalid, notSupported, required } from './api-cause.ts';
import { goInteger, goLength, goObjects, goPointer, goString } from './go-values.ts';
import { portCauses, portNumberCauses } from './port-rules.ts';
import { HANDLER_KINDS } from './probe.ts';
import type { ApiCause } from './api-cause.ts';
import type { JsonObject } from './json.ts';

type ActionRule = (action: JsonObject, path: string) => ApiCause[];

const ACTION_RULES: Readonly<Record<string, ActionRule>> = {
  exec: execCauses,
  httpGet: httpGetCauses,
  tcpSocket: (action, path) => portCauses(action, `${path}.port`),
  grpc: (action, path) => portNumberCauses(goInteger(action, 'port'), `${path}.port`),
};

/** The handlers of a container's hooks. What is inside `sleep` has nothing to do with probes and is not looked at. */
const HOOK_HANDLER_KINDS = ['exec', 'httpGet', 'tcpSocket', 'sleep'];

/** A probe's handler: exactly one. */
export function probeHandlerCauses(probe: JsonObject, path: string): ApiCause[] {
  return handlerCauses(probe, HANDLER_KINDS, path);
}

/** A container's hooks (validation.go, validateLifecycle): the same handlers as a probe's, save that sleep stands for grpc. */
export function lifecycleCauses(container: JsonObject, path: string): ApiCause[] {
  const lifecycle = goPointer(container, 'lifecycle');
  if (lifecycle === undefined) return [];
  return ['postStart', 'preStop'].flatMap((hook) => {
    const handler = goPointer(lifecycle, hook);
    return handler === undefined ? [] : handlerCauses(handler, HOOK_HANDLER_KINDS, `${path}.lifecycle.${hook}`);
  });
}

/** The first handler is validated, the later ones are forbidden whatever they say (validation.go, validateHandler). */
function handlerCauses(handler: JsonObject, kinds: readonly string[], path: string): ApiCause[] {
  let causes: ApiCause[] | undefined;
  for (const kind of kinds) {
    const action = goPointer(handler, kind);
    if (action === undefined) continue;
    if (causes === undefined) causes = ACTION_RULES[kind]?.(action, `${path}.${kind}`) ?? [];
    else causes.push(forbidden(`${path}.${kind}`, 'may not specify more than 1 handler type'));
  }
  return causes ?? [required(path, 'must specify a handler type')];
}

function execCauses(action: JsonObject, path: string): ApiCause[] {
  return goLength(action, 'command') === 0 ? [required(`${path}.command`)] : [];
}

const SCHEMES = ['HTTP', 'HTTPS'];

/** validation.go, validateHTTPGetAction. The path is never empty here: defaulting has seen to it. */
function httpGetCauses(action: JsonObject, path: string): ApiCause[] {
  const scheme = goString(action, 'scheme');
  return [
    ...portCauses(action, `${path}.port`),
    ...(SCHEMES.includes(scheme) ? [] : [notSupported(`${path}.scheme`, scheme, SCHEMES)]),
    ...causesOfEach(goObjects(action, 'httpHeaders'), (header) => headerCauses(header, `${path}.httpHeaders`)),
  ];
}

const HEADER_PROBLEM =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

/** apimachinery, util/validation, IsHTTPHeaderName. The path has no index, and values are never looked at. */
function headerCauses(header: JsonObject, path: string): ApiCause[] {
  const name = goString(header, 'name');
  return /^[-A-Za-z0-9]+$/.test(name) ? [] : [invalid(path, name, HEADER_PROBLEM)];
}
