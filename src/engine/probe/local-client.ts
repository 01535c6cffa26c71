import { invocationOf, parsedScript, type ExecCommand } from './exec-invocation.ts';
import { isLoopbackHost, isPortNumber } from './handler-values.ts';
import { programWords, type ShellCommand, type ShellScript } from './shell-script.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** The options of a client that change nothing that a probe reads: output, time limits, and certificates to skip. */
interface ClientOptions {
  /** The whole word of an option whose value is the next word: `-fsSo`. */
  readonly valued: RegExp;
  /** An option without a value, or with its value in the same word. */
  readonly alone: RegExp;
}

const CURL_VALUES =
  '--(?:output|max-time|connect-timeout|write-out|user-agent|retry|retry-delay|retry-max-time|noproxy)';
const CURL_WORDS =
  'fail|fail-with-body|silent|show-error|insecure|location|include|head|verbose|globoff|no-buffer|http1\\.[01]|' +
  'ipv[46]|compressed|no-progress-meter|url';
const WGET_VALUES = '--(?:output-document|timeout|tries|user-agent|proxy)';
const WGET_WORDS = 'quiet|no-verbose|verbose|spider|server-response|no-check-certificate|inet[46]-only|no-proxy';

const CLIENTS: Readonly<Record<string, ClientOptions>> = {
  curl: {
    valued: new RegExp(`^(?:-[fsSkLiIvgN046]*[omwA]|-qO|${CURL_VALUES})$`),
    alone: new RegExp(`^(?:-[fsSkLiIvgN046]+|--(?:${CURL_WORDS})|-[omwA].*|${CURL_VALUES}=.*)$`, 's'),
  },
  wget: {
    valued: new RegExp(`^(?:-(?:(?:[qSv46]|nv)+O?)?[OTtY]|${WGET_VALUES})$`),
    alone: new RegExp(`^(?:-(?:[qSv46]|nv)+(?:O-?)?|--(?:${WGET_WORDS})|-[OTtY].*|${WGET_VALUES}=.*)$`, 's'),
  },
};
const NETCAT: ClientOptions = { valued: /^-(?:[wiGq]|[zvn46]+w)$/, alone: /^-(?:[zvnN46]+(?:w\d+)?|w\d+)$/ };

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
  const client = Object.hasOwn(CLIENTS, program) ? CLIENTS[program] : undefined;
  const [url, ...others] = (client && plainOperands(operands, client)) ?? [];
  return url === undefined || others.length > 0 ? undefined : handlerOfUrl(url);
}

/** The words that are no options. None when an option changes the request. */
function plainOperands(words: readonly string[], { valued, alone }: ClientOptions): string[] {
  const plain: string[] = [];
  if (words.length > MOST_WORDS) return [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-') || word === '-') plain.push(word);
    else if (valued.test(word)) at += 1;
    else if (!alone.test(word)) return [];
  }
  return plain;
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
