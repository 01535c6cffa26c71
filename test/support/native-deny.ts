import { denyVariables, DENIAL, type ExportedFloor } from '../../src/native/validating-policy.ts';
import { celProgram, celValue, plainValue } from '../../src/native/evaluate.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** What the validating policy denies of a request: `check container probe`, and the message. */
export interface NativeDenial {
  readonly added: readonly string[];
  readonly message: string;
}

/** Compiles the policy of these floors once, for many requests. */
export function nativeDenials(
  floors: readonly ExportedFloor[],
): (object: JsonObject, old: JsonObject | null, namespaceLabels: JsonObject) => NativeDenial {
  const programs = denyVariables(floors).map(({ name, expression }) => ({ name, run: celProgram(name, expression) }));
  const denial = celProgram('message', DENIAL);
  return (object, old, namespaceLabels) => {
    const [group, kind] = [String(object['apiVersion']).split('/').toReversed()[1] ?? '', object['kind']];
    const variables = new Map<string, unknown>();
    const context = {
      object: celValue(object),
      oldObject: celValue(old),
      namespaceObject: celValue({ metadata: { labels: namespaceLabels } }),
      request: celValue({ kind: { group, kind }, userInfo: { username: 'jane' } }),
      variables,
    };
    for (const { name, run } of programs) variables.set(name, run(context));
    const added = plainValue(variables.get('added')) as { key: string }[];
    return { added: added.map(({ key }) => key).sort(), message: denial(context) as string };
  };
}
