import { isLoopbackHost, isPortNumber } from './handler-values.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** The handler that asks the same address of the own Pod as a client does. Undefined when none can. */
export function localClient(program: string, operands: readonly string[]): JsonObject | undefined {
  switch (program) {
    case 'curl':
      return httpHandler(operands, CURL);
    case 'wget':
      return httpHandler(operands, WGET);
    case 'nc':
    case 'ncat':
    case 'netcat':
      return tcpHandler(operands);
    default:
      return undefined;
  }
}

/** The options of a client that change nothing that a probe reads: output, time limits, and certificates to skip. */
interface ClientOptions {
  readonly letters: RegExp;
  readonly words: ReadonlySet<string>;
  /** Options whose value is the next word, or stands behind `=` or the letter. */
  readonly valued: ReadonlySet<string>;
}

const CURL: ClientOptions = {
  letters: /^-[fsSkLiIvgN046]+$/,
  words: new Set([
    ...['--fail', '--fail-with-body', '--silent', '--show-error', '--insecure', '--location', '--include', '--head'],
    ...['--verbose', '--globoff', '--no-buffer', '--http1.0', '--http1.1', '--ipv4', '--ipv6', '--compressed'],
    ...['--no-progress-meter', '--url'],
  ]),
  valued: new Set([
    ...['-o', '-m', '-w', '-A', '--output', '--max-time', '--connect-timeout', '--write-out', '--user-agent'],
    ...['--retry', '--retry-delay', '--retry-max-time', '--noproxy'],
  ]),
};

const WGET: ClientOptions = {
  letters: /^-(?:[qSv46]|nv)+(?:O-?)?$/,
  words: new Set([
    ...['--quiet', '--no-verbose', '--verbose', '--spider', '--server-response', '--no-check-certificate'],
    ...['--inet4-only', '--inet6-only', '--no-proxy'],
  ]),
  valued: new Set(['-O', '-T', '-t', '-Y', '--output-document', '--timeout', '--tries', '--user-agent', '--proxy']),
};

/** Options of nc that take the next word and do not change what is asked. */
const NC_VALUED: ReadonlySet<string> = new Set(['-w', '-i', '-G', '-q']);

const MOST_WORDS = 100;

function httpHandler(operands: readonly string[], options: ClientOptions): JsonObject | undefined {
  const [url, ...others] = plainOperands(operands, options) ?? [];
  return url === undefined || others.length > 0 ? undefined : handlerOfUrl(url);
}

/** Returns the words that are no options. Undefined for an option that changes the request. */
function plainOperands(words: readonly string[], options: ClientOptions): string[] | undefined {
  const plain: string[] = [];
  if (words.length > MOST_WORDS) return undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-') || word === '-') plain.push(word);
    else if (options.valued.has(word) || /^-qO$/.test(word) || takesNext(word, options)) at += 1;
    else if (!isHarmless(word, options)) return undefined;
  }
  return plain;
}

/** `-fsSo FILE`: the last of several letters may take the next word. */
function takesNext(word: string, { letters, valued }: ClientOptions): boolean {
  return /^-\w\w+$/.test(word) && valued.has(`-${word.at(-1) ?? ''}`) && letters.test(word.slice(0, -1));
}

function isHarmless(word: string, { letters, words, valued }: ClientOptions): boolean {
  if (letters.test(word) || words.has(word)) return true;
  const [name = ''] = word.split('=', 1);
  return word.startsWith('--') ? valued.has(name) && name !== word : valued.has(word.slice(0, 2));
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

function tcpHandler(operands: readonly string[]): JsonObject | undefined {
  const plain: string[] = [];
  if (operands.length > MOST_WORDS) return undefined;
  for (let at = 0; at < operands.length; at++) {
    const word = operands[at] ?? '';
    if (!word.startsWith('-')) plain.push(word);
    else if (NC_VALUED.has(word) || /^-[zvn46]+w$/.test(word)) at += 1;
    else if (!/^-(?:[zvnN46]+(?:w\d+)?|w\d+)$/.test(word)) return undefined;
  }
  const [host, port, ...others] = plain;
  if (host === undefined || port === undefined || others.length > 0 || !isLoopbackHost(host)) return undefined;
  return /^\d{1,5}$/.test(port) && isPortNumber(Number(port)) ? { tcpSocket: { port: Number(port) } } : undefined;
}
