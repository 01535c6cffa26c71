import { isLoopbackHost, isPortNumber } from '../probe/handler-values.ts';
import { CURL, NETCAT, WGET, plainOperands } from './clients.ts';
import { knownProgram } from './programs.ts';
import { onlyPart, type List, type Node } from './script.ts';
import { invocationOf, type ExecCommand } from './words.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** An HTTP or TCP client, and the handler that asks the same address of the own Pod. */
export interface LocalClient {
  readonly program: string;
  readonly handler: JsonObject;
}

/** Returns the client that is all of a command, or of its script. Undefined when no handler can ask the same. */
export const localClient = (command: ExecCommand): LocalClient | undefined =>
  command.isWhole ? command.once(findClient) : undefined;

function findClient({ argv, shell, tree }: ExecCommand): LocalClient | undefined {
  const words = shell === undefined ? argv : onlyCommand(tree);
  const invocation = invocationOf(words);
  if (invocation === undefined) return undefined;
  const { program, at } = invocation;
  const handler = handlerOf(program, words.slice(at + 1));
  return handler && { program, handler };
}

/** Returns the words of a script that is one command. `|| exit 1` behind it changes nothing for the kubelet. */
function onlyCommand(tree: List | undefined): readonly string[] {
  let node = onlyPart(tree);
  while (node?.type === 'or' && onlyFails(node.right)) node = node.left;
  if (node?.type !== 'command' || !node.words.every(({ isLiteral }) => isLiteral)) return [];
  const texts = node.words.map(({ text }) => text);
  return texts[0] === 'exec' ? texts.slice(1) : texts;
}

function onlyFails(node: Node): boolean {
  return node.type === 'command' && /^(?:false|exit [1-9]\d*)$/.test(node.words.map(({ text }) => text).join(' '));
}

function handlerOf(program: string, operands: readonly string[]): JsonObject | undefined {
  const client = knownProgram(program)?.client;
  if (client === NETCAT) return tcpHandler(plainOperands(operands, NETCAT));
  if (client !== CURL && client !== WGET) return undefined;
  const [url, ...others] = plainOperands(operands, client);
  return url === undefined || others.length > 0 ? undefined : handlerOfUrl(url);
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
