import { isJsonObject, isPresent, listMember, member, objectMember } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { HANDLER_DEFAULTS } from '../probe/api-defaults.ts';
import { NO_COMMAND } from '../command/words.ts';
import { HANDLER_KINDS, handlerKindsOf, type HandlerKind, type ProbeKind } from '../probe/probe.ts';
import { isTimingSound, probeTiming } from '../time/timing.ts';
import { boundedMembersOf } from './bounded-container.ts';
import type { CommandReader } from './command-reader.ts';
import { probeGraceSeconds } from './kill-settings.ts';
import { isProxyProbe, originalProbe } from './mesh.ts';
import type { Container, Handler, Header, Probe, WrittenProbe } from './pod.ts';

/**
 * Reads what stands under the name of a probe.
 *
 * @param written as the author or a policy wrote it
 * @param defaulted the same after API defaulting
 */
export function readProbe(
  container: Container,
  kind: ProbeKind,
  written: unknown,
  defaulted: unknown,
  commands: CommandReader,
): WrittenProbe {
  const asked = isJsonObject(defaulted) ? defaulted : {};
  const original = originalProbe(container, kind, asked);
  const whole = original ?? asked;
  const spec = boundedMembersOf(whole);
  const [handlerKind, ...others] = handlerKindsOf(spec);
  const handler = handlerKind && others.length === 0 ? objectMember(spec, handlerKind) : undefined;
  const exec = objectMember(spec, 'exec');
  const numbers = probeTiming(spec);
  return {
    kind,
    place: container.place.at(kind),
    container,
    written,
    spec,
    whole,
    isOfMesh: original !== undefined || (container.role === 'mesh' && isProxyProbe(container.name, spec)),
    handler: handlerKind && handler && readHandler(handlerKind, handler),
    command: exec === undefined ? NO_COMMAND : commands.commandOf(exec),
    numbers,
    timing: isTimingSound(spec) ? numbers : undefined,
    graceSeconds: probeGraceSeconds(spec),
  };
}

/** False for a probe without exactly one handler, which valid-probe reports, and for a mesh proxy's own. */
export function mayBeJudged(probe: WrittenProbe): probe is Probe {
  const { spec, handler, isOfMesh, container } = probe;
  if (handler === undefined || (isOfMesh && container.role === 'mesh')) return false;
  return HANDLER_KINDS.every((kind) => kind === handler.kind || !isPresent(member(spec, kind)));
}

/** The first handler of a probe with all of its texts, for who asks it. `Probe.handler` has bounded texts. */
export function wholeHandlerOf({ whole }: WrittenProbe): Handler | undefined {
  const [handlerKind] = handlerKindsOf(whole);
  const handler = handlerKind && objectMember(whole, handlerKind);
  return handlerKind && handler && readHandler(handlerKind, handler);
}

/** @param spec the handler after API defaulting; with bounded texts for a check */
export function readHandler(kind: HandlerKind, spec: JsonObject): Handler {
  if (kind === 'exec') return { kind, spec, isMalformed: false, elements: listMember(spec, 'command') };
  const value = member(spec, 'port') ?? undefined;
  const port = typeof value === 'number' || typeof value === 'string' ? value : undefined;
  const isPortMalformed = value !== port;
  if (kind === 'grpc') {
    const [service, mode] = [textOf(spec, 'service'), textOf(spec, 'mode')];
    const isMalformed = isPortMalformed || service === undefined || mode === undefined;
    return { kind, spec, port, service, mode, isMalformed };
  }
  const host = textOf(spec, 'host');
  if (kind === 'tcpSocket') return { kind, spec, port, host, isMalformed: isPortMalformed || host === undefined };
  const [path, scheme, protocol] = [textOf(spec, 'path'), textOf(spec, 'scheme'), textOf(spec, 'protocol')];
  const { headers, areMalformed } = headersOf(spec);
  const isMalformed = isPortMalformed || areMalformed || [path, host, scheme, protocol].includes(undefined);
  return { kind, spec, port, path, host, scheme, protocol, headers, isMalformed };
}

/** A text, with the API server's default for an absent and an empty one. Undefined for another type. */
function textOf(handler: JsonObject, field: string): string | undefined {
  const value = member(handler, field) ?? '';
  if (value !== '') return typeof value === 'string' ? value : undefined;
  return Object.hasOwn(HANDLER_DEFAULTS, field) ? HANDLER_DEFAULTS[field as keyof typeof HANDLER_DEFAULTS] : '';
}

function headersOf(handler: JsonObject): { readonly headers: readonly Header[]; readonly areMalformed: boolean } {
  const entries = member(handler, 'httpHeaders') ?? [];
  if (!Array.isArray(entries)) return { headers: [], areMalformed: true };
  let areMalformed = false;
  const headers = entries.flatMap((entry: unknown, index): Header[] => {
    const [name, value] = isJsonObject(entry) ? [member(entry, 'name'), member(entry, 'value') ?? ''] : [];
    if (typeof name !== 'string' || typeof value !== 'string') areMalformed = true;
    return typeof value === 'string' ? [{ index, name: typeof name === 'string' ? name : '', value }] : [];
  });
  return { headers, areMalformed };
}
