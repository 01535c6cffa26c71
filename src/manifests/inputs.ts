import { loadWorkloadKinds } from '../sources/workload-kinds.ts';
import { KNOWN_KINDS } from '../workload/custom-kinds.ts';
import { manifestsOf } from './manifest.ts';
import { readManifestTexts, readPolicyTexts } from './manifest-texts.ts';
import { policiesAmong } from './policies-among.ts';
import { policyProblemsIn } from './policy-problems.ts';
import type { CheckCatalogue } from '../policy/check-catalogue.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { WorkloadKind } from '../workload/kinds.ts';
import type { InputNote } from './input-note.ts';
import type { PolicyPlaces } from './policy-places.ts';
import type { Manifest } from './manifest.ts';
import type { ManifestText } from './manifest-text.ts';
import type { ReadTexts } from './manifest-texts.ts';

/**
 * What a command line says about the inputs of a command. Each new kind of input has a member here and a step in
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
}

/** Everything that a command decides by. */
export interface Inputs {
  /** True when the texts are objects of a cluster. Such objects have a place without lines: `cluster:shop/pod/web`. */
  readonly isFromCluster?: boolean;
  /** In the order of the command line. */
  readonly texts: readonly ParsedText[];
  /** Objects of a cluster beside its workloads, as the snapshot of a cluster needs them. */
  readonly others?: readonly JsonObject[];
  readonly policies: Snapshot;
  /** The policies that are to be applied over the others, alone. */
  readonly newPolicies: Snapshot;
  readonly policyPlaces: PolicyPlaces;
  readonly kinds: readonly WorkloadKind[];
  readonly namespace: string;
  /** The instant of all verdicts, in milliseconds since the epoch. */
  readonly now: number;
  /** What could not be read; the rest is there. */
  readonly problems: readonly FileProblem[];
  /** Those of the problems by which a policy is missing. */
  readonly policyProblems: readonly FileProblem[];
  /** Parts of policies that are in force and probably not meant, such as an empty probe. */
  readonly policyWarnings: readonly FileProblem[];
}

/** A text and the objects in it. */
export interface ParsedText extends ManifestText {
  readonly manifests: readonly Manifest[];
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
  const settings = { catalogue, kinds, namespace, now, onRead };
  const inputs = inputsOf(manifestTexts, policyTexts, settings, newPolicyTexts);
  return { ...inputs, notes: manifestTexts.notes };
}

const NO_TEXTS: ReadTexts = { texts: [], problems: [] };

/** How inputs in texts are read. */
export interface InputSettings {
  readonly catalogue: CheckCatalogue;
  readonly kinds: readonly WorkloadKind[];
  /** The namespace of objects that name no namespace. */
  readonly namespace: string;
  /** The instant of all verdicts, in milliseconds since the epoch. */
  readonly now: number;
  /** Is called now and then with how many characters of all manifests have been read. */
  readonly onRead?: OnRead | undefined;
}

/** Receives how far the reading of manifests is. `done` never goes back. */
export type OnRead = (done: number, total: number) => void;

/**
 * The inputs in texts that have been read. Policies and Namespaces may be among the manifests.
 *
 * @param newPolicyTexts the policies that are to be applied over the others
 */
export function inputsOf(
  manifestTexts: ReadTexts,
  policyTexts: ReadTexts,
  settings: InputSettings,
  newPolicyTexts: ReadTexts = NO_TEXTS,
): Inputs {
  const { catalogue } = settings;
  const parsed = parsedTexts(manifestTexts.texts, settings.onRead);
  const manifests = parsed.flatMap((text) => text.manifests);
  const policies = policiesAmong(catalogue, manifests, policyTexts.texts, newPolicyTexts.texts, settings.namespace);
  const newPolicies = policiesAmong(catalogue, [], newPolicyTexts.texts, [], settings.namespace);
  return {
    kinds: settings.kinds,
    namespace: settings.namespace,
    now: settings.now,
    texts: parsed,
    policies: policies.set,
    newPolicies: newPolicies.set,
    policyPlaces: policies.places,
    problems: [
      ...manifestTexts.problems,
      ...policyTexts.problems,
      ...newPolicyTexts.problems,
      ...parsed.flatMap(({ problems }) => problems),
      ...policies.problems,
      ...newPolicies.problems,
    ],
    policyProblems: [
      ...policyTexts.problems,
      ...newPolicyTexts.problems,
      ...policies.problems,
      ...newPolicies.problems,
      ...parsed.flatMap(({ text, problems }) => policyProblemsIn(text, problems)),
    ],
    policyWarnings: [...policies.warnings, ...newPolicies.warnings].map((of) => ({
      ...of,
      message: `warning: ${of.message}`,
    })),
  };
}

function parsedTexts(texts: readonly ManifestText[], onRead: OnRead | undefined): (ParsedText & ProblemsOfText)[] {
  const total = texts.reduce((sum, { text }) => sum + text.length, 0);
  let start = 0;
  let done = 0;
  return texts.map((text) => {
    const parsed = manifestsOf(text, (offset) => {
      done = Math.max(done, start + offset);
      onRead?.(done, total);
    });
    start += text.text.length;
    return { ...text, ...parsed };
  });
}

interface ProblemsOfText {
  readonly problems: readonly FileProblem[];
}
