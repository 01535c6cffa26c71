import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '../../base/text/error-message.ts';
import { loadWorkloadKinds } from '../../cluster/sources/workload-kinds.ts';
import { printLine, UsageError, type CommandIo } from '../io.ts';
import { Progress, reportProblems } from '../output/messages.ts';
import { clusterChoice, type ClusterLine } from './cluster-choice.ts';
import { inputsOf, type Inputs } from './inputs.ts';
import { unreadLines } from './passed-over.ts';
import { unaskedSelectors } from './unasked-selectors.ts';
import { readManifestTexts, readPolicyTexts } from './read-inputs.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { CLUSTER_INPUT_FLAGS } from './input-flags.ts';
import type { ReadingWishes } from './cluster-inputs.ts';

/**
 * The inputs that a command line names: a cluster or files.
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
): Promise<Inputs> {
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
  { flags, positionals, charts }: ParsedCommandLine<typeof CLUSTER_INPUT_FLAGS>,
  io: CommandIo,
  progress = new Progress(io),
  newPolicies?: string,
  readsAll = false,
): Promise<Inputs> {
  const { namespace = 'default', now = io.now() } = flags;
  const kinds = await loadWorkloadKinds(flags['workload-kinds']);
  for (const file of flags.values)
    await access(file).catch((error: unknown) => {
      throw new UsageError(`--values: ${file} cannot be read: ${messageOf(error)}`);
    });
  const manifests = await readManifestTexts(positionals, io.readStdin, {
    ...flags,
    namespace,
    charts,
    onInput: (done, total) => {
      progress.show('reading', done, total, 'inputs');
    },
  });
  const [policies, added] = [await readPolicyTexts(flags.policies), await readPolicyTexts(newPolicies)];
  const onRead = (files: number, workloads: number): void => {
    progress.show('reading', files, manifests.texts.length, 'files', workloads);
  };
  const kubernetesVersion = flags['kubernetes-version'];
  const settings = { kinds, namespace, now, kubernetesVersion, onRead, skipsOtherKinds: !readsAll };
  const inputs = inputsOf(manifests, policies, { ...settings, fileIdentity: resolve }, added);
  progress.end();
  for (const text of unreadLines(inputs, command, flags.verbose)) printLine(io.stderr, text);
  reportProblems(unaskedSelectors(inputs), io);
  return inputs;
}
