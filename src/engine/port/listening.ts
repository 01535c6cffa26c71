import { isLoopbackHost, isPortNumber } from '../probe/handler-values.ts';
import { isOfAnother, type ContainerSetting } from '../command/settings.ts';
import type { CommandWord } from '../workload/command-reader.ts';
import type { BareContainer } from '../workload/pod.ts';

export interface ListenAddress {
  /** As it is written. Empty for all addresses. */
  readonly host: string;
  readonly port: number;
  /** True when only the own host reaches the address. */
  readonly isLoopback: boolean;
}

/** A flag with the place of its value. */
export interface ListenFlag extends Omit<CommandWord, 'text'> {
  readonly name: string;
  readonly value: string;
  /** Empty for a loopback address without a known port, and for a Unix socket. */
  readonly addresses: readonly ListenAddress[];
}

const LISTENS = /addr|bind|listen/i;
/** Flags that name the address to listen on in other words: `-b` of gunicorn, `--host` of uvicorn. */
const ALSO_LISTENS: ReadonlySet<string> = new Set(['-b', '--host']);
/** Flags with the port for an address without a port: `--host 127.0.0.1 --port 8080`. */
const PORT_FLAG = /^--?(?:(?:listen|bind|http|secure|server|web)-?)?port$/i;
/** Flags that name the address of another program, or the address that other programs see. */
const NAMES_ANOTHER = /advertise|upstream|backend|remote|target|connect|redirect|external|public|announce/i;
/** `http://127.0.0.1:8080/path`, `[::1]:8080`, `:8080`, `127.0.0.1:8080`. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/)?(\[[^\]]*\]|[^:/[\]]*):(\d{1,5})(?:\/.*)?$/i;

/** True for an address that only containers of the same Pod, or programs of its node, reach: `unix:/run/app.sock`. */
export const isUnixSocket = (value: string): boolean => /^unix:\/|^\/[^:]*\.sock$/i.test(value);

/** A variable that names the address to listen on. */
export type ListenVariable = Pick<ListenFlag, 'name' | 'value' | 'addresses'>;

/** Where a container listens, as its command line and its variables say. */
export interface Listening {
  readonly flags: readonly ListenFlag[];
  readonly variables: readonly ListenVariable[];
  /** The port numbers in the words that are no values of these flags. */
  readonly otherPorts: () => ReadonlySet<number>;
}

/**
 * The flags of `command` and `args` that name an address with a port to listen on, also with one dash, and in a script
 * behind `sh -c`, and variables. A value may list several addresses with commas. An address without a port has the port
 * of a flag such as `--port`. A Unix socket has no address. Ask it with `container.once`.
 */
export function listeningOf({ settings, line: { words } }: Pick<BareContainer, 'settings' | 'line'>): Listening {
  const own = settings().filter(({ isInner }) => !isInner);
  const flags = listenFlagsOf(own.filter(({ from }) => from === 'flag'));
  let others: ReadonlySet<number> | undefined;
  // Few containers are asked.
  const otherPorts = (): ReadonlySet<number> => (others ??= portsBeside(words, flags));
  return { flags, variables: listenVariablesOf(own), otherPorts };
}

/** Variables that name the address to listen on: `BIND_ADDRESS`, and those of Node.js, Spring and ASP.NET Core. */
const VARIABLE = /(?:^|_)(?:BIND|LISTEN)(?:_|$)|^(?:HOST|SERVER_(?:ADDRESS|HOST)|ASPNETCORE_URLS)$/i;

function listenVariablesOf(own: readonly ContainerSetting[]): readonly ListenVariable[] {
  return own.flatMap(({ from, name, value = '' }) => {
    if (from !== 'variable' || !VARIABLE.test(name) || NAMES_ANOTHER.test(name) || isOfAnother(name)) return [];
    const ports = isLoopbackHost(value) ? own.filter((other) => /^(?:server_)?port$/i.test(other.name)) : [];
    const numbers = ports.map((port) => Number(port.value));
    const addresses = addressesIn(value.replaceAll(';', ',')) ?? addressByPort(value, numbers);
    return addresses.length === 0 ? [] : [{ name, value, addresses }];
  });
}

function listenFlagsOf(given: readonly ContainerSetting[]): readonly ListenFlag[] {
  let ports: readonly number[] | undefined;
  const flags: ListenFlag[] = [];
  for (const { written: name, value = '', word } of given) {
    if (word === undefined || value === '' || !isListenFlag(name)) continue;
    const addresses =
      addressesIn(value) ??
      (isLoopbackHost(value) || isIpv4(value) ? addressByPort(value, (ports ??= portsIn(given))) : []);
    if (addresses.length > 0 || isLoopbackHost(value) || isUnixSocket(value))
      flags.push({ name, value, addresses, ...word });
  }
  return flags;
}

function isListenFlag(name: string): boolean {
  return ALSO_LISTENS.has(name) || (LISTENS.test(name) && !NAMES_ANOTHER.test(name));
}

/** An address without a port has the port of another flag. None when no flag or several flags name a port. */
function addressByPort(host: string, [port, ...others]: readonly number[]): readonly ListenAddress[] {
  return isPortNumber(port) && others.length === 0 ? [{ host, port, isLoopback: isLoopbackHost(host) }] : [];
}

function portsIn(given: readonly ContainerSetting[]): readonly number[] {
  const flags = given.filter(({ written }) => PORT_FLAG.test(written) || written === '-p');
  return flags.map(({ value }) => Number(value));
}

/** True for an address such as `0.0.0.0`, where no connection by IPv6 arrives. */
export const isIpv4 = (host: string): boolean => /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);

/** The port numbers in the words that are no values of these flags. */
function portsBeside(words: readonly CommandWord[], flags: readonly ListenFlag[]): ReadonlySet<number> {
  const named = new Set(flags.map(({ list, index }) => `${list} ${index}`));
  const others = words.filter(({ list, index }) => !named.has(`${list} ${index}`));
  return new Set(others.flatMap(({ text }) => /(?:^|[:=])(\d{1,5})$/.exec(text)?.[1] ?? []).map(Number));
}

/** Addresses of one flag that are read. No program listens on so many. */
const MOST_ADDRESSES = 50;

function addressesIn(value: string): readonly ListenAddress[] | undefined {
  const addresses: ListenAddress[] = [];
  for (const part of value.split(',', MOST_ADDRESSES)) {
    const [, host = '', number] = ADDRESS.exec(part) ?? [];
    const port = Number(number);
    if (!isPortNumber(port)) return undefined;
    addresses.push({ host, port, isLoopback: isLoopbackHost(host) });
  }
  return addresses;
}
