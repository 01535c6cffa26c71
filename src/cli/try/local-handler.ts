import { execArgv } from '../../engine/probe/handler-values.ts';
import { invocationOf, isShell } from '../../engine/probe/exec-invocation.ts';
import { localClient } from '../../engine/probe/local-client.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** What a shell would replace or combine. */
const SHELL_SIGNS = /['"`$|&;<>()\\]/;
/** The end of a script that changes nothing: the command fails already. */
const FAILS = /\|\|\s?(?:exit [1-9]\d*|false)$/;

/** The words of a script of one command. Undefined for any other script. */
function onlyCommand(script: string): readonly string[] | undefined {
  const command = script.trim().replace(FAILS, '');
  return SHELL_SIGNS.test(command) ? undefined : command.split(/\s+/).filter((word) => word !== '');
}

/** The handler that asks what `curl`, `wget` or `nc` in a command asks. Undefined for any other command. */
export function localHandler(handler: JsonObject): JsonObject | undefined {
  const argv = execArgv(handler) ?? [];
  const outer = invocationOf(argv);
  const script = outer !== undefined && isShell(outer.program) ? argv[argv.indexOf('-c') + 1] : undefined;
  const words = script === undefined ? argv : onlyCommand(script);
  const invocation = words && invocationOf(words);
  return words && invocation && localClient(invocation.program, words.slice(invocation.at + 1));
}
