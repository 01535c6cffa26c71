import { manifestsOf, nameOf, problemsOfDocuments } from './manifest.ts';
import type { ManifestText, ParsedText, Manifest } from './manifest.ts';
import { foundText, type PassedOver, type Unread } from './passed-over.ts';
import { Snapshot } from '../../engine/facts/snapshot.ts';
import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { readPolicyDocuments, type FileProblem, type PolicyDocuments } from '../../cluster/sources/policy-documents.ts';
import { factKindOf } from '../../cluster/sources/fact-kinds.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import type { ObservedWorkload } from '../../cluster/sources/observer-reports.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { YamlDocument } from '../../yaml/reading/documents.ts';
import type { FilePlace } from '../output/json-outputs.ts';

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
  const { parsed, passedOver } = parsedTexts(manifestTexts.texts, settings.onRead);
  const manifests = parsed.flatMap((text) => text.manifests);
  const policies = policiesAmong(manifests, policyTexts.texts, newPolicyTexts.texts, settings);
  const newPolicies = policiesAmong([], newPolicyTexts.texts, [], settings);
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

interface PolicySettings {
  readonly namespace: string;
  /** Two names with one identity are one file. Default: the name, because texts in memory have no paths. */
  readonly fileIdentity?: (file: string) => string;
}

/**
 * The policies of `--policies` and the policies among the manifests, with the labels of Namespaces, as one set. A file
 * that is given as both is read once.
 *
 * @param otherPolicyTexts policies that the caller reads as another set; they do not count among the manifests
 */
export function policiesAmong(
  manifests: readonly Manifest[],
  policyTexts: readonly ManifestText[],
  otherPolicyTexts: readonly ManifestText[] = [],
  { namespace, fileIdentity = (file) => file }: PolicySettings = { namespace: 'default' },
): Pick<PolicyDocuments, 'problems' | 'warnings'> & { readonly set: Snapshot; readonly places: PolicyPlaces } {
  const read = new Set([...policyTexts, ...otherPolicyTexts].map(({ file }) => fileIdentity(file)));
  const among = manifests.filter(
    ({ object, document }) => isForPolicies(object) && !read.has(fileIdentity(document.file)),
  );
  const placed = among.map(({ document, object, path }) => ({ document, value: object, path }));
  const places = new PolicyPlaces();
  const { policies, facts, problems, warnings } = readPolicyDocuments(
    policyTexts,
    placed,
    (policy, document, path) => places.add(policy.source, document, path),
    namespace,
  );
  return { set: Snapshot.of(CHECK_CATALOGUE, policies, facts), places, problems, warnings };
}

const POLICY_API_GROUP = 'probewright.dev/';

function isForPolicies(object: JsonObject): boolean {
  const apiVersion = stringMember(object, 'apiVersion') ?? '';
  if (apiVersion.startsWith(POLICY_API_GROUP)) return true;
  const kind = stringMember(object, 'kind');
  // A Namespace without a name, such as a patch or an assertion of a test, gives no labels to a namespace.
  return (
    (apiVersion === 'v1' && kind === 'Namespace' && nameOf(object) !== '') || factKindOf(apiVersion, kind) !== undefined
  );
}

/** The problems in documents that may be policies. */
export function policyProblemsIn(text: string, problems: readonly FileProblem[]): readonly FileProblem[] {
  return problemsOfDocuments(text, problems, (line) => line.includes(`${POLICY_API_GROUP}v`));
}

/** Where the policies of the inputs are written, by the policy's source: `ProbePolicy/apps/web`. */
export class PolicyPlaces {
  readonly #places = new Map<string, { readonly document: YamlDocument; readonly path: FieldPath }>();

  add(source: string, document: YamlDocument, path: FieldPath): void {
    this.#places.set(source, { document, path });
  }

  /**
   * The place of a field in a policy, or of the nearest field around it. Undefined for a policy that is not among the
   * inputs.
   *
   * @param field the path in the policy's object; [] is the policy itself
   */
  find(source: string, field: FieldPath = []): FilePlace | undefined {
    const place = this.#places.get(source);
    if (place === undefined) return undefined;
    const { document, path } = place;
    return { file: document.file, ...document.position([...path, ...field], { key: true }) };
  }
}
