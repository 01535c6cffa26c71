import { member } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/**
 * Returns the command of an exec handler. Go decodes null as an empty word. Undefined for an empty or malformed
 * command, which the API server rejects.
 */
export function execArgv(handler: JsonObject): readonly string[] | undefined {
  const argv = member(handler, 'command');
  if (!Array.isArray(argv) || argv.length === 0) return undefined;
  if (argv.every(isText)) return argv;
  const words = (argv as readonly unknown[]).map((word) => word ?? '');
  return words.every(isText) ? words : undefined;
}

const isText = (word: unknown): word is string => typeof word === 'string';
