import { Environment } from '@marcbachmann/cel-js';
import { isJsonObject, type JsonObject } from '../../src/base/json/json-value.ts';

/** A match condition of a webhook configuration. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** The API server knows the type of `request`; everything below `object` and `oldObject` is `dyn` there, too. */
export const cel = new Environment()
  .registerVariable('object', 'dyn')
  .registerVariable('oldObject', 'dyn')
  .registerVariable('request', 'dyn');

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
