import { isJsonObject, member, stringMember } from '../../base/json/json-value.ts';
import { saysWithoutTools } from '../../engine/probe/image-name.ts';
import { isLoopbackHost } from '../../engine/probe/loopback.ts';
import { PROBE_KINDS } from '../../engine/probe/probe.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Pseudonyms } from './pseudonyms.ts';

/** Returns a container, or what policies and profiles say about a container, with pseudonyms. */
export function anonymousContainer(container: JsonObject, names: Pseudonyms): JsonObject {
  const changed: Record<string, unknown> = { ...container };
  for (const field of ['name', 'targetContainerName']) {
    const name = stringMember(container, field);
    if (name !== undefined) changed[field] = names.container(name);
  }
  const image = stringMember(container, 'image');
  // The check exec-image reads a word of the image's name.
  if (image !== undefined) changed['image'] = saysWithoutTools(image) ?? names.name(image);
  const ports = member(container, 'ports');
  if (Array.isArray(ports)) changed['ports'] = (ports as unknown[]).map((port) => withPort(port, 'name', names));
  for (const kind of PROBE_KINDS) {
    const probe = member(container, kind);
    if (probe !== undefined) changed[kind] = anonymousProbe(probe, names);
  }
  const lifecycle = member(container, 'lifecycle');
  if (isJsonObject(lifecycle))
    changed['lifecycle'] = mapped(lifecycle, (hook) =>
      isJsonObject(hook) ? mapped(hook, (handler) => withPort(handler, 'port', names)) : hook,
    );
  return changed;
}

/** Returns a probe with pseudonyms in place of hosts, services, values of headers, and names in paths and commands. */
export function anonymousProbe(probe: unknown, names: Pseudonyms): unknown {
  if (!isJsonObject(probe)) return probe;
  const handlers = mapped(probe, (handler) => (isJsonObject(handler) ? anonymousHandler(handler, names) : handler));
  // A field of a handler may have been written beside the handler.
  return anonymousHandler(handlers, names);
}

function anonymousHandler(handler: JsonObject, names: Pseudonyms): JsonObject {
  const changed: Record<string, unknown> = { ...(withPort(handler, 'port', names) as JsonObject) };
  const [path, host, service] = ['path', 'host', 'service'].map((field) => stringMember(handler, field));
  if (path !== undefined) changed['path'] = names.text(path);
  if (host !== undefined) changed['host'] = isOfNode(host) ? host : names.name(host);
  if (service !== undefined) changed['service'] = names.name(service);
  const command = member(handler, 'command');
  if (Array.isArray(command))
    changed['command'] = (command as unknown[]).map((word) => (typeof word === 'string' ? names.text(word) : word));
  const headers = member(handler, 'httpHeaders');
  if (Array.isArray(headers))
    changed['httpHeaders'] = (headers as unknown[]).map((header) => {
      const value = isJsonObject(header) ? stringMember(header, 'value') : undefined;
      return value === undefined ? header : { ...(header as JsonObject), value: names.headerValue(value) };
    });
  return changed;
}

/** Addresses of the node itself, which the check probe-host tells from others. */
function isOfNode(host: string): boolean {
  return host === '' || isLoopbackHost(host) || /^(?:0\.0\.0\.0|::|\[::\])$/.test(host);
}

function withPort(value: unknown, field: string, names: Pseudonyms): unknown {
  const port = isJsonObject(value) ? stringMember(value, field) : undefined;
  return port === undefined ? value : { ...(value as JsonObject), [field]: names.port(port) };
}

function mapped(object: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
