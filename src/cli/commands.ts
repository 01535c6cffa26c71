import { quote } from '../text/quote.ts';
import { didYouMean } from '../policy/suggestion.ts';
import { VERSION } from '../version.ts';
import { EXIT_OK, EXIT_USAGE, printLine } from './io.ts';
import type { Command, CommandIo } from './io.ts';

/** Each command is loaded when it is run: a server does not wait for what only the others need. */
export const COMMANDS: Readonly<Record<string, { readonly load: () => Promise<Command>; readonly summary: string }>> = {
  serve: { load: async () => (await import('./serve.ts')).serveCommand, summary: 'answer AdmissionReviews over HTTPS' },
  check: {
    load: async () => (await import('./check.ts')).checkCommand,
    summary: 'give manifests the verdict that the webhook would',
  },
  fix: {
    load: async () => (await import('./fix.ts')).fixCommand,
    summary: 'print manifests with the probes that policies give their Pods',
  },
  explain: {
    load: async () => (await import('./explain.ts')).explainCommand,
    summary: 'tell what probes come to in seconds, in tables and pictures',
  },
};

function help(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`);
  return `Usage: probewright COMMAND [flags]\n\n${lines.join('\n')}\n  version  print the version\n\n"probewright COMMAND --help" tells more.\n`;
}

/** Runs a command line (without the program's name) and resolves with the exit code. */
export async function runCommandLine(args: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--help' || name === 'help') {
    io.stdout.write(help());
    return EXIT_OK;
  }
  if (name === '--version' || name === 'version') {
    io.stdout.write(`probewright ${VERSION}\n`);
    return EXIT_OK;
  }
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return (await command.load())(rest, io);
  if (name === undefined) io.stderr.write(help());
  else printLine(io.stderr, `probewright: unknown command ${quote(name)}${didYouMean(name, Object.keys(COMMANDS))}`);
  return EXIT_USAGE;
}
