import { Environment } from '@marcbachmann/cel-js';
import { oneLine } from './cel.ts';
import { LAW } from './law.ts';
import { PATCH, REASONS_LAW } from './patch-law.ts';
import type { NativeLayer } from './namespace-layers.ts';
import type { ServicePorts } from './service-ports.ts';
import { isJsonObject, type JsonObject } from '../base/json/json-value.ts';

const most = 1_000_000;
const LIMITS = {
  maxAstNodes: most,
  maxDepth: 1000,
  maxListElements: most,
  maxMapEntries: most,
  maxCallArguments: 1000,
};

/**
 * Runs the native policy as the API server does, in `cel-js`. The library lacks some of Kubernetes' CEL library, so an
 * adapter adds functions, and writes `JSONPatch{...}` as a map and a leading `(?is)` as a function. To compile the
 * expressions takes a second, so commands load this file only where the native policy injects.
 */
const environment = (homogeneousAggregateLiterals: boolean): Environment =>
  new Environment({ limits: LIMITS, homogeneousAggregateLiterals })
    .registerVariable('object', 'dyn')
    .registerVariable('params', 'dyn')
    .registerVariable('namespaceObject', 'dyn')
    .registerVariable('variables', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('request', 'dyn')
    .registerFunction('range(int): list', (size: bigint) => Array.from({ length: Number(size) }, (_, at) => BigInt(at)))
    .registerFunction('list.flatten(): list', (values: unknown[]) => values.flat())
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => regex(pattern).exec(text)?.[0] ?? '',
    )
    .registerFunction('string.re2(string): bool', (text: string, pattern: string) => regex(pattern).test(text))
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      text.replaceAll(from, to),
    )
    .registerFunction(
      'list.entries(): map',
      (maps: object[]) => new Map(maps.flatMap((map) => [...(map instanceof Map ? map : Object.entries(map))])),
    )
    .registerFunction('escapeKey(string): string', (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1'));

const known = new Map<string, RegExp>();

function regex(pattern: string): RegExp {
  let found = known.get(pattern);
  if (found === undefined) {
    const [, flags = '', source = pattern] = /^\(\?([is]+)\)([^]*)$/.exec(pattern) ?? [];
    known.set(pattern, (found = new RegExp(source, flags)));
  }
  return found;
}

/** The expression in words that the library knows. `transformMapEntry(i, e, {k: v})` becomes a `map` and a function. */
function adapted(expression: string): string {
  let text = expression
    .replaceAll('lists.range(', 'range(')
    .replaceAll('jsonpatch.escapeKey(', 'escapeKey(')
    .replaceAll('.matches(', '.re2(')
    .replaceAll('JSONPatch{op: ', "{'op': ")
    .replaceAll(', path: ', ", 'path': ")
    .replaceAll(', value: ', ", 'value': ");
  for (let at = text.indexOf('.transformMapEntry('); at >= 0; at = text.indexOf('.transformMapEntry(')) {
    const start = at + '.transformMapEntry('.length;
    const end = closing(text, start);
    const inner = text.slice(start, end).replace(/^i, /, '');
    text = `${text.slice(0, at)}.map(${inner}).entries()${text.slice(end + 1)}`;
  }
  return text;
}

/** The place of the bracket that closes what is open before `start`, beside brackets in texts. */
function closing(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === "'" || sign === '"') {
      for (at += 1; text[at] !== sign; at += 1) if (text[at] === '\\') at += 1;
    } else if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign) && (depth -= 1) === 0) return at;
  }
  throw new Error('a bracket is open');
}

/** The library repeats the whole expression, of thousands of characters. */
function messageOf(error: unknown): string {
  const text = String(error);
  const at = text.lastIndexOf('\n') < 0 ? '' : near(text);
  return `${text.split('\n')[0] ?? ''} ${at}`;
}

/** The part of the expression above the mark of the library. */
function near(text: string): string {
  const lines = text.split('\n');
  const mark = lines.findIndex((line) => /^ *\^$/.test(line));
  const column = lines[mark]?.indexOf('^') ?? 0;
  return (lines[mark - 1] ?? '').slice(Math.max(0, column - 80), column + 80);
}

/** A `JSONPatch` has members of several types, and the map in its place has, too. */
const cel = environment(true);
const programs = [...LAW, { ...REASONS_LAW, expression: oneLine(REASONS_LAW.expression) }].map(
  ({ name, expression }) => ({ name, run: celProgram(name, expression) }),
);
const patchOf = celProgram('patch', PATCH, environment(false));

function parsed(cel: Environment, name: string, expression: string) {
  try {
    return cel.parse(adapted(expression));
  } catch (error) {
    throw new Error(`${name}: ${messageOf(error)}`);
  }
}

/** An expression of a policy, to be run. */
export function celProgram(name: string, expression: string, of = cel): (context: object) => unknown {
  const run = parsed(of, name, expression);
  return (context) => {
    try {
      return run(context) as unknown;
    } catch (error) {
      throw new Error(`${name}: ${messageOf(error)}`);
    }
  };
}

/** What the native policy decides, and every variable of it. */
export interface NativeDecision {
  readonly patch: readonly JsonObject[];
  readonly variables: ReadonlyMap<string, unknown>;
}

export function nativeDecision(
  pod: JsonObject,
  layers: readonly NativeLayer[],
  namespaceLabels: Readonly<Record<string, string>> = {},
  services: readonly ServicePorts[] = [],
  onVariable: (name: string) => void = () => undefined,
): NativeDecision {
  const variables = new Map<string, unknown>();
  const context = {
    object: celValue(pod),
    params: celValue({ spec: { layers, services } }),
    namespaceObject: celValue({ metadata: { labels: namespaceLabels } }),
    variables,
  };
  for (const { name, run } of programs) {
    variables.set(name, run(context));
    onVariable(name);
  }
  return { patch: plainValue(patchOf(context)) as JsonObject[], variables };
}

/** Objects as maps and integers as ints, as the API server shows them. Null members are absent. */
export function celValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return new Map(members.map(([key, member]) => [key, celValue(member)]));
}

/** The same, back. */
export function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [key, plainValue(member)]));
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainValue(member)]));
  return value;
}
