import { startObserver, type ObserveConfig } from '../../observer/observe.ts';
import { createLogger } from '../../process/log.ts';
import { PolicyFilesError } from '../../cluster/sources/policy-source.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { connectionConfig, settingsOf } from './process-flags.ts';
import { EXIT_OK, EXIT_USAGE, printLine, type CommandIo } from '../io.ts';
import { reportProblems } from '../output/messages.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { OBSERVE, ObserveFlagValues } from './observe-definition.ts';

export async function runObserve({ flags }: ParsedCommandLine<typeof OBSERVE.flags>, io: CommandIo): Promise<number> {
  const config = observeConfig(flags);
  const log = createLogger(config.logLevel, { write: (line) => void io.stdout.write(line) });
  // From here on, as process 1 of a container ignores a signal that has no handler.
  const signalled = io.untilSignal();
  try {
    const observer = await startObserver(config, { log, now: io.now, monotonic: io.monotonic });
    await signalled;
    await observer.stop();
    return EXIT_OK;
  } catch (error) {
    if (error instanceof PolicyFilesError) reportProblems(error.problems, io);
    printLine(io.stderr, `probewright observe: ${messageOf(error)}`);
    return EXIT_USAGE;
  }
}

export function observeConfig(flags: ObserveFlagValues): ObserveConfig {
  const settings = settingsOf(flags);
  // conflictsOfObserve refuses a command line without --kubeconfig.
  const cluster = connectionConfig(settings.kubeconfig ?? '', settings);
  return { ...settings, learnsStarts: settings.startups, cluster };
}
