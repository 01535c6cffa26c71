import { parseCommandLine, type Environment } from '../../src/cli/flags/parse-command-line.ts';
import { SERVE } from '../../src/cli/process/serve-definition.ts';
import { serveConfig } from '../../src/cli/process/serve.ts';
import type { ServeConfig } from '../../src/webhook/config.ts';

/** The settings that these arguments after `serve` and this environment give, or every problem with them. */
export function parseServe(
  args: readonly string[],
  environment: Environment,
): { readonly config: ServeConfig } | { readonly problems: readonly string[] } {
  const line = parseCommandLine(SERVE, args, environment);
  if (line.kind === 'help') throw new Error('the arguments ask for help');
  return line.kind === 'problems' ? line : { config: serveConfig(line.flags) };
}
