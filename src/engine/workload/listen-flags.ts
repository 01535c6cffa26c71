import { isLoopbackHost, isPortNumber } from '../probe/handler-values.ts';

export interface ListenAddress {
  readonly port: number;
  /** True when only the own host reaches the address. */
  readonly isLoopback: boolean;
}

/** A word of a command, and where it is written. */
export interface CommandWord {
  readonly text: string;
  readonly list: 'command' | 'args';
  readonly index: number;
}

/** A flag with the place of its value. */
export interface ListenFlag extends Omit<CommandWord, 'text'> {
  readonly name: string;
  readonly value: string;
  /** Empty for a loopback address without a known port, and for a Unix socket. */
  readonly addresses: readonly ListenAddress[];
}

const FLAG = /^--?[A-Za-z][\w.-]*$/;
const LISTENS = /addr|bind|listen/i;
/** Flags that name the address to listen on in other words: `-b` of gunicorn, `--host` of uvicorn. */
const ALSO_LISTENS: ReadonlySet<string> = new Set(['-b', '--host']);
/** Flags with the port for an address without a port: `--host 127.0.0.1 --port 8080`. */
const PORT_FLAG = /^--?(?:(?:listen|bind|http|secure|server|web)-?)?port$/i;
/** Flags that name the address of another program, or the address that other programs see. */
const NAMES_ANOTHER = /advertise|upstream|backend|remote|target|connect|redirect|external|public|announce/i;
/** `http://127.0.0.1:8080/path`, `[::1]:8080`, `:8080`, `127.0.0.1:8080`. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/)?(\[[^\]]*\]|[^:/[\]]*):(\d{1,5})(?:\/.*)?$/i;

const UNIX_SOCKET = /^unix:\/|^\/[^:]*\.sock$/i;

/**
 * The flags among the words of `command` and `args` that name an address with a port to listen on: `--flag=value` or
 * `--flag value`, also with one dash, and in a script behind `sh -c`. A value may list several addresses with commas.
 * An address without a port has the port of a flag such as `--port`. A Unix socket has no address.
 */
export function listenFlagsOf(words: readonly CommandWord[]): readonly ListenFlag[] {
  let byPort: readonly ListenAddress[] | undefined;
  const flags: ListenFlag[] = [];
  for (const [at, word] of words.entries()) {
    if (!word.text.startsWith('-')) continue;
    const [name, own] = splitFlag(word.text);
    const next = own === undefined ? words[at + 1] : { ...word, text: own };
    if (next === undefined || !isListenFlag(name)) continue;
    const { text: value, list, index } = next;
    const addresses = addressesIn(value) ?? (isLoopbackHost(value) ? (byPort ??= addressByPort(words)) : []);
    if (addresses.length > 0 || isLoopbackHost(value) || UNIX_SOCKET.test(value))
      flags.push({ name, value, addresses, list, index });
  }
  return flags;
}

function isListenFlag(name: string): boolean {
  return ALSO_LISTENS.has(name) || (FLAG.test(name) && LISTENS.test(name) && !NAMES_ANOTHER.test(name));
}

/** The address of the own host, by the port of another flag. None when no flag or several flags name a port. */
function addressByPort(words: readonly CommandWord[]): readonly ListenAddress[] {
  const ports = words.flatMap(({ text }, at) => {
    const [name, value] = text.startsWith('-') ? splitFlag(text) : [''];
    return PORT_FLAG.test(name) || name === '-p' ? [Number(value ?? words[at + 1]?.text)] : [];
  });
  const [port, ...others] = ports;
  return isPortNumber(port) && others.length === 0 ? [{ port, isLoopback: true }] : [];
}

/** The port numbers in the words that are no values of these flags. */
export function portsBeside(words: readonly CommandWord[], flags: readonly ListenFlag[]): ReadonlySet<number> {
  const named = new Set(flags.map(({ list, index }) => `${list} ${index}`));
  const others = words.filter(({ list, index }) => !named.has(`${list} ${index}`));
  return new Set(others.flatMap(({ text }) => /(?:^|[:=])(\d{1,5})$/.exec(text)?.[1] ?? []).map(Number));
}

function splitFlag(text: string): [name: string, value: string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Addresses of one flag that are read. No program listens on so many. */
const MOST_ADDRESSES = 50;

function addressesIn(value: string): readonly ListenAddress[] | undefined {
  const addresses: ListenAddress[] = [];
  for (const part of value.split(',', MOST_ADDRESSES)) {
    const [, host = '', number] = ADDRESS.exec(part) ?? [];
    const port = Number(number);
    if (!isPortNumber(port)) return undefined;
    addresses.push({ port, isLoopback: isLoopbackHost(host) });
  }
  return addresses;
}
