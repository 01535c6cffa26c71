import type { JsonObject } from '../../../base/json/json-value.ts';
import { isLoopbackHost } from '../../../engine/probe/handler-values.ts';
import { shellInvocationOf } from '../../../engine/probe/exec-invocation.ts';
import { boundedMembersOf } from '../../../engine/workload/bounded-container.ts';
import type { CommandLine } from '../../../engine/workload/command-reader.ts';
import type { ListenFlag } from '../../../engine/workload/listen-flags.ts';
import { bare, listPart, pick } from './parts.ts';

/** The lists of a container's command line, in the order in which the program gets them. */
const LISTS = ['command', 'args'] as const;
type List = (typeof LISTS)[number];
type Lists = Partial<Record<List, unknown>>;

/**
 * Returns `command` and `args` of a container without their words. Only what checks read is left, each at its place:
 * the addresses that flags tell the program to listen on, and other flags that name the port of a probe.
 *
 * @param line what checks read of the container's command line
 * @param probePorts the ports that probes of the container ask
 * @param words other words that checks read
 */
export function commandLine(
  container: JsonObject,
  line: CommandLine,
  probePorts: ReadonlySet<number>,
  words: readonly string[],
): JsonObject {
  const lists: Lists = pick(container, { command: listPart(bare), args: listPart(bare) });
  if (line.flags.length + words.length > 0) writeFlags(boundedMembersOf(container), lists, line, probePorts, words);
  return lists;
}

function writeFlags(
  container: JsonObject,
  lists: Lists,
  { flags, otherPorts }: CommandLine,
  probePorts: ReadonlySet<number>,
  words: readonly string[],
): void {
  const script = scriptPlace(container);
  const isInScript = ({ list, index }: ListenFlag): boolean => script?.list === list && script.index === index;
  const inScript = flags.filter(isInScript);
  for (const flag of flags) if (!isInScript(flag)) write(lists, flag.list, flag.index, flagText(flag));
  const ports = flags.length === 0 ? [] : [...otherPorts()].filter((port) => probePorts.has(port));
  const others = [...portFlagsFor(flags), ...ports.map(String)];
  if (script !== undefined && inScript.length + words.length > 0) {
    const quoted = words.map((word) => (word.includes(' ') ? `'${word}'` : word));
    write(lists, script.list, script.index, [...inScript.map(flagText), ...others, ...quoted].join(' '));
    writeShell(lists, script.at);
    return;
  }
  // Any place without a flag will do: checks only ask whether the port is named anywhere.
  const free = wordsOf(lists).filter(({ word }) => word === '');
  for (const [at, text] of [...others, ...words].entries()) {
    const place = free[at];
    if (place !== undefined) write(lists, place.list, place.index, text);
    // All other words are flags.
    else if (words.includes(text)) append(lists, text);
  }
}

function portFlagsFor(flags: readonly ListenFlag[]): readonly string[] {
  const local = flags.find(({ value }) => isLoopbackHost(value));
  const port = local?.addresses[0]?.port;
  return port === undefined ? [] : [`--port=${port}`];
}

const LOOPBACK_IN_ADDRESS = /\[[^[\]]*\]|localhost|127(?:\.\d{1,3}){3}/i;
const SCHEME = /^(?:https?|tcp|udp)[46]?:\/\//;

/** The addresses as the program binds them, without paths. A host other than a loopback host becomes `0.0.0.0`. */
function flagText({ name, value, addresses }: ListenFlag): string {
  if (isLoopbackHost(value)) return `${name}=${value}`;
  const parts = value.split(',');
  const texts = addresses.map(({ port, isLoopback }, index) => {
    const part = parts[index] ?? '';
    const host = LOOPBACK_IN_ADDRESS.exec(part)?.[0] ?? '';
    const shown = !isLoopback ? '0.0.0.0' : isLoopbackHost(host) ? host : '127.0.0.1';
    return `${SCHEME.exec(part)?.[0] ?? ''}${shown}:${port}`;
  });
  return `${name}=${texts.join(',')}`;
}

function scriptPlace(container: JsonObject): { list: List; index: number; at: number } | undefined {
  const words = wordsOf(container).filter(({ word }) => typeof word === 'string');
  const at = shellInvocationOf(words.map(({ word }) => word as string))?.scriptAt;
  const place = at === undefined ? undefined : words[at];
  return at === undefined || place === undefined ? undefined : { ...place, at };
}

/** Writes the shortest command that has its script at this place: `sh -e -c SCRIPT`. */
function writeShell(lists: Lists, scriptAt: number): void {
  for (const [at, { list, index }] of wordsOf(lists).slice(0, scriptAt).entries())
    write(lists, list, index, at === 0 ? 'sh' : at === scriptAt - 1 ? '-c' : '-e');
}

function wordsOf(container: Lists): { list: List; index: number; word: unknown }[] {
  return LISTS.flatMap((list) => {
    const words = container[list];
    return Array.isArray(words) ? (words as unknown[]).map((word, index) => ({ list, index, word })) : [];
  });
}

function append({ command, args }: Lists, text: string): void {
  const words = args ?? command;
  if (Array.isArray(words)) words.push(text);
}

function write(lists: Lists, list: List, index: number, text: string): void {
  const words = lists[list];
  if (Array.isArray(words)) words[index] = text;
}
