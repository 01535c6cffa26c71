import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../../base/json/json-value.ts';
import { CONTAINER_TYPE, PROBE_TYPE } from '../../../engine/probe/api-schema.ts';
import { execArgv, isPortNumber } from '../../../engine/probe/handler-values.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../../../engine/probe/probe.ts';
import { boundedMembersOf, isCut } from '../../../engine/workload/bounded-container.ts';
import { declaredVariables } from '../../../engine/workload/variables.ts';
import { portsOf } from '../../../engine/workload/ports.ts';
import { bare, declaredPart, listPart, objectPart, pick, scalar, scalars, type ItemPart } from './parts.ts';
import { commandLine } from './command-line.ts';
import type { ContainerList } from '../../../engine/probe/api-defaults.ts';

/** Fields that are copied as far as the API has them. None of them holds a value of the application. */
const COPIED = ['name', 'image', 'ports', 'restartPolicy', 'restartPolicyRules'];
const COPIED_PARTS = Object.fromEntries(
  COPIED.flatMap((name) => {
    const type = CONTAINER_TYPE.fields.get(name);
    return type === undefined ? [] : [[name, declaredPart(type)] as const];
  }),
);
const PROBE_PART = declaredPart(PROBE_TYPE);

/** The API server asks only whether there is a text. */
const presence: ItemPart = (value) => (typeof value === 'string' && value !== '' ? 'x' : bare(value, 0));

/** The handlers of hooks and their ports, without commands, paths, hosts and values of headers. */
const HOOK_HANDLER = objectPart({
  ...scalars('port', 'scheme', 'protocol', 'seconds'),
  path: presence,
  host: presence,
  command: listPart(bare),
  httpHeaders: listPart(objectPart({ name: scalar, value: bare })),
});
const HOOK = objectPart({ exec: HOOK_HANDLER, httpGet: HOOK_HANDLER, tcpSocket: HOOK_HANDLER, sleep: HOOK_HANDLER });
const LIFECYCLE = objectPart({ stopSignal: scalar, postStart: HOOK, preStop: HOOK });

/** Fields that an ephemeral container may not have: whether they are set. */
const OF_EPHEMERAL = {
  resizePolicy: bare,
  resources: (value: unknown) =>
    isJsonObject(value) ? pick(value, { limits: bare, requests: bare, claims: bare }) : undefined,
  targetContainerName: (value: unknown) => (typeof value === 'string' ? value : undefined),
};

/**
 * Returns the part of a container that verdicts depend on. Values of the application are left out: environment,
 * arguments, digest of the image, commands of hooks, volumes.
 *
 * @param list the list of the Pod spec that holds the container
 * @param commands words of commands that policies give to probes, which may refer to the environment
 */
export function containerPart(container: JsonObject, list: ContainerList, commands: readonly string[]): JsonObject {
  const part = pick(container, COPIED_PARTS);
  if (typeof part['image'] === 'string') part['image'] = part['image'].split('@', 1)[0];
  const variables = variablesOf(boundedMembersOf(container), commands);
  const mask = credentialMask();
  return {
    ...part,
    ...commandLine(container, portsOfProbes(container)),
    ...pick(container, { workingDir: bare }),
    ...(variables.length > 0 && { env: variables }),
    ...pick(container, Object.fromEntries(PROBE_KINDS.map((kind) => [kind, (value) => mask(PROBE_PART(value, 0))]))),
    ...pick(container, { lifecycle: LIFECYCLE }),
    ...(list === 'ephemeralContainers' && pick(container, OF_EPHEMERAL)),
  };
}

function portsOfProbes(container: JsonObject): ReadonlySet<number> {
  const asked = PROBE_KINDS.flatMap((kind) => {
    const probe = objectMember(container, kind) ?? {};
    return HANDLER_KINDS.map((handler) => member(objectMember(probe, handler) ?? {}, 'port'));
  });
  return new Set([...portsOf(container).map(({ number }) => number), ...asked.filter(isPortNumber)]);
}

/**
 * The environment variables that a probe's command refers to: name, and whether the value is literal. The check
 * exec-shell asks whether a literal value has a dollar sign.
 */
function variablesOf(container: JsonObject, commands: readonly string[]): readonly JsonObject[] {
  const own = PROBE_KINDS.flatMap((kind) => {
    const exec = objectMember(objectMember(container, kind) ?? {}, 'exec');
    return (exec && execArgv(exec)) ?? [];
  });
  const referring = [...own, ...commands].filter((word) => word.includes('$') && !isCut(word));
  if (referring.length === 0) return [];
  return [...(declaredVariables(container) ?? [])]
    .filter(([name]) => name !== '' && referring.some((word) => word.includes(name)))
    .map(([name, source]) => {
      if (source.from === 'value') return { name, value: source.value.includes('$') ? '$' : '' };
      return { name, valueFrom: source.isOptional ? { configMapKeyRef: { optional: true } } : {} };
    });
}

const CREDENTIALS = /^(?:proxy-)?authorization$|^cookie$|token|secret|password|api-?key|credential/i;

const LETTERS = 'xyzabcdefghijklmnopqrstuvw'.split('');

/**
 * Returns a function that masks credentials in the headers of one container's probes. Different values stay different,
 * lengths stay, and control characters stay, because checks compare values and look for control characters.
 */
function credentialMask(): (probe: unknown) => unknown {
  const maskOf = new Map<string, string>();
  const used = new Set<string>();
  const mask = (value: string): string => {
    const masks = LETTERS.map((letter) => value.replace(/\P{Cc}/gu, letter));
    const chosen = maskOf.get(value) ?? masks.find((each) => !used.has(each)) ?? masks[0] ?? '';
    maskOf.set(value, chosen);
    used.add(chosen);
    return chosen;
  };
  const maskedHeader = (header: JsonObject): JsonObject => {
    const value = stringMember(header, 'value');
    const isCredential = CREDENTIALS.test(stringMember(header, 'name') ?? '');
    return value === undefined || !isCredential ? header : { ...header, value: mask(value) };
  };
  return (probe) => {
    const httpGet = isJsonObject(probe) ? objectMember(probe, 'httpGet') : undefined;
    const headers = httpGet && member(httpGet, 'httpHeaders');
    if (!isJsonObject(probe) || !Array.isArray(headers)) return probe;
    const masked = (headers as unknown[]).map((header) => (isJsonObject(header) ? maskedHeader(header) : header));
    return { ...probe, httpGet: { ...httpGet, httpHeaders: masked } };
  };
}
