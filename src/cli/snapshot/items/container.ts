import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../../base/json/json-value.ts';
import { selfContainedTarget } from '../../../engine/checks/dependency-liveness.ts';
import { tlsEvidenceOf } from '../../../engine/checks/https-scheme.ts';
import { nodeAddressOf } from '../../../engine/checks/probe-host.ts';
import { CONTAINER_TYPE, PROBE_TYPE } from '../../../engine/probe/api-schema.ts';
import { isPortNumber } from '../../../engine/probe/handler-values.ts';
import { PROBE_KINDS } from '../../../engine/probe/probe.ts';
import { isCut } from '../../../engine/workload/bounded-container.ts';
import { bare, declaredPart, listPart, objectPart, pick, scalar, scalars, type ItemPart } from './parts.ts';
import { commandLine } from './command-line.ts';
import type { Container } from '../../../engine/workload/pod.ts';

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
 * @param written the container as it is written
 * @param commands words of commands that policies give to probes, which may refer to the environment
 * @param peers the address of the headless Service that the container names
 */
export function containerPart(
  written: JsonObject,
  container: Container,
  commands: readonly string[],
  peers: (container: Container) => string | undefined,
): JsonObject {
  const part = pick(written, COPIED_PARTS);
  if (typeof part['image'] === 'string') part['image'] = part['image'].split('@', 1)[0];
  const address = peers(container);
  const tls = tlsEvidenceOf(container);
  const variables = [
    ...variablesOf(container, commands),
    ...(tls.mentionsTls ? [{ name: 'TLS', value: 'named' }] : []),
    ...[...tls.words.keys()].flatMap((word) => {
      const [, name, value] = VARIABLE.exec(word) ?? [];
      return name === undefined ? [] : [{ name, value }];
    }),
    ...(address === undefined ? [] : [{ name: PEER, value: address }]),
  ];
  const mask = credentialMask();
  return {
    ...part,
    ...commandLine(written, container.line, portsOfProbes(container), wordsOf(container, tls.words)),
    ...pick(written, { workingDir: bare }),
    ...(variables.length > 0 && { env: variables }),
    ...pick(written, Object.fromEntries(PROBE_KINDS.map((kind) => [kind, (value) => mask(PROBE_PART(value, 0))]))),
    ...pick(written, { lifecycle: LIFECYCLE }),
    ...(container.list === 'ephemeralContainers' && pick(written, OF_EPHEMERAL)),
  };
}

/** `APP_TLS_ENABLED=true`, as a check shows a variable. */
const VARIABLE = /^(\w+)=(.*)$/s;

/** The words of the command line that checks read, beside addresses to listen on. */
function wordsOf(container: Container, ofTls: ReadonlyMap<string, number>): readonly string[] {
  const flags = [...ofTls].filter(([word]) => !VARIABLE.test(word));
  return [
    ...flags.map(([word, port]) => (word.startsWith('-') ? `${word}=${port}` : word)),
    ...new Set(container.probes.map(nodeAddressOf)),
    selfContainedTarget(container),
  ].filter((word) => word !== undefined);
}

/** The variable that has the address, wherever the container names it. */
const PEER = 'PEER';

function portsOfProbes({ written, readablePorts }: Container): ReadonlySet<number> {
  const asked = written.map(({ handler }) => handler && 'port' in handler && handler.port);
  return new Set([...readablePorts.map(({ number }) => number), ...asked.filter(isPortNumber)]);
}

/**
 * The environment variables that a probe's command refers to: name, and whether the value is literal. The check
 * exec-shell asks whether a literal value has a dollar sign.
 */
function variablesOf({ written, env }: Container, commands: readonly string[]): readonly JsonObject[] {
  const own = written.flatMap(({ command }) => command.argv);
  const referring = [...own, ...commands].filter((word) => word.includes('$') && !isCut(word));
  if (referring.length === 0) return [];
  return [...(env() ?? [])]
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
  const mask = (value: string): string => {
    const masks = LETTERS.map((letter) => value.replace(/\P{Cc}/gu, letter));
    const free = masks.find((each) => ![...maskOf.values()].includes(each));
    const chosen = maskOf.get(value) ?? free ?? masks[0] ?? '';
    maskOf.set(value, chosen);
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
