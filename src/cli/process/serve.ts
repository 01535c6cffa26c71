import { createLogger } from '../../process/log.ts';
import { startServer, type RunningServer } from '../../webhook/serve.ts';
import { PolicyFilesError } from '../../cluster/sources/policy-source.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { connectionConfig, settingsOf } from './process-flags.ts';
import { EXIT_OK, EXIT_USAGE, printLine, type CommandIo } from '../io.ts';
import { reportProblems } from '../output/messages.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { ServeConfig } from '../../webhook/config.ts';
import type { SERVE, ServeFlagValues } from './serve-definition.ts';

export async function runServe({ flags }: ParsedCommandLine<typeof SERVE.flags>, io: CommandIo): Promise<number> {
  const config = serveConfig(flags);
  const log = createLogger(config.logLevel, { write: (line) => void io.stdout.write(line) });
  // From here on, as process 1 of a container ignores a signal that has no handler.
  const signalled = io.untilSignal();
  const notice = (text: string): void => {
    printLine(io.stderr, `probewright serve: ${text}`);
  };
  const dependencies = { log, notice, now: io.now, monotonic: io.monotonic };
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

export function serveConfig(flags: ServeFlagValues): ServeConfig {
  const settings = settingsOf(flags);
  const { kubeconfig } = settings;
  return {
    ...settings,
    clientNames: settings.clientCn ?? [],
    controllers: {
      accounts: settings.trustedControllers ?? [],
      foreignServiceAccounts: settings.trustForeignServiceAccounts,
    },
    cluster: kubeconfig === undefined ? undefined : { ...settings, ...connectionConfig(kubeconfig, settings) },
  };
}
