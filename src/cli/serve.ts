import { createLogger } from '../process/log.ts';
import { startServer } from '../webhook/serve.ts';
import { PolicyFilesError } from '../cluster/sources/policy-source.ts';
import { messageOf } from '../base/text/error-message.ts';
import { EXIT_OK, EXIT_USAGE, printLine } from './io.ts';
import { reportProblems } from './report-problems.ts';
import { serveConfig } from './serve-config.ts';
import type { CommandLine } from './flags/command-definition.ts';
import type { RunningServer } from '../webhook/serve.ts';
import type { SERVE } from './definitions/serve.ts';
import type { CommandIo } from './io.ts';

/** Serves until SIGTERM or SIGINT. */
export async function runServe({ flags }: CommandLine<typeof SERVE.flags>, io: CommandIo): Promise<number> {
  const config = serveConfig(flags);
  const log = createLogger(config.logLevel, { write: (line) => void io.stdout.write(line) });
  // From here on, as process 1 of a container ignores a signal that has no handler.
  const signalled = io.untilSignal();
  const notice = (text: string): void => {
    printLine(io.stderr, `probewright serve: ${text}`);
  };
  const dependencies = { log, notice, now: io.now, monotonic: io.monotonic, busy: io.busy };
  let server: RunningServer | undefined;
  try {
    const starting = startServer(config, dependencies);
    server = await Promise.race([starting, signalled.then(() => undefined)]);
    if (server === undefined) {
      await (await starting).stop(0);
      return EXIT_OK;
    }
    // Listening begins once there is a certificate, which in a cluster may take a while. Only then is a port found to
    // be taken.
    const failure = server.port.then(() => new Promise<never>(() => undefined));
    void server.started.then(io.letHeapGrow, () => undefined);
    const signal = await Promise.race([signalled, failure]);
    // A person at a terminal does not wait. After SIGTERM from a kubelet, callers still come for a while.
    await server.stop(signal === 'SIGINT' ? 0 : config.drainSeconds);
    return EXIT_OK;
  } catch (error) {
    if (error instanceof PolicyFilesError) reportProblems(error.problems, io);
    printLine(io.stderr, `probewright serve: ${messageOf(error)}`);
    // Parts that run would keep the process alive: it would never become ready and never be restarted.
    await server?.stop(0);
    return EXIT_USAGE;
  }
}
