import { resolve } from 'node:path';
import { loadWorkloadKinds } from '../../cluster/sources/workload-kinds.ts';
import { KNOWN_KINDS } from '../../engine/workload/custom-kinds.ts';
import { inputsOf, NO_TEXTS } from './inputs-of-texts.ts';
import { readManifestTexts, readPolicyTexts } from './manifest-texts.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { InputNote } from './input-note.ts';
import type { Inputs, OnRead } from './inputs-of-texts.ts';

export { inputsOf } from './inputs-of-texts.ts';
export type { Inputs, InputSettings, OnRead, ParsedText } from './inputs-of-texts.ts';

/**
 * The command line's inputs of a command. Each new kind of input has a member here and a step in
 * `readInputs`.
 */
export interface InputOptions {
  /** Files, directories, and `-` for standard input. */
  readonly files: readonly string[];
  /** A file or a directory with policies. Undefined = policies among the manifests only. */
  readonly policies: string | undefined;
  /** A file or a directory with policies that are to be applied over the others. */
  readonly newPolicies?: string | undefined;
  /** A file of custom kinds. Undefined = the known kinds. */
  readonly workloadKinds: string | undefined;
  /** The namespace of objects that name no namespace. */
  readonly namespace: string;
  /** The instant of all verdicts, in milliseconds since the epoch. */
  readonly now: number;
  /** Globs of files and directories to leave out. */
  readonly exclude: readonly string[];
  /** Renders charts and kustomizations. */
  readonly renderCharts: boolean;
  /** Lets kustomize download remote bases. */
  readonly allowRemoteBases: boolean;
}

/**
 * Reads the inputs of a command that looks at manifests.
 *
 * @throws PolicyFilesError when the file of custom kinds cannot be used
 */
export async function readInputs(
  catalogue: CheckCatalogue,
  { files, policies, newPolicies, workloadKinds, ...selection }: InputOptions,
  readStdin: () => Promise<string>,
  onRead?: OnRead,
): Promise<Inputs & { readonly notes: readonly InputNote[] }> {
  const kinds = workloadKinds === undefined ? KNOWN_KINDS : await loadWorkloadKinds(workloadKinds);
  const manifestTexts = await readManifestTexts(files, readStdin, selection);
  const policyTexts = policies === undefined ? NO_TEXTS : await readPolicyTexts(policies);
  const newPolicyTexts = newPolicies === undefined ? NO_TEXTS : await readPolicyTexts(newPolicies);
  const { namespace, now } = selection;
  const settings = { catalogue, kinds, namespace, now, onRead, fileIdentity: resolve };
  const inputs = inputsOf(manifestTexts, policyTexts, settings, newPolicyTexts);
  return { ...inputs, notes: manifestTexts.notes };
}
