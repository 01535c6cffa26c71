import { UsageError, type CommandIo } from '../io.ts';
import { Progress } from '../output/messages.ts';
import { clusterChoice, type ClusterLine } from './cluster-choice.ts';
import { readCommandInputs } from './read-inputs.ts';
import type { ReadingWishes } from './cluster-inputs.ts';
import type { NamedInputs } from './live.ts';

/**
 * What a command line names: a cluster or files.
 *
 * @throws UsageError when the command line names both
 * @throws PolicyFilesError when the command has nothing to decide by
 */
export async function readAnyInputs(
  command: string,
  line: ClusterLine,
  io: CommandIo,
  progress = new Progress(io),
  wishes: ReadingWishes = {},
): Promise<NamedInputs> {
  const choice = await clusterChoice(line);
  if (choice.kind === 'files') return await readCommandInputs(command, line, io, progress, wishes.change?.newPolicies);
  if (choice.kind === 'problem') throw new UsageError(choice.problem);
  // Most command lines name files, and need no client of the API server.
  const { readCluster } = await import('./cluster-inputs.ts');
  return await readCluster(line, choice.names, io, progress, wishes).finally(() => {
    progress.end();
  });
}
