import { printLine, UsageError, type CommandIo } from '../io.ts';
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
  if (choice.kind === 'problem') throw new UsageError(choice.problem);
  // Most command lines name files, and need no client of the API server.
  const { world, ...given } =
    choice.kind === 'files'
      ? await readCommandInputs(command, line, io, progress, wishes.change?.newPolicies)
      : await (
          await import('./cluster-inputs.ts')
        )
          .readCluster(line, choice.names, io, progress, wishes)
          .finally(() => {
            progress.end();
          });
  const { webhook } = given.live ?? {};
  if (webhook !== undefined && webhook.tier === undefined && webhook.unread.length > 0)
    printLine(io.stderr, `cluster: warning: what injects probes is not known: ${webhook.unread.toSorted().join('; ')}`);
  const tier = line.flags.tier ?? webhook?.tier;
  if (tier !== 'native') return { ...given, world: { ...world, tier } };
  // Its law takes long to load, and leaves out some of what policies give.
  const { leftOutByNative } = await import('../../native/native-injection.ts');
  const { tiers, facts } = world.snapshot;
  return { ...given, world: { ...world, tier, snapshot: world.snapshot.with(tiers, facts, leftOutByNative) } };
}
