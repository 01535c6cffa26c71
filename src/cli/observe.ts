import { startObserver } from '../observer/observe.ts';
import { createLogger } from '../process/log.ts';
import { PolicyFilesError } from '../cluster/sources/policy-source.ts';
import { messageOf } from '../base/text/error-message.ts';
import { EXIT_OK, EXIT_USAGE, printLine } from './io.ts';
import { observeConfig } from './observe-config.ts';
import { reportProblems } from './report-problems.ts';
import type { CommandLine } from './flags/command-definition.ts';
import type { OBSERVE } from './definitions/observe.ts';
import type { CommandIo } from './io.ts';

/** Observes until SIGTERM or SIGINT. */
export async function runObserve({ flags }: CommandLine<typeof OBSERVE.flags>, io: CommandIo): Promise<number> {
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
