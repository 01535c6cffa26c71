import { isJsonObject, member, objectMember, stringMember } from '../../base/json/json-value.ts';
import { CONTAINER_TYPE, PROBE_TYPE } from '../../engine/probe/api-schema.ts';
import { execArgv } from '../../engine/probe/exec-argv.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../../engine/probe/probe.ts';
import { isPortNumber } from '../../engine/probe/port-number.ts';
import { boundedContainer, isCut } from '../../engine/workload/bounded-container.ts';
import { declaredVariables } from '../../engine/workload/literal-variables.ts';
import { portsOf } from '../../engine/workload/ports.ts';
import { bare, declaredPart, partOfEach, scalarMembers } from './bare.ts';
import { commandLine } from './command-line.ts';
import { CredentialMask } from './probe-headers.ts';
import type { ContainerList } from '../../engine/probe/api-defaults.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** Fields that are copied as far as the API has them. None of them holds a value of the application. */
const COPIED = ['name', 'image', 'ports', 'restartPolicy', 'restartPolicyRules'];

/**
 * Returns the part of a container that verdicts depend on. Values of the application are left out: environment,
 * arguments, digest of the image, commands of hooks, volumes.
 *
 * @param list the list of the Pod spec that holds the container
 * @param commands words of commands that policies give to probes, which may refer to the environment
 */
export function containerPart(container: JsonObject, list: ContainerList, commands: readonly string[]): JsonObject {
  const part: Record<string, unknown> = {};
  for (const name of COPIED) copy(part, container, name);
  if (typeof part['image'] === 'string') part['image'] = part['image'].split('@', 1)[0];
  Object.assign(part, commandLine(container, portsOfProbes(container)));
  const directory = member(container, 'workingDir');
  if (directory !== undefined) part['workingDir'] = bare(directory);
  const variables = variablesOf(boundedContainer(container), commands);
  if (variables.length > 0) part['env'] = variables;
  const mask = new CredentialMask();
  for (const kind of PROBE_KINDS) {
    const probe = member(container, kind);
    if (probe !== undefined) part[kind] = mask.masked(declaredPart(probe, PROBE_TYPE));
  }
  const lifecycle = member(container, 'lifecycle');
  if (lifecycle !== undefined) part['lifecycle'] = lifecyclePart(lifecycle);
  if (list === 'ephemeralContainers') Object.assign(part, forbiddenPart(container));
  return part;
}

function copy(part: Record<string, unknown>, container: JsonObject, name: string): void {
  const value = member(container, name);
  const type = CONTAINER_TYPE.fields.get(name)?.type;
  if (value !== undefined && type !== undefined) part[name] = declaredPart(value, type);
}

/** The numbers of the ports that probes may ask: declared ports, and numbers in probes. */
function portsOfProbes(container: JsonObject): ReadonlySet<number> {
  const asked = PROBE_KINDS.flatMap((kind) => {
    const probe = objectMember(container, kind) ?? {};
    return HANDLER_KINDS.map((handler) => member(objectMember(probe, handler) ?? {}, 'port'));
  });
  return new Set([...portsOf(container).map(({ number }) => number), ...asked.filter(isPortNumber)]);
}

/**
 * The environment variables that a probe's command refers to: name, and whether the value is literal. The check
 * shell-problem asks whether a literal value has a dollar sign.
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

/** The hooks: their handlers and ports, without commands, paths, hosts and headers' values. */
function lifecyclePart(lifecycle: unknown): unknown {
  if (!isJsonObject(lifecycle)) return bare(lifecycle);
  const part = scalarMembers(lifecycle, ['stopSignal']);
  for (const hook of ['postStart', 'preStop']) {
    const value = member(lifecycle, hook);
    if (value !== undefined) part[hook] = isJsonObject(value) ? hookPart(value) : bare(value);
  }
  return part;
}

function hookPart(hook: JsonObject): JsonObject {
  const part: Record<string, unknown> = {};
  for (const kind of ['exec', 'httpGet', 'tcpSocket', 'sleep']) {
    const handler = member(hook, kind);
    if (handler !== undefined) part[kind] = isJsonObject(handler) ? hookHandlerPart(handler) : bare(handler);
  }
  return part;
}

function hookHandlerPart(handler: JsonObject): JsonObject {
  const part = scalarMembers(handler, ['port', 'scheme', 'protocol', 'seconds']);
  for (const name of ['path', 'host']) {
    const value = member(handler, name);
    // The API server asks only whether there is a host.
    if (value !== undefined) part[name] = value === '' || typeof value !== 'string' ? bare(value) : 'x';
  }
  const command = member(handler, 'command');
  if (command !== undefined)
    part['command'] = Array.isArray(command) ? (command as unknown[]).map(bare) : bare(command);
  const headers = member(handler, 'httpHeaders');
  if (headers !== undefined)
    part['httpHeaders'] = partOfEach(headers, (header) => {
      const value = member(header, 'value');
      return { ...scalarMembers(header, ['name']), ...(value === undefined ? {} : { value: bare(value) }) };
    });
  return part;
}

/** Fields that an ephemeral container may not have: whether they are set. */
function forbiddenPart(container: JsonObject): JsonObject {
  const part: Record<string, unknown> = {};
  const policy = member(container, 'resizePolicy');
  if (policy !== undefined) part['resizePolicy'] = bare(policy);
  const resources = member(container, 'resources');
  if (isJsonObject(resources))
    part['resources'] = Object.fromEntries(
      ['limits', 'requests', 'claims'].flatMap((name) => {
        const value = member(resources, name);
        return value === undefined ? [] : [[name, bare(value)] as const];
      }),
    );
  const target = stringMember(container, 'targetContainerName');
  if (target !== undefined) part['targetContainerName'] = target;
  return part;
}
