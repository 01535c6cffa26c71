import { parseServeConfig, SERVE_SETTINGS } from '../config.ts';
import { createLogger } from '../log.ts';
import { startServer } from '../serve.ts';
import { formatFileProblem } from '../sources/policy-documents.ts';
import { PolicyFilesError } from '../sources/policy-source.ts';
import { EXIT_OK, EXIT_USAGE, printLine } from './io.ts';
import type { ServeConfig } from '../config.ts';
import type { RunningServer, TlsFiles } from '../serve.ts';
import type { CommandIo } from './io.ts';

/** `probewright serve --help`. */
export function serveHelp(): string {
  const width = Math.max(...SERVE_SETTINGS.map(({ flag, value }) => flag.length + value.length)) + 6;
  const lines = SERVE_SETTINGS.map(({ flag, env, value, fallback, description }) => {
    const start = `  --${flag} ${value}`.padEnd(width);
    return `${start}  ${description}\n${' '.repeat(width)}  [${env}${fallback === undefined ? '' : `, default ${fallback}`}]`;
  });
  return `Usage: probewright serve --policies DIR|--kubeconfig FILE [flags]\n\nAnswers AdmissionReviews over HTTPS at /mutate and /validate.\n\n${lines.join('\n')}\n`;
}

/** Serves until SIGTERM or SIGINT. The development pair is made in `certs/` below the working directory. */
export async function serveCommand(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes('--help')) {
    io.stdout.write(serveHelp());
    return EXIT_OK;
  }
  const parsed = parseServeConfig(args, io.env);
  if ('problems' in parsed) {
    for (const problem of parsed.problems) printLine(io.stderr, `probewright serve: ${problem}`);
    printLine(io.stderr, 'Run "probewright serve --help" for the flags.');
    return EXIT_USAGE;
  }
  const { config } = parsed;
  const log = createLogger(config.logLevel, { write: (line) => void io.stdout.write(line) });
  // From now on: process 1 of a container ignores a signal that nobody waits for.
  const signalled = io.untilSignal();
  const surroundings = { log, now: io.now, monotonic: io.monotonic, busy: io.busy };
  let server: RunningServer | undefined;
  try {
    const starting = tlsFiles(config, io).then((tls) => startServer(config, tls, surroundings));
    server = await Promise.race([starting, signalled.then(() => undefined)]);
    if (server === undefined) {
      await (await starting).stop(0);
      return EXIT_OK;
    }
    // A port that cannot be listened on shows only once there is a certificate, which in a cluster may take a while.
    const failure = server.port.then(() => new Promise<never>(() => undefined));
    void server.started.then(io.letHeapGrow, () => undefined);
    const signal = await Promise.race([signalled, failure]);
    // A person at a terminal does not wait; a kubelet's SIGTERM means that callers still come for a while.
    await server.stop(signal === 'SIGINT' ? 0 : config.drainSeconds);
    return EXIT_OK;
  } catch (error) {
    const problems = error instanceof PolicyFilesError ? error.problems : [];
    for (const problem of problems) printLine(io.stderr, formatFileProblem(problem));
    printLine(io.stderr, `probewright serve: ${error instanceof Error ? error.message : String(error)}`);
    // What runs already would keep the process alive, never ready and never restarted.
    await server?.stop(0);
    return EXIT_USAGE;
  }
}

/** The files that are given; in a cluster none are needed, and elsewhere a development pair is made. */
async function tlsFiles(config: ServeConfig, io: CommandIo): Promise<TlsFiles | undefined> {
  const { tlsCert, tlsKey } = config;
  if (tlsCert !== undefined && tlsKey !== undefined) return { certFile: tlsCert, keyFile: tlsKey };
  if (config.cluster !== undefined) return undefined;
  // Loaded here because a server with a certificate of its own needs no library that makes one.
  const { developmentPair } = await import('../certificates/development-pair.ts');
  const pair = await developmentPair('certs', io.now()).catch((error: unknown) => {
    throw new Error(`no --tls-cert and --tls-key, and no development pair can be made in certs/: ${String(error)}`, {
      cause: error,
    });
  });
  printLine(io.stderr, `probewright serve: development certificate for localhost; its CA is ${pair.caFile}`);
  return pair;
}
