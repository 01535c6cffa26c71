import { CURL_VALUED, invocationOf, optionsOf, parsedScript, type ExecCommand } from './exec-invocation.ts';
import { isLoopbackHost, isPortNumber } from './handler-values.ts';
import { programWords, type ShellCommand, type ShellScript } from './shell-script.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** How a client reads its options. */
interface ClientOptions {
  /** The letters and the long options whose value may be the next word. */
  readonly letters: string;
  readonly long: RegExp;
  /** What changes nothing that a probe reads: output, time limits, and certificates to skip. */
  readonly harmless: RegExp;
}

const CURL: ClientOptions = {
  letters: CURL_VALUED,
  long: /^--(?:output|max-time|connect-timeout|write-out|user-agent|retry|retry-delay|retry-max-time|noproxy)$/,
  harmless:
    /^(?:-[fsSkLiIvgN046omwA]|--(?:fail|fail-with-body|silent|show-error|insecure|location|include|head|verbose|globoff|no-buffer|http1\.[01]|ipv[46]|compressed|no-progress-meter|url))$/,
};
const WGET: ClientOptions = {
  letters: 'OTtY',
  long: /^--(?:output-document|timeout|tries|user-agent|proxy)$/,
  harmless:
    /^(?:-[nqSv46OTtY]|--(?:quiet|no-verbose|verbose|spider|server-response|no-check-certificate|inet[46]-only|no-proxy))$/,
};
const NETCAT: ClientOptions = { letters: 'wiGq', long: /^$/, harmless: /^-[zvnN46wiGq]$/ };

const MOST_WORDS = 100;

/** An HTTP or TCP client, and the handler that asks the same address of the own Pod. */
export interface LocalClient {
  readonly program: string;
  readonly handler: JsonObject;
}

/** Returns the client that is all of a command, or of its script. Undefined when no handler can ask the same. */
export function localClient(command: ExecCommand): LocalClient | undefined {
  const { argv, shell } = command;
  const words = shell === undefined ? argv : onlyCommand(parsedScript(command));
  const invocation = invocationOf(words);
  const handler = invocation && handlerOf(invocation.program, words.slice(invocation.at + 1));
  return handler && { program: invocation.program, handler };
}

/** Returns the words of a script that is one command. `|| exit 1` behind it changes nothing for the kubelet. */
function onlyCommand(script: ShellScript | undefined): readonly string[] {
  const [command, ...others] = script?.commands.filter(({ words }) => words.length > 0) ?? [];
  const words = programWords(command?.words ?? []);
  const operators = [command, ...others].map((one) => one?.operator ?? '');
  const isAlone = /^[;\n]?$/.test(operators.pop() ?? '') && operators.every((operator) => operator === '||');
  if (!isAlone || !others.every(onlyFails) || !words.every(({ isLiteral }) => isLiteral)) return [];
  const texts = words.map(({ text }) => text);
  return texts[0] === 'exec' ? texts.slice(1) : texts;
}

function onlyFails({ words }: ShellCommand): boolean {
  return /^(?:false|exit [1-9]\d*)$/.test(words.map(({ text }) => text).join(' '));
}

function handlerOf(program: string, operands: readonly string[]): JsonObject | undefined {
  if (/^(?:nc|ncat|netcat)$/.test(program)) return tcpHandler(plainOperands(operands, NETCAT));
  if (program !== 'curl' && program !== 'wget') return undefined;
  const [url, ...others] = plainOperands(operands, program === 'curl' ? CURL : WGET);
  return url === undefined || others.length > 0 ? undefined : handlerOfUrl(url);
}

/** The words that are no options. None when an option changes the request. */
function plainOperands(words: readonly string[], { letters, long, harmless }: ClientOptions): string[] {
  if (words.length > MOST_WORDS) return [];
  const options = optionsOf(words, letters, long);
  const isHarmless = options.every(({ name }) => name === undefined || harmless.test(name) || long.test(name));
  return isHarmless ? options.flatMap(({ name, value }) => (name === undefined ? [value] : [])) : [];
}

const URL_PARTS = /^(?:(https?):\/\/)?(\[[^\]]*\]|[^/:?#@]+)(?::(\d{1,5}))?(\/[^#\s]*|\?[^#\s]*)?(?:#.*)?$/i;

function handlerOfUrl(url: string): JsonObject | undefined {
  const [, written, host = '', number, path = '/'] = URL_PARTS.exec(url) ?? [];
  if (!isLoopbackHost(host)) return undefined;
  const isTls = written?.toLowerCase() === 'https';
  const port = number === undefined ? (isTls ? 443 : 80) : Number(number);
  if (!isPortNumber(port)) return undefined;
  const asked = path.startsWith('/') ? path : `/${path}`;
  return { httpGet: { path: asked, port, ...(isTls && { scheme: 'HTTPS' }) } };
}

function tcpHandler([host, port = '', ...others]: readonly string[]): JsonObject | undefined {
  if (host === undefined || others.length > 0 || !isLoopbackHost(host)) return undefined;
  return /^\d{1,5}$/.test(port) && isPortNumber(Number(port)) ? { tcpSocket: { port: Number(port) } } : undefined;
}
