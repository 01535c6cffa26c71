import { manifestsOf, type ManifestText, type ParsedText } from './manifest.ts';
import { policiesAmong, policyProblemsIn, type PolicyPlaces, type PolicySettings } from './policies-among.ts';
import { foundText, type PassedOver, type Unread } from './passed-over.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { ObservedWorkload } from '../../cluster/sources/observer-reports.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';

export interface Inputs extends Unread {
  /** True when the texts are objects of a cluster. Such objects have a place without lines: `cluster:shop/pod/web`. */
  readonly isFromCluster?: boolean;
  readonly texts: readonly ParsedText[];
  /** Objects of a cluster beside its workloads, as the snapshot of a cluster needs them. */
  readonly others?: readonly JsonObject[];
  /** The reports of an observer about live Pods of a cluster. In files, reports are among the manifests. */
  readonly observed?: readonly ObservedWorkload[];
  readonly policies: Snapshot;
  /** The policies that are to be applied over the others, alone. */
  readonly newPolicies: Snapshot;
  readonly policyPlaces: PolicyPlaces;
  readonly kinds: readonly WorkloadKind[];
  readonly namespace: string;
  readonly now: number;
  readonly problems: readonly FileProblem[];
  /** Those of the problems by which a policy is missing. */
  readonly policyProblems: readonly FileProblem[];
  /** Parts of policies that are in force and probably not meant, such as an empty probe. */
  readonly policyWarnings: readonly FileProblem[];
}

/** Texts that were read, and what could not be read. One does not keep the other from being used. */
export interface ReadTexts extends Unread {
  readonly texts: readonly ManifestText[];
  readonly problems: readonly FileProblem[];
}

export const NO_TEXTS: ReadTexts = { texts: [], problems: [] };

interface InputSettings extends PolicySettings, Pick<Inputs, 'kinds' | 'now'> {
  readonly catalogue: CheckCatalogue;
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
  const { parsed, passedOver } = parsedTexts(manifestTexts.texts, settings.onRead);
  const manifests = parsed.flatMap((text) => text.manifests);
  const policies = policiesAmong(catalogue, manifests, policyTexts.texts, newPolicyTexts.texts, settings);
  const newPolicies = policiesAmong(catalogue, [], newPolicyTexts.texts, [], settings);
  const unreadable = [policyTexts, newPolicyTexts].flatMap(({ problems }) => problems);
  const unusable = [policies, newPolicies].flatMap(({ problems }) => problems);
  const { kinds, namespace, now } = settings;
  return {
    kinds,
    namespace,
    now,
    texts: parsed,
    policies: policies.set,
    newPolicies: newPolicies.set,
    policyPlaces: policies.places,
    passedOver: [...(manifestTexts.passedOver ?? []), ...passedOver],
    notes: manifestTexts.notes ?? [],
    problems: [...manifestTexts.problems, ...unreadable, ...parsed.flatMap(({ problems }) => problems), ...unusable],
    policyProblems: [
      ...unreadable,
      ...unusable,
      ...parsed.flatMap(({ text, problems }) => policyProblemsIn(text, problems)),
    ],
    policyWarnings: warningsOf([...policies.warnings, ...newPolicies.warnings]),
  };
}

/** Problems as warnings: `warning: ...`. */
export function warningsOf(problems: readonly FileProblem[]): FileProblem[] {
  return problems.map((problem) => ({ ...problem, message: `warning: ${problem.message}` }));
}

function parsedTexts(
  texts: readonly ManifestText[],
  onRead: OnRead | undefined,
): { readonly parsed: (ParsedText & Pick<ReadTexts, 'problems'>)[]; readonly passedOver: readonly PassedOver[] } {
  const total = texts.reduce((sum, { text }) => sum + text.length, 0);
  let start = 0;
  let done = 0;
  const passedOver: PassedOver[] = [];
  const parsed = texts.map((text) => {
    const read = manifestsOf(text, (offset) => {
      done = Math.max(done, start + offset);
      onRead?.(done, total);
    });
    start += text.text.length;
    if (text.isFound !== true) return { ...text, ...read };
    const objects = read.manifests.map(({ object }) => object);
    const { reason, isManifest, problems } = foundText(text.text, objects, read.problems);
    if (reason !== undefined) passedOver.push({ file: text.file, reason });
    // `fix --output-dir` writes a file that is no manifest as it is.
    return { ...text, manifests: isManifest ? read.manifests : [], problems };
  });
  return { parsed, passedOver };
}
