import { Environment } from '@marcbachmann/cel-js';
import { isJsonObject, type JsonObject } from '../../src/base/json/json-value.ts';

/** A match condition of a webhook configuration. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

const objects = new Environment().registerVariable('object', 'dyn').registerVariable('oldObject', 'dyn');
export const cel = objects.clone().registerVariable('request', 'dyn');

/** Types as the API server checks them: it knows those of `request`, and refuses a list of typed and dynamic elements. */
export const typed = objects.clone().registerVariable({
  name: 'request',
  schema: {
    kind: { group: 'string', version: 'string', kind: 'string' },
    namespace: 'string',
    operation: 'string',
    userInfo: { username: 'string', groups: 'list<string>' },
  },
});

/**
 * The names of the conditions that keep a request from a webhook; none when the API server sends the request. Throws for an expression that gives
 * no boolean.
 *
 * @param request the `request` of an AdmissionReview: match conditions see its object and oldObject as variables of their own
 */
export function unmetConditions(conditions: readonly MatchCondition[], request: JsonObject): string[] {
  // Undefined members do not get through JSON, as in a request.
  const { object = null, oldObject = null, ...rest } = JSON.parse(JSON.stringify(request)) as JsonObject;
  const variables = { object: celValue(object), oldObject: celValue(oldObject), request: celValue(rest) };
  return conditions
    .filter(({ expression }) => {
      const met: unknown = parsed(expression)(variables);
      if (typeof met !== 'boolean') throw new TypeError(`${expression} gives ${String(met)}`);
      return !met;
    })
    .map(({ name }) => name);
}

const known = new Map<string, ReturnType<typeof cel.parse>>();

/** Parsing takes longer than evaluating, and tests evaluate the same expressions thousands of times. */
function parsed(expression: string): ReturnType<typeof cel.parse> {
  const program = known.get(expression) ?? cel.parse(expression);
  known.set(expression, program);
  return program;
}

/** Objects as maps: the library takes an object with a member `constructor` for one of a class that it does not know. */
function celValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(celValue);
  if (!isJsonObject(value)) return value;
  return new Map(Object.entries(value).map(([key, member]) => [key, celValue(member)]));
}
