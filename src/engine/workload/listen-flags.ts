import { member, type JsonObject } from '../../base/json/json-value.ts';
import { isLoopbackHost, isPortNumber } from '../probe/handler-values.ts';
import { shellInvocationOf } from '../probe/exec-invocation.ts';
import { shellTokens } from '../probe/shell-tokens.ts';
import { CUT_MARK, isCut } from './bounded-container.ts';

/** An address that a flag tells the program to listen on. */
export interface ListenAddress {
  readonly port: number;
  /** True when only the own host reaches the address. */
  readonly isLoopback: boolean;
}

/** A flag of a program that names addresses to listen on. */
export interface ListenFlag {
  /** As it is written, with its dashes: `--listen-address`. */
  readonly name: string;
  /** The value as it is written. */
  readonly value: string;
  readonly addresses: readonly ListenAddress[];
  /** Where the value is written: the list, and the index in it. */
  readonly list: 'command' | 'args';
  readonly index: number;
}

const FLAG = /^--?[A-Za-z][\w.-]*$/;
const LISTENS = /addr|bind|listen/i;
/** Flags that name the address to listen on in other words: `-b` of gunicorn, `--host` of uvicorn. */
const ALSO_LISTENS: ReadonlySet<string> = new Set(['-b', '--host']);
/** Flags with the port for an address without a port: `--host 127.0.0.1 --port 8080`. */
const PORT_FLAG = /^--?(?:(?:listen|bind|http|server|web)-?)?port$/i;
/** Flags that name the address of another program, or the address that other programs see. */
const NAMES_ANOTHER = /advertise|upstream|backend|remote|target|connect|redirect|external|public|announce/i;
/** `http://127.0.0.1:8080/path`, `[::1]:8080`, `:8080`, `127.0.0.1:8080`. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/)?(\[[^\]]*\]|[^:/[\]]*):(\d{1,5})(?:\/.*)?$/i;

/**
 * Returns the flags of a container that name an address with a port to listen on, in `command` and `args`. A flag is
 * `--flag=value` or `--flag value`, also with one dash, as Go programs accept flags. A script behind `sh -c` is read,
 * too. A value may list several addresses with commas. An address without a port has the port of a flag such as
 * `--port`. Cut words are skipped, and a cut list has no flags: a later flag may replace an earlier one.
 *
 * @param container a bounded container
 */
export function listenFlags(container: JsonObject): readonly ListenFlag[] {
  const words = wordsOf(container);
  let local: { readonly port: number | undefined } | undefined;
  const flags: ListenFlag[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word?.text.startsWith('-') !== true) continue;
    const { text, list, index } = word;
    const [name, value] = splitFlag(text);
    if (!isListenFlag(name)) continue;
    const next = value === undefined ? words[at + 1] : { text: value, list, index };
    if (next === undefined) continue;
    let addresses = addressesIn(next.text);
    if (addresses === undefined && isLoopbackHost(next.text)) {
      local ??= { port: onlyPort(words) };
      if (local.port !== undefined) addresses = [{ port: local.port, isLoopback: true }];
    }
    if (addresses === undefined) continue;
    flags.push({ name, value: next.text, addresses, list: next.list, index: next.index });
  }
  return flags;
}

function isListenFlag(name: string): boolean {
  return ALSO_LISTENS.has(name) || (FLAG.test(name) && LISTENS.test(name) && !NAMES_ANOTHER.test(name));
}

/** Returns the port for hosts without a port. Undefined when no flag or several flags name a port. */
function onlyPort(words: readonly CommandWord[]): number | undefined {
  const ports = words.flatMap(({ text }, at) => {
    const [name, value] = text.startsWith('-') ? splitFlag(text) : [''];
    return PORT_FLAG.test(name) || name === '-p' ? [Number(value ?? words[at + 1]?.text)] : [];
  });
  const [port, ...others] = ports;
  return isPortNumber(port) && others.length === 0 ? port : undefined;
}

/**
 * Returns every port number that a flag other than these names, such as `--webhook-port=9443`.
 *
 * @param container a bounded container
 */
export function otherPorts(container: JsonObject, flags: readonly ListenFlag[]): ReadonlySet<number> {
  const ports = new Set<number>();
  const named = new Set(flags.map(({ list, index }) => `${list} ${index}`));
  for (const { text, list, index } of wordsOf(container)) {
    if (named.has(`${list} ${index}`)) continue;
    const port = /(?:^|[:=])(\d{1,5})$/.exec(text)?.[1];
    if (port !== undefined) ports.add(Number(port));
  }
  return ports;
}

/** A word of a container's command line, and the element of the manifest that holds the word. */
interface CommandWord {
  readonly text: string;
  readonly list: 'command' | 'args';
  readonly index: number;
}

function wordsOf(container: JsonObject): readonly CommandWord[] {
  const words: CommandWord[] = [];
  if (isCutList(container, 'command') || isCutList(container, 'args')) return words;
  addElements(words, container, 'command');
  addElements(words, container, 'args');
  // A script stands behind an option such as `-c` or `-ec`.
  if (!words.some(({ text }) => /^-[A-Za-z]*c/.test(text))) return words;
  const scriptAt = shellInvocationOf(words.map(({ text }) => text))?.scriptAt;
  const script = scriptAt === undefined ? undefined : words[scriptAt];
  if (scriptAt === undefined || script === undefined) return words;
  const tokens = shellTokens(script.text) ?? [];
  const inside = tokens.filter(({ kind }) => kind === 'word').map(({ text }) => ({ ...script, text }));
  return [...words.slice(0, scriptAt), ...inside, ...words.slice(scriptAt + 1)];
}

function isCutList(container: JsonObject, list: 'command' | 'args'): boolean {
  const elements = member(container, list);
  return Array.isArray(elements) && elements.at(-1) === CUT_MARK;
}

function addElements(words: CommandWord[], container: JsonObject, list: 'command' | 'args'): void {
  const elements = member(container, list);
  if (!Array.isArray(elements)) return;
  for (let index = 0; index < elements.length; index++) {
    const text: unknown = elements[index];
    if (typeof text === 'string' && !isCut(text)) words.push({ text, list, index });
  }
}

function splitFlag(text: string): [name: string, value: string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Returns the addresses in a value. Undefined when a part of the value is no address with a port. */
function addressesIn(value: string): readonly ListenAddress[] | undefined {
  const addresses: ListenAddress[] = [];
  for (const part of value.split(',')) {
    const [, host = '', number] = ADDRESS.exec(part) ?? [];
    const port = Number(number);
    if (!isPortNumber(port)) return undefined;
    addresses.push({ port, isLoopback: isLoopbackHost(host) });
  }
  return addresses;
}
