import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { refuseNamedLink } from '../../base/files/tree.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { loadWorkloadKinds } from '../../cluster/sources/workload-kinds.ts';
import { printLine, UsageError, type CommandIo } from '../io.ts';
import { Progress, reportProblems } from '../output/messages.ts';
import { clusterChoice, type ClusterLine } from './cluster-choice.ts';
import { worldOf } from './world.ts';
import { projectReport, unreadLines } from './passed-over.ts';
import { unaskedSelectors } from './unasked-selectors.ts';
import { readManifestTexts } from './read-inputs.ts';
import { readPolicyTexts } from './input-files.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { CLUSTER_INPUT_FLAGS } from './input-flags.ts';
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

/**
 * The inputs in files.
 *
 * @param newPolicies a file or a directory of policies that are to be applied over the others
 * @param readsAll also reads objects of kinds that no rule concerns
 * @throws PolicyFilesError when the command has nothing to decide by
 */
export async function readCommandInputs(
  command: string,
  { flags, positionals, project }: ParsedCommandLine<typeof CLUSTER_INPUT_FLAGS>,
  io: CommandIo,
  progress = new Progress(io),
  newPolicies?: string,
  readsAll = false,
): Promise<NamedInputs> {
  const { namespace = 'default', now = io.now() } = flags;
  const kinds = await loadWorkloadKinds(flags['workload-kinds']);
  for (const file of flags.values)
    await refuseNamedLink(file)
      .then(() => access(file))
      .catch((error: unknown) => {
        throw new UsageError(`--values: ${file} cannot be read: ${messageOf(error)}`);
      });
  const parsing = { kinds, skipsOtherKinds: !readsAll };
  const reading = readManifestTexts(positionals, io.readStdin, {
    flags: { ...flags, namespace, project },
    parsing,
    onInput: (done, total, workloads) => {
      progress.show('reading', done, total, 'inputs', workloads);
    },
  });
  const manifests = await progress.during(reading);
  const [policies, added] = [await readPolicyTexts(flags.policies), await readPolicyTexts(newPolicies)];
  const kubernetesVersion = flags['kubernetes-version'];
  const settings = { ...parsing, namespace, now, kubernetesVersion };
  const read = worldOf(manifests, policies, { ...settings, fileIdentity: resolve }, added);
  const { world } = read;
  const ofProject = project && { project: projectReport(project, read.manifests) };
  const given = { world, manifests: { ...read.manifests, ...ofProject } };
  progress.end();
  for (const text of unreadLines(given.manifests, command, flags.verbose)) printLine(io.stderr, text);
  reportProblems(unaskedSelectors(given.manifests, given.world), io);
  return given;
}
